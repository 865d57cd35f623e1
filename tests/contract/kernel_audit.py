#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Audits of kernels without running them: their sources, the SPIR-V modules, and what Intel's compiler makes of those.

  tests/contract/kernel_audit.py --build build/release [--modules psnr,motion] [--self-test]

--self-test plants regressions in copies of the sources and modules and sees each rejected by name.
"""
import argparse
import copy
import glob
import os
import re
import subprocess
import sys
import tempfile

import intel_compiler
import kernel_plants
import kernel_source
import spirv_module
from kernel_source import FLOAT_MODULES, KERNEL_LIST, MODULES, ORDERED_SUMS, ROW_CHAINS, float_additions
from source_audit import ROOT, read_tree

BUILT_IN = "kernel_modules"
CHECKED_IN = os.path.join(ROOT, "src", "backend", "sycl", "modules")


def modules_in(folder):
    """{module: path}"""
    return {os.path.basename(path)[:-len(".spv")]: path for path in sorted(glob.glob(os.path.join(folder, "*.spv")))}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def audit_data(name, data, kernels):
    """The rules for one module's bytes."""
    try:
        module = spirv_module.Module(data)
    except ValueError as error:
        return ["module %s: %s" % (name, error)]
    return spirv_module.audit_module(name, module, kernels, name in FLOAT_MODULES, ROW_CHAINS.get(name, ()),
                                     ORDERED_SUMS.get(name))


def audit_identity(name, built, checked_in):
    """The module in the repository is what the compiler makes."""
    return [] if built == checked_in else ["module %s: the checked-in one is not what the compiler makes" % name]


def audit_again(name, build, built):
    """The compiler makes the same bytes once more."""
    compiler = os.path.join(build, "tools", "compile_kernels")
    source = os.path.join(build, BUILT_IN, name + ".sycl")
    missing = [path for path in (compiler, source) if not os.path.exists(path)]
    if missing:
        return ["module %s: %s is missing" % (name, " and ".join(missing))]
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "module.spv")
        done = subprocess.run([compiler, "--headers", os.path.join(ROOT, "src"), source, target],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return ["module %s: %s" % (name, done.stderr.strip())]
        return [] if read(target) == built else ["module %s: the compiler makes other bytes now: the build is stale, or "
                                                 "the compiler is not deterministic" % name]


def audit_offline(name, path, kernels):
    problems = []
    for device in intel_compiler.DEVICES:
        try:
            compiled = intel_compiler.compile_module(path, device)
        except RuntimeError as error:
            problems.append("module %s: %s" % (name, error))
            continue
        problems += intel_compiler.audit_compiled(name, device, compiled, kernels, spirv_module.prefix(name))
    return problems


def audit_machine_code(name, path):
    problems = []
    for device in intel_compiler.DEVICES:
        try:
            code = intel_compiler.disassemble(path, device)
        except RuntimeError as error:
            problems.append("module %s: %s" % (name, error))
            continue
        problems += intel_compiler.audit_machine_code(name, device, code, spirv_module.prefix(name),
                                                      float_additions(name))
    return problems


def host_kernels():
    """(module, name, bytes of the arguments of a frame) of KernelList() itself, compiled."""
    program = ('#include <cstdio>\n#include "features/device/kernel_list.h"\nint main() {\n'
               '  for (const auto& kernel : lockstep::KernelList()) {\n'
               '    std::printf("%s %s %zu\\n", kernel.module, kernel.name, kernel.argument_bytes);\n  }\n}\n')
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["g++", "-std=c++20", "-I", os.path.join(ROOT, "src"), "-x", "c++", "-",
                               os.path.join(ROOT, KERNEL_LIST), "-o", os.path.join(folder, "list")],
                              input=program, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError("%s: does not compile: %s" % (KERNEL_LIST, done.stderr.strip()[:300]))
        lines = subprocess.run([os.path.join(folder, "list")], capture_output=True, text=True, check=True).stdout
    return [(m, n, int(b)) for m, n, b in (line.split() for line in lines.splitlines())]


def audit_host_list(sources):
    """KernelList() has the kernels of every module's list, in order."""
    try:
        kernels = host_kernels()
    except RuntimeError as error:
        return [str(error)]
    problems = []
    for module in sources.modules:
        listed = [k.name for k in sources.lists[module]]
        found = [name for m, name, _ in kernels if m == module]
        if found != listed:
            problems.append("KernelList(): %s has %s, its list has %s" % (module, " ".join(found), " ".join(listed)))
    return problems


# ---------------------------------------------------------------------------------------------------------------------
# Planted regressions: each must be rejected, for its own reason.

def plant_source(tree, plant, modules):
    """(problems of the audit with the plant, what went wrong with planting it)"""
    _, module, path, old, new, _ = plant
    if path not in tree:
        return [], "%s does not exist" % path
    if old is None:
        planted = {p: t for p, t in tree.items() if p != path}
    else:
        pattern = old if isinstance(old, re.Pattern) else re.compile(re.escape(old))
        count = len(pattern.findall(tree[path]))
        if count < 1:
            return [], "the text to change is not in %s" % path
        planted = {**tree, path: pattern.sub(lambda _: new, tree[path], count=1)}
    return kernel_source.audit(planted, (module,) if module in modules else ()), ""


def self_test_sources(modules):
    failures, tree = [], read_tree()
    plants = [p for p in kernel_plants.SOURCE_PLANTS if p[1] in modules]
    clean = kernel_source.audit(tree, modules)
    failures += ["the tree itself is rejected: %s" % p for p in clean]
    for plant in plants:
        problems, error = plant_source(tree, plant, modules)
        hits = [p for p in problems if re.search(plant[5], p)]
        if error:
            failures.append("source plant '%s' cannot be applied: %s" % (plant[0], error))
        elif not hits:
            failures.append("source plant '%s' is accepted, or rejected for another reason: %s" %
                            (plant[0], problems[:3]))
        else:
            print("rejected: %-42s %s" % (plant[0], hits[0]))
    return failures, len(plants)


def self_test_modules(paths, sources):
    failures, count = [], 0
    for title, (name, _), change, expected in kernel_plants.MODULE_PLANTS:
        if name not in paths or name not in sources.modules:
            continue
        count += 1
        module = spirv_module.Module(read(paths[name]))
        kernels = [k.name for k in sources.lists[name]]
        if audit_data(name, module.encode(), kernels):
            failures.append("module %s itself is rejected" % name)
        planted = copy.deepcopy(module)
        try:
            change(planted)
        except IndexError:
            failures.append("module plant '%s' cannot be applied: module %s has changed" % (title, name))
            continue
        problems = audit_data(name, planted.encode(), kernels)
        hits = [p for p in problems if re.search(expected, p)]
        if hits:
            print("rejected: %-42s %s" % (title, hits[0]))
        else:
            failures.append("module plant '%s' is accepted, or rejected for another reason: %s" %
                            (title, problems[:3]))
    return failures, count


def self_test_tools(paths):
    """The tools see what they are trusted to see."""
    failures = []
    name = sorted(paths)[0]
    data = read(paths[name])
    plants = []

    with tempfile.TemporaryDirectory() as folder:
        def store(title, content):
            path = os.path.join(folder, title + ".spv")
            with open(path, "wb") as file:
                file.write(content)
            return path

        plants.append(("compiled for sub-groups of 16", "simd_size is 16, not 8",
                       audit_offline(name, store("wide", spirv_module.with_sub_group_size(data, 16)), [])))
        if "float_motion" in paths:
            free = spirv_module.Module(read(paths["float_motion"]))
            free.instructions = [i for i in free.instructions if i[0] != spirv_module.EXECUTION_MODE or
                                 i[2] != spirv_module.MODE_CONTRACTION_OFF]
            for device in intel_compiler.DEVICES:
                plants.append(("products fused by the compiler", "kernel blur5_u8: %s: .* fused multiply-adds" % device,
                               audit_machine_code("float_motion", store("free", free.encode()))))
            chain = spirv_module.Module(read(paths["float_motion"]))
            kernel_plants.plant_second_sum(chain, *kernel_plants.SAD)
            function, _ = kernel_plants.first_kernel(chain, *kernel_plants.SAD)
            sums = [i for i in chain.functions()[function] if i[0] == spirv_module.F_ADD]
            for instruction in chain.functions()[function]:
                if instruction[0] == spirv_module.PHI:
                    instruction[3:] = [sums[1][2] if word == sums[0][2] else word for word in instruction[3:]]
            plants.append(("second addition in the code of a chain", "kernel row_sads: tgllp: 3 float additions",
                           audit_machine_code("float_motion", store("chain", chain.encode()))))
        assembly = kernel_plants.SPILLING.format(prefix=spirv_module.prefix(name))
        path = os.path.join(folder, "spilling.spv")
        done = subprocess.run(["spirv-as", "--target-env", "spv1.4", "-o", path, "-"], input=assembly, text=True,
                              capture_output=True, check=False)
        if done.returncode != 0:
            failures.append("the spilling kernel cannot be assembled: %s" % done.stderr.strip())
        else:
            plants.append(("scratch memory", "kernel spilling: .*scratch memory",
                           audit_offline(name, path, ["spilling"])))
        plants.append(("kernel that the compiler leaves out", "kernel nowhere: acm-g11: the compiler made no such kernel",
                       audit_offline(name, store("plain", data), ["nowhere"])))
        broken = spirv_module.Module(data)
        broken.instructions = [i for i in broken.instructions if i[0] != spirv_module.LABEL]
        plants.append(("module that is not valid", "spirv-val",
                       spirv_module.validate(store("broken", broken.encode()))))
    if "float_motion" in paths:
        module = spirv_module.Module(read(paths["float_motion"]))
        plants.append(("float sum outside the list", "kernel row_sads: float sum that a loop carries",
                       spirv_module.audit_module("float_motion", module, [], True)))
    plants.append(("module of another compiler", "is not what the compiler makes",
                   audit_identity(name, data, data[:-4] + b"\0\0\0\0")))
    plants.append(("module cut short", "ends within an instruction", audit_data(name, data[:-4] + b"\x3b\0\xff\0", [])))
    for title, expected, problems in plants:
        hits = [p for p in problems if re.search(expected, p)]
        if hits:
            print("rejected: %-42s %s" % (title, hits[0].split("\n")[0]))
        else:
            failures.append("plant '%s' is accepted: %s" % (title, problems[:3]))
    return failures, len(plants)


def self_test(paths, modules):
    sources = kernel_source.KernelSources(read_tree(), modules)
    failures, counts = [], []
    for found, count in (self_test_sources(modules), self_test_modules(paths, sources), self_test_tools(paths)):
        failures += found
        counts.append(count)
    print("self-test: %d planted regressions in sources, %d in modules, %d for tools" % tuple(counts))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--modules", default=",".join(MODULES), help="leave others out")
    parser.add_argument("--compiled", action="store_true", help="fail unless this build compiled the modules itself")
    parser.add_argument("--self-test", action="store_true", help="see every planted regression rejected")
    arguments = parser.parse_args()
    modules = tuple(arguments.modules.split(","))
    unknown = set(modules) - set(MODULES)
    if unknown:
        parser.error("unknown modules: %s" % " ".join(sorted(unknown)))
    built, checked_in = modules_in(os.path.join(arguments.build, BUILT_IN)), modules_in(CHECKED_IN)
    paths = {m: built.get(m, checked_in.get(m)) for m in modules if m in built or m in checked_in}
    problems = ["module %s: neither built nor checked in" % m for m in modules if m not in paths]
    if arguments.self_test:
        problems += self_test(paths, modules) if paths else []
    else:
        sources = kernel_source.KernelSources(read_tree(), modules)
        problems += [p for audit in kernel_source.AUDITS for p in audit(sources)] + audit_host_list(sources)
        if set(modules) == set(MODULES):
            problems += ["module %s: %s has no kernels" % (m, path) for found in (built, checked_in)
                         for m, path in found.items() if m not in MODULES]
        kernels = 0
        for name, path in sorted(paths.items()):
            listed = [k.name for k in sources.lists.get(name, [])]
            kernels += len(listed)
            for each in {path, checked_in.get(name, path)}:
                problems += audit_data(name, read(each), listed) + spirv_module.validate(each)
            problems += audit_offline(name, path, listed)
            if name in FLOAT_MODULES:
                problems += audit_machine_code(name, path)
            if name in built:
                if name not in checked_in:
                    problems.append("module %s: not checked in" % name)
                else:
                    problems += audit_identity(name, read(path), read(checked_in[name]))
                problems += audit_again(name, arguments.build, read(path))
        if arguments.compiled:
            problems += ["module %s: not compiled by this build" % m for m in modules if m not in built]
        if not built:
            print("this build has no kernel compiler: the checked-in modules were audited, not compared")
        print("%d modules, %d kernels, for %s" % (len(paths), kernels, " and ".join(intel_compiler.DEVICES)))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
