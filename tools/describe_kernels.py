#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes docs/kernels.md: what the compilers for Intel's, AMD's and NVIDIA's devices make of every kernel.

  tools/describe_kernels.py [--modules FOLDER] [--build BUILD] [--check]

FOLDER holds the SPIR-V modules, by default those in the repository; BUILD, by default build/release, has the HIP and CUDA
modules. --check writes nothing and fails when the page is not what it would write.
"""
import argparse
import difflib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "contract"))

import amd_compiler  # noqa: E402
import gpu_code_audit  # noqa: E402
import intel_compiler  # noqa: E402
import kernel_audit  # noqa: E402
import nvidia_compiler  # noqa: E402
import spirv_module  # noqa: E402
from kernel_source import FLOAT_MODULES, MODULES, ROW_CHAINS  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "kernels.md")
HEAD = """\
# Kernels

{kernels} kernels in {modules} modules that every backend has, {tuned} more that are tuned for CUDA, and what compilers make of them: Intel's offline compiler (`ocloc` of Debian's intel-opencl-icd
{version}) for {devices}; Clang 15 for AMD's {targets}; NVIDIA's nvcc 13.0 for {architectures}.
**What has run, and where, stands in [backends.md](backends.md)**; this page is what the compilers say of their own output.

`tools/describe_kernels.py` writes this page from the SPIR-V modules in `src/backend/sycl/modules` and the HIP and CUDA modules of a build. `./check --only kernels` fails when the page is stale,
when a SPIR-V module is not what the kernel compiler makes, or when a kernel breaks a rule of `tests/contract/kernel_audit.py` and `gpu_code_audit.py`: no scratch memory, no stack, no spilled
registers, no 64-bit floats, no fused or re-associated additions, no flushed subnormal values, no early return, no private array, the sub-group size of the device: {sub_group} on Intel's, and 16 for
`pvc`, which has no smaller ones (nor have later graphics; the plugin changes the number when it loads a module). Exceptions are listed below.

- *arguments*: bytes of the argument block of one frame, in device memory.
- *registers*, Intel: 32-byte registers that a hardware thread has for this kernel: 128, or 256 at half as many threads. How many of them are in use the compiler does not tell.
- *scratch*: bytes of memory a hardware thread needs for arrays and spilled registers.
- *code*: bytes of machine code.
- AMD: vector registers of a work-item. NVIDIA: registers of a thread. Scratch memory, stack and spills are 0 in all of them.

Exceptions, for kernels tuned for CUDA:

{exceptions}
"""
DEVICE_NAMES = {"acm-g11": "`acm-g11` (Arc A380)", "tgllp": "`tgllp` (graphics of 11th generation Core processors)",
                "pvc": "`pvc` (Data Center GPU Max)"}


def compiler_version():
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "intel-opencl-icd"], capture_output=True, text=True,
                              check=False)
    except FileNotFoundError:
        return "of unknown version"
    return done.stdout if done.returncode == 0 else "of unknown version"


def both(values):
    """One value where the devices agree."""
    texts = [str(v) for v in values]
    return texts[0] if len(set(texts)) == 1 else " / ".join(texts)


def registers_elsewhere(build, module, names):
    """The table for AMD and NVIDIA, and how many kernels are CUDA's alone."""
    prefix = "lockstep_%s_" % module
    amd = []
    for target in amd_compiler.TARGETS:
        path = os.path.join(build, gpu_code_audit.AMD_FOLDER, "%s.%s.co" % (module, target))
        if not os.path.exists(path):
            raise RuntimeError("%s is missing: build with LOCKSTEP_HIP=ON" % path)
        amd.append(amd_compiler.read_code_object(path, target)[0])
    path = os.path.join(build, gpu_code_audit.CUDA_FOLDER, module + ".fatbin")
    if not os.path.exists(path):
        raise RuntimeError("%s is missing: build with LOCKSTEP_CUDA=ON" % path)
    cuda = nvidia_compiler.resources(path)
    newest = cuda[nvidia_compiler.ARCHITECTURES[-1]]
    tuned = [name[len(prefix):] for name in sorted(newest) if name[len(prefix):] not in names]
    lines = ["", "| kernel | %s | %s |" % (" | ".join(amd_compiler.TARGETS), " | ".join(nvidia_compiler.ARCHITECTURES)),
             "|---|%s" % ("--:|" * (len(amd) + len(nvidia_compiler.ARCHITECTURES)))]
    for name in [*names, *tuned]:
        figures = [str(made[prefix + name].vgprs) if name in names else "" for made in amd]
        # Tuned kernels are empty on devices that never run them.
        figures += [str(cuda[a][prefix + name].registers) if name in names or a != "sm_75" else ""
                    for a in nvidia_compiler.ARCHITECTURES]
        lines.append("| `%s` | %s |" % (name, " | ".join(figures)))
    return lines, len(tuned)


def exceptions():
    return "\n".join("- `%s`, `%s`: %s. %s." % (module, kernel, ", ".join(what), reason[0].upper() + reason[1:])
                     for module, kernel, what, reason in nvidia_compiler.EXCEPTIONS)


def describe(folder, build):
    arguments = {(module, name): size for module, name, size in kernel_audit.host_kernels()}
    parts, count, tuned_count = [], 0, 0
    for module in MODULES:
        path = os.path.join(folder, module + ".spv")
        if not os.path.exists(path):
            raise RuntimeError("%s is missing" % path)
        data = kernel_audit.read(path)
        compiled = [intel_compiler.compile_module(path, device) for device in intel_compiler.DEVICES]
        kind = "binary32 and integers" if module in FLOAT_MODULES else "integers only"
        lines = ["\n## %s" % module, "`%s.spv`, %s bytes; %s." % (module, format(len(data), ","), kind), "",
                 "| kernel | arguments | SIMD | registers | scratch | %s |" %
                 " | ".join("code, %s" % device for device in intel_compiler.DEVICES),
                 "|---|--:|--:|--:|--:|%s" % ("--:|" * len(compiled))]
        prefix = spirv_module.prefix(module)
        names = [name for m, name in arguments if m == module]
        if sorted(prefix + name for name in names) != sorted(compiled[0]):
            raise RuntimeError("%s has other kernels than its list" % path)
        for name in names:
            made = [kernels[prefix + name] for kernels in compiled]
            chain = " (row chain)" if name in ROW_CHAINS.get(module, ()) else ""
            figures = [both(k.simd for k in made), both(k.registers for k in made), both(k.scratch for k in made)]
            figures += [format(k.code, ",") for k in made]
            lines.append("| `%s`%s | %d | %s |" % (name, chain, arguments[module, name], " | ".join(figures)))
            count += 1
        table, tuned = registers_elsewhere(build, module, names)
        tuned_count += tuned
        parts.append("\n".join(lines + table) + "\n")
    head = HEAD.format(kernels=count, modules=len(MODULES), tuned=tuned_count, version=compiler_version(),
                       sub_group=spirv_module.SUB_GROUP_SIZE, exceptions=exceptions(),
                       devices=", ".join(DEVICE_NAMES[d] for d in intel_compiler.DEVICES),
                       targets=", ".join("`%s`" % target for target in amd_compiler.TARGETS),
                       architectures=", ".join("`%s`" % a for a in nvidia_compiler.ARCHITECTURES))
    return head + "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", default=kernel_audit.CHECKED_IN)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--check", action="store_true", help="fail when docs/kernels.md is stale")
    arguments = parser.parse_args()
    try:
        text = describe(arguments.modules, arguments.build)
    except RuntimeError as error:
        sys.exit("describe_kernels: %s" % error)
    if not arguments.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    present = ""
    if os.path.exists(PAGE):
        with open(PAGE, encoding="utf-8") as file:
            present = file.read()
    if present == text:
        return 0
    sys.stdout.writelines(difflib.unified_diff(present.splitlines(True), text.splitlines(True), "docs/kernels.md", "now"))
    print("docs/kernels.md is stale: run tools/describe_kernels.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
