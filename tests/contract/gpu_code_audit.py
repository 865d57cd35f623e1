#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Audits of what the compilers for AMD's and NVIDIA's graphics processors have made of the kernels, without one.

  tests/contract/gpu_code_audit.py --build build/release [--vendors amd,nvidia] [--modules psnr,motion] [--self-test]

--self-test compiles planted regressions and sees each rejected by name.
"""
import argparse
import os
import re
import sys
import tempfile

import amd_compiler
import gpu_code_plants
import kernel_source
import nvidia_compiler
from kernel_source import FLOAT_MODULES, MODULES, float_additions
from source_audit import ROOT, read_tree

AMD_FOLDER, CUDA_FOLDER = "hip_modules", "cuda_modules"
AMD_PLUGIN = os.path.join("lib", "lockstep", "liblockstep_hip.so")
SOURCES = os.path.join(ROOT, "src")


def audit_amd(build, lists):
    problems = []
    for module, kernels in lists.items():
        for target in amd_compiler.TARGETS:
            path = os.path.join(build, AMD_FOLDER, "%s.%s.co" % (module, target))
            if os.path.exists(path):
                problems += amd_compiler.audit_code_object(module, target, path, kernels, module in FLOAT_MODULES,
                                                           float_additions(module))
            else:
                problems.append("module %s for %s: is not built: %s" % (module, target, path))
    try:
        with open(os.path.join(build, AMD_PLUGIN), "rb") as file:
            problems += audit_amd_plugin(file.read(), amd_files(build, lists))
    except FileNotFoundError:
        problems.append("%s is not built" % AMD_PLUGIN)
    return problems


def amd_files(build, lists):
    """{(module, architecture): bytes} of the code objects that are built."""
    files = {}
    for module in lists:
        for target in amd_compiler.TARGETS:
            path = os.path.join(build, AMD_FOLDER, "%s.%s.co" % (module, target))
            if os.path.exists(path):
                with open(path, "rb") as file:
                    files[module, target] = file.read()
    return files


def audit_amd_plugin(plugin, files):
    """The plugin's bundles hold every code object, under its architecture."""
    bundles = amd_compiler.bundles(plugin)
    return ["module %s for %s: the plugin does not hold what was built" % key for key, data in sorted(files.items())
            if not any(bundle.get(key[1]) == data for bundle in bundles)]


def audit_cuda_files(module, fatbin, report, kernels, architectures, virtual, used, host=""):
    try:
        found = nvidia_compiler.resources(fatbin)
        ptx = nvidia_compiler.ptx_of(fatbin)
        code = nvidia_compiler.machine_code(fatbin)
    except RuntimeError as error:
        return ["module %s: %s" % (module, error)]
    return (nvidia_compiler.audit_resources(module, found, kernels, architectures) +
            nvidia_compiler.audit_tuned(module, found, kernels, host) +
            nvidia_compiler.audit_reports(module, report, found) +
            nvidia_compiler.audit_ptx(module, ptx, kernels, virtual, used) +
            nvidia_compiler.audit_machine_code(module, code, used))


def audit_cuda(build, lists):
    problems, used, tree = [], set(), read_tree()
    for module, kernels in lists.items():
        fatbin, report = (os.path.join(build, CUDA_FOLDER, module + ending) for ending in (".fatbin", ".log"))
        missing = [path for path in (fatbin, report) if not os.path.exists(path)]
        if missing:
            problems.append("module %s: is not built: %s" % (module, " ".join(missing)))
            continue
        host = tree.get("src/features/%s/%s_cuda.cc" % (module, module), "")
        with open(report, encoding="utf-8") as file:
            problems += audit_cuda_files(module, fatbin, file.read(), kernels, nvidia_compiler.ARCHITECTURES,
                                         nvidia_compiler.VIRTUAL, used, host)
    return problems + nvidia_compiler.unused_exceptions(used, lists)


AUDITS = {"amd": audit_amd, "nvidia": audit_cuda}


# ---------------------------------------------------------------------------------------------------------------------
# Planted regressions: each must be rejected, for its own reason.

def report_plants(plants, compile_and_audit):
    failures = []
    for title, expected, make in plants:
        try:
            problems = make(compile_and_audit)
        except RuntimeError as error:
            failures.append("plant '%s' cannot be made: %s" % (title, error))
            continue
        for reason in expected:
            hits = [p for p in problems if re.search(reason, p)]
            if hits:
                print("rejected: %-42s %s" % (title, hits[0]))
            else:
                failures.append("plant '%s' is not rejected for '%s', but: %s" % (title, reason, problems[:3]))
    return failures


def with_headers(changes, act):
    with tempfile.TemporaryDirectory() as folder:
        gpu_code_plants.changed_headers(folder, changes)
        return act(folder)


def compile_amd(lists, module, change, headers, flags, target, name_as=None):
    def act(folder):
        path = os.path.join(folder, "module.co")
        amd_compiler.compile_source(change(gpu_code_plants.amd_source(module)), target, path, "-I", SOURCES, *flags,
                                    include=folder)
        return amd_compiler.audit_code_object(module, name_as or target, path, lists[module], module in FLOAT_MODULES,
                                              float_additions(module))
    return with_headers(headers, act)


def compile_cuda(lists, module, change, headers, flags, architectures=(nvidia_compiler.DISASSEMBLED,), edit=None,
                 host=""):
    def act(folder):
        path = os.path.join(folder, "module.fatbin")
        report = nvidia_compiler.compile_source(change(gpu_code_plants.cuda_source(module)), path, "-I", SOURCES,
                                                *flags, include=folder)
        return audit_cuda_files(module, path, edit(report) if edit else report, lists[module], architectures,
                                architectures, set(), host)
    return with_headers(headers, act)


def self_test_amd(lists):
    failures, same = [], gpu_code_plants.same
    for module in lists:
        failures += ["module %s itself is rejected: %s" % (module, p)
                     for p in compile_amd(lists, module, same, {}, (), "gfx1030")]
    plants = []
    for title, module, change, headers, flags, expected in gpu_code_plants.AMD_PLANTS:
        for target in amd_compiler.TARGETS:
            arguments = (module, change, headers, flags, target)
            plants.append(("%s, %s" % (title, target), expected, lambda audit, a=arguments: audit(lists, *a)))
    plants.append(("code for another processor", ("module psnr for gfx90a: is made for gfx1030",),
                   lambda audit: audit(lists, "psnr", same, {}, (), "gfx1030", "gfx90a")))
    bundle = amd_compiler.make_bundle({"gfx1030": b"code", "gfx90a": b"more"})
    files = {("psnr", "gfx1030"): b"code", ("psnr", "gfx90a"): b"more"}
    if audit_amd_plugin(b"before" + bundle + b"after", files):
        failures.append("a plugin with its code objects is rejected")
    for title, wrong in (("stale code object in the plugin", bundle.replace(b"more", b"less")),
                         ("code object of another architecture", bundle.replace(b"--gfx90a", b"--gfx906"))):
        plants.append((title, ("module psnr for gfx90a: the plugin does not hold what was built",),
                       lambda audit, plugin=wrong: audit_amd_plugin(plugin, files)))
    plants.append(("wavefronts of 64", ("kernel sum_lanes: wavefronts of 64, not 32",),
                   lambda audit: audit(lists, "psnr", same, {}, ("-mwavefrontsize64",), "gfx1030")))
    return failures + report_plants(plants, compile_amd), len(plants)


def self_test_nvidia(lists):
    failures, same = [], gpu_code_plants.same
    for module in lists:
        failures += ["module %s itself is rejected: %s" % (module, p)
                     for p in compile_cuda(lists, module, same, {}, ())]
    plants = []
    for title, module, change, headers, flags, expected in gpu_code_plants.CUDA_PLANTS:
        architectures = nvidia_compiler.ARCHITECTURES if "architecture" in title else (nvidia_compiler.DISASSEMBLED,)
        arguments = (module, change, headers, flags, architectures)
        plants.append((title, expected, lambda audit, a=arguments: audit(lists, *a)))

    def with_report(old, new):
        return lambda audit: audit(lists, "psnr", same, {}, (), edit=lambda text: text.replace(old, new, 1))

    plants.append(("spills that ptxas reports", (r"kernel \w+: ptxas reports 0 bytes of stack, 8 \+ 0 bytes",),
                   with_report(" 0 bytes spill stores", " 8 bytes spill stores")))
    plants.append(("report that lacks a kernel", ("ptxas has reported 2 kernels of 3",),
                   with_report("bytes stack frame", "bytes")))
    plants.append(("tuned kernel that nothing launches", ("kernel planted: nothing launches it",),
                   lambda audit: audit(lists, "psnr", gpu_code_plants.cuda_kernel("data[own] = own;"), {}, ())))
    plants.append(("tuned kernel that is not there", ("kernel strips is launched and not there",),
                   lambda audit: audit(lists, "psnr", same, {}, (), host='steps.AddGroups({"strips"}, plan, args);')))
    plants.append(("exception that nothing needs", ("module motion, kernel strips_u8: no kernel needs the exception",),
                   lambda audit: nvidia_compiler.unused_exceptions(set(), ("motion",))))
    return failures + report_plants(plants, compile_cuda), len(plants)


SELF_TESTS = {"amd": self_test_amd, "nvidia": self_test_nvidia}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--vendors", default=",".join(AUDITS), help="leave others out")
    parser.add_argument("--modules", default=",".join(MODULES), help="leave others out")
    parser.add_argument("--self-test", action="store_true", help="see every planted regression rejected")
    arguments = parser.parse_args()
    vendors, modules = arguments.vendors.split(","), tuple(arguments.modules.split(","))
    unknown = (set(modules) - set(MODULES)) | (set(vendors) - set(AUDITS))
    if unknown:
        parser.error("unknown: %s" % " ".join(sorted(unknown)))
    sources = kernel_source.KernelSources(read_tree(), modules)
    lists = {module: [kernel.name for kernel in sources.lists[module]] for module in modules}
    problems = []
    for vendor in vendors:
        if arguments.self_test:
            found, count = SELF_TESTS[vendor](lists)
            print("self-test: %d planted regressions for %s" % (count, vendor))
        else:
            found = AUDITS[vendor](arguments.build, lists)
            print("%s: %d modules, %d kernels" % (vendor, len(modules), sum(len(names) for names in lists.values())))
        problems += found
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
