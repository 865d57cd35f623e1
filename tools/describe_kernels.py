#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes docs/kernels.md: what Intel's offline compiler makes of every kernel.

  tools/describe_kernels.py [--modules FOLDER] [--check]

FOLDER holds the SPIR-V modules, by default those in the repository. --check writes nothing and fails when the page is
not what it would write.
"""
import argparse
import difflib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "contract"))

import intel_compiler  # noqa: E402
import kernel_audit  # noqa: E402
import spirv_module  # noqa: E402
from kernel_source import FLOAT_MODULES, MODULES, ROW_CHAINS  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "kernels.md")
HEAD = """\
# Kernels

{kernels} kernels in {modules} SPIR-V modules, and what Intel's offline compiler (`ocloc` of Debian's intel-opencl-icd {version}) makes of them for three devices: {devices}.
**Nothing on this page has run on such a device**: it is what the compiler says of its own output.

`tools/describe_kernels.py` writes this page from the modules in `src/backend/sycl/modules`. `./check --only kernels` fails when the page is stale, when a module is not what the kernel compiler
makes, or when a kernel breaks a rule of `tests/contract/kernel_audit.py`: no scratch memory, no stack calls, no 64-bit floats, no fused or re-associated additions, no early return, no private
array, the sub-group size of the device: {sub_group}, and 16 for `pvc`, which has no smaller ones (nor have later graphics; the plugin changes the number when it loads a module).

- *arguments*: bytes of the argument block of one frame, in device memory.
- *registers*: 32-byte registers that a hardware thread has for this kernel: 128, or 256 at half as many threads. How many of them are in use the compiler does not tell.
- *scratch*: bytes of memory a hardware thread needs for arrays and spilled registers.
- *code*: bytes of machine code.
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


def describe(folder):
    arguments = {(module, name): size for module, name, size in kernel_audit.host_kernels()}
    parts, count = [], 0
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
        parts.append("\n".join(lines) + "\n")
    head = HEAD.format(kernels=count, modules=len(MODULES), version=compiler_version(), sub_group=spirv_module.SUB_GROUP_SIZE,
                       devices=" and ".join(DEVICE_NAMES[d] for d in intel_compiler.DEVICES))
    return head + "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", default=kernel_audit.CHECKED_IN)
    parser.add_argument("--check", action="store_true", help="fail when docs/kernels.md is stale")
    arguments = parser.parse_args()
    try:
        text = describe(arguments.modules)
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
