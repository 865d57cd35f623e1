# SPDX-License-Identifier: BSD-2-Clause-Patent
"""What Intel's offline compiler makes of a SPIR-V module: registers, scratch memory and code of every kernel."""
import glob
import os
import re
import struct
import subprocess
import tempfile

import spirv_module

# Sub-group size for each: Arc A380, the graphics of an 11th generation Core processor, and Data Center GPU Max, which has
# no sub-groups of 8, as all later ones.
DEVICES = {"acm-g11": 8, "tgllp": 8, "pvc": 16}


class CompiledKernel:
    def __init__(self, simd, registers, scratch, stack_calls, code):
        self.simd, self.registers, self.scratch = simd, registers, scratch  # registers of one hardware thread; bytes
        self.stack_calls, self.code = stack_calls, code


def sections(data):
    """{name: bytes} of a 64-bit ELF file."""
    if data[:5] != b"\x7fELF\x02":
        raise ValueError("not a 64-bit ELF file")
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    found = {}
    for header in headers:
        begin = headers[names][4] + header[0]
        name = data[begin:data.index(b"\0", begin)].decode()
        found[name] = data[header[4]:header[4] + header[5]]
    return found


def read_binary(data):
    """{kernel: CompiledKernel}, from the compiler's own notes."""
    parts = sections(data)
    notes = parts[".ze_info"].decode().split("\nkernels_misc_info:")[0]
    kernels = {}
    for note in re.split(r"\n  - name: +", notes)[1:]:
        name = note.split("\n", 1)[0].strip().strip("'\"")
        if name == "Intel_Symbol_Table_Void_Program":
            continue

        def number(key, text=note):
            match = re.search(r"^ +%s: +(\d+)" % key, text, re.MULTILINE)
            return int(match.group(1)) if match else 0

        scratch = number("spill_size")
        memory = re.search(r"^    per_thread_memory_buffers:\n((?:      .*\n?)+)", note, re.MULTILINE)
        if memory:
            scratch += sum(int(s) for s in re.findall(r"\bsize: +(\d+)", memory.group(1))) or 1
        kernels[name] = CompiledKernel(number("simd_size"), number("grf_count"), scratch,
                                       re.search(r"has_stack_calls: +true", note) is not None,
                                       len(parts.get(".text." + name, b"")))
    return kernels


def run_compiler(*arguments, folder, libraries=""):
    environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
    if libraries:
        environment["LD_LIBRARY_PATH"] = libraries
    try:
        done = subprocess.run(["ocloc", *arguments], capture_output=True, text=True, check=False, env=environment,
                              cwd=folder)
    except FileNotFoundError:
        raise RuntimeError("ocloc is not installed (package intel-opencl-icd)") from None
    if done.returncode != 0:
        raise RuntimeError("ocloc %s: %s" % (arguments[0], (done.stdout + done.stderr).strip()[-500:]))


def compile_to(folder, path, device, container):
    """The path of the binary. container: "allow-zebin" has notes, "disable-zebin" can be disassembled.

    Modules ask for sub-groups of 8; for a device with others the plugin changes the number, and so does this.
    """
    with open(path, "rb") as file:
        data = file.read()
    if DEVICES[device] != spirv_module.SUB_GROUP_SIZE:
        data = spirv_module.with_sub_group_size(data, DEVICES[device])
    path = os.path.join(folder, "input.spv")
    with open(path, "wb") as file:
        file.write(data)
    run_compiler("compile", "-file", path, "-spirv_input", "-device", device, "-internal_options",
                 "-cl-intel-" + container, "-output", "module", "-out_dir", folder, folder=folder)
    binaries = glob.glob(os.path.join(folder, "*.bin"))
    if len(binaries) != 1:
        raise RuntimeError("ocloc for %s made %d binaries" % (device, len(binaries)))
    return binaries[0]


def compile_module(path, device):
    """{kernel: CompiledKernel}; raises RuntimeError with the compiler's words."""
    with tempfile.TemporaryDirectory() as folder:
        with open(compile_to(folder, path, device, "allow-zebin"), "rb") as file:
            return read_binary(file.read())


class MachineCode:
    """Instructions on binary32 in a kernel's disassembly."""

    def __init__(self, text):
        def count(operation):
            return len(re.findall(r"^(?:\([^)]*\))?\s*%s\s*\([^\n]*:f\b" % operation, text, re.MULTILINE))

        self.additions, self.products, self.fused = count("add"), count("mul"), count("(?:mad|mac|dp4a?|lrp)")
        # Where there is no instruction for them, integers are divided through a reciprocal in binary32, which rounds
        # nothing of a score: on Arc with three fused instructions and an addition, on Max without.
        self.reciprocals = count(r"math\.inv")


def disassemble(path, device):
    """{kernel: MachineCode}"""
    with tempfile.TemporaryDirectory() as folder:
        binary = compile_to(folder, path, device, "disable-zebin")
        # ocloc looks for its disassembler by the name that only development packages have.
        libraries, texts = os.path.join(folder, "libraries"), os.path.join(folder, "texts")
        os.mkdir(libraries)
        os.mkdir(texts)
        found = glob.glob("/usr/lib/*/libiga64.so.1")
        if found:
            os.symlink(found[0], os.path.join(libraries, "libiga64.so"))
        run_compiler("disasm", "-file", binary, "-dump", texts, "-device", device, folder=folder, libraries=libraries)
        kernels = {}
        for text in glob.glob(os.path.join(texts, "*_KernelHeap.asm")):
            with open(text, encoding="utf-8") as file:
                kernels[os.path.basename(text)[:-len("_KernelHeap.asm")]] = MachineCode(file.read())
        if not kernels:
            raise RuntimeError("ocloc disassembled nothing for %s (libiga64.so.1 is of package libigc1)" % device)
        return kernels


def audit_machine_code(module, device, code, prefix, additions):
    """No fused multiply-add, and as many additions as {kernel: additions} says, so that no loop has several at a time."""
    problems = []
    for name, kernel in sorted(code.items()):
        short = name[len(prefix):] if name.startswith(prefix) else name
        tag = "module %s, kernel %s: %s" % (module, short, device)
        in_divisions = 0 if device == "pvc" else kernel.reciprocals
        if kernel.fused != 3 * in_divisions:
            problems.append("%s: %d fused multiply-adds, %d of them in integer divisions" %
                            (tag, kernel.fused, 3 * in_divisions))
        if short in additions and kernel.additions != additions[short] + in_divisions:
            problems.append("%s: %d float additions in a row chain, not %d" %
                            (tag, kernel.additions - in_divisions, additions[short]))
    return problems


def audit_compiled(module, device, compiled, kernels, prefix):
    """No scratch memory, no stack calls, the sub-group size that was asked for."""
    problems = ["module %s, kernel %s: %s: the compiler made no such kernel" % (module, k, device)
                for k in kernels if prefix + k not in compiled]
    for name, kernel in sorted(compiled.items()):
        tag = "module %s, kernel %s: %s" % (module, name[len(prefix):] if name.startswith(prefix) else name, device)
        if kernel.scratch:
            problems.append("%s: %d bytes of scratch memory a thread" % (tag, kernel.scratch))
        if kernel.stack_calls:
            problems.append("%s: stack calls" % tag)
        if kernel.simd != DEVICES[device]:
            problems.append("%s: simd_size is %d, not %d" % (tag, kernel.simd, DEVICES[device]))
    return problems
