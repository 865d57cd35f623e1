# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Code objects for AMD's graphics processors: what their notes, kernel descriptors and instructions say."""
import os
import re
import struct
import subprocess
import tempfile

# Work-items of a wavefront for each architecture.
TARGETS = {"gfx1030": 32, "gfx1100": 32, "gfx90a": 64}
GROUP = 64
LAUNCH_BYTES = 16  # of KernelLaunch, the only argument
CLANG, OBJDUMP, READELF = "clang-15", "llvm-objdump-15", "llvm-readelf-15"

# What Clang makes of a division of 32-bit integers: a reciprocal in binary32 and exact corrections in integers.
INTEGER_DIVISION = {"v_cvt_f32_u32": 1, "v_rcp_iflag_f32": 1, "v_mul_f32": 1, "v_cvt_u32_f32": 1}
FUSED = re.compile(r"\bv_(?:dual_|pk_)?(?:fma|mac|mad_(?!u|i)|madak|madmk|dot2|div_fmas)\w*")
FLOAT = re.compile(r"\bv_\w*_(?:f16|f32|bf16)\b|\bv_cvt_\w*f32\w*")
FORBIDDEN = [(re.compile(pattern), what) for pattern, what in (
    (r"\b\w*_f64\w*", "binary64"),
    (r"\bscratch_\w+|\bbuffer_(?:load|store)\w*", "scratch memory"),
    (r"\bs_swappc\w*|\bs_call\w*", "a call"),
    (r"\bs_(?:setreg|denorm_mode|round_mode)\w*", "another rounding mode"),
    (r"\bds_\w+|\w*_atomic_\w+|\bs_barrier\b|\bv_\w+_dpp\b|\bv_(?:readlane|permlane)\w*",
     "work-items that work together"),
    (r"\bv_(?:mfma|wmma|smfmac)\w*|\bv_(?:sqrt|exp|log|sin|cos|rsq)_f\w+|\bv_rcp_f\w+", "a rough function"),
    (r"<unknown>|\.long\b", "an instruction that the disassembler does not know"))]


class CompiledKernel:
    """vgprs, sgprs: registers of a work-item, of a wavefront; scratch: bytes a work-item, spilled registers too."""

    def __init__(self, note, code):
        def number(key):
            match = re.search(r"^ +\.%s: +(\d+)" % key, note, re.MULTILINE)
            return int(match.group(1)) if match else 0

        self.vgprs, self.sgprs, self.scratch = number("vgpr_count"), number("sgpr_count"), number(
            "private_segment_fixed_size")
        self.spills = number("vgpr_spill_count") + number("sgpr_spill_count")
        self.dynamic_stack = re.search(r"uses_dynamic_stack: +true", note) is not None
        self.local, self.wavefront = number("group_segment_fixed_size"), number("wavefront_size")
        self.arguments, self.group = number("kernarg_segment_size"), number("max_flat_workgroup_size")
        self.parameters = re.findall(r"\.value_kind: +(\w+)", note)
        self.code_bytes, self.lines = code
        self.rounding, self.subnormals = -1, -1  # of binary32, as the descriptor sets them


def run(program, *arguments, **options):
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, **options)
    except FileNotFoundError:
        raise RuntimeError("%s is not installed" % program) from None
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (program, (done.stdout + done.stderr).strip()[-500:]))
    return done.stdout


def symbols(path):
    """{name: (address, bytes)}"""
    text = run(READELF, "--dyn-syms", "-W", path)
    return {m.group(3): (int(m.group(1), 16), int(m.group(2))) for m in
            re.finditer(r"^ +\d+: +([0-9a-f]+) +(\d+) \w+ +GLOBAL +\w+ +\d+ (\S+)$", text, re.MULTILINE)}


def instructions(path, target):
    """{kernel: [line, …]}, without the filling behind its end."""
    text = run(OBJDUMP, "-d", "--no-show-raw-insn", "--mcpu=" + target, path)
    found = {}
    for part in re.split(r"^[0-9a-f]+ <", text, flags=re.MULTILINE)[1:]:
        name, _, body = part.partition(">:")
        lines = [line.split("//")[0].strip() for line in body.splitlines() if line.strip()]
        ends = [i for i, line in enumerate(lines) if line.startswith("s_endpgm")]
        found[name] = lines[:ends[-1] + 1] if ends else lines
    return found


def read_code_object(path, target):
    """{kernel: CompiledKernel}, and the architecture that the notes name; raises RuntimeError."""
    notes = run(READELF, "--notes", path)
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        raise RuntimeError("not a code object")
    named = re.search(r"amdhsa\.target: +\S*--(\w+)", notes)
    places, code = symbols(path), instructions(path, target)
    # Descriptors are in .rodata, whose offset in the file is its address here.
    kernels = {}
    body = notes.split("amdhsa.target:")[0].split("amdhsa.kernels:")[-1]
    for note in re.split(r"^  - (?=\.)", body, flags=re.MULTILINE)[1:]:
        note = "    " + note
        name = re.search(r"^    \.name: +(\S+)", note, re.MULTILINE).group(1)
        kernel = CompiledKernel(note, (places.get(name, (0, 0))[1], code.get(name, [])))
        address = places.get(name + ".kd", (0, 0))[0]
        if address and address + 64 <= len(data):
            mode, = struct.unpack_from("<I", data, address + 48)
            kernel.rounding, kernel.subnormals = mode >> 12 & 3, mode >> 16 & 3
        kernels[name] = kernel
    return kernels, named.group(1) if named else ""


BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
BUNDLE_ID = "hipv4-amdgcn-amd-amdhsa--"


def bundles(data):
    """[{architecture: code object}] of the offload bundles in a file."""
    found, at = [], data.find(BUNDLE)
    while at >= 0:
        number, = struct.unpack_from("<Q", data, at + len(BUNDLE))
        place, bundle = at + len(BUNDLE) + 8, {}
        # The word itself may stand in a program that reads bundles.
        for _ in range(number if number < 64 else 0):
            offset, size, length = struct.unpack_from("<QQQ", data, place)
            name = data[place + 24:place + 24 + length].decode(errors="replace")
            place += 24 + length
            if name.startswith(BUNDLE_ID):
                bundle[name[len(BUNDLE_ID):]] = data[at + offset:at + offset + size]
        found.append(bundle)
        at = data.find(BUNDLE, at + 1)
    return found


def make_bundle(files):
    entries, body = b"", b""
    names = [(BUNDLE_ID + target).encode() for target in files]
    begin = len(BUNDLE) + 8 + sum(24 + len(name) for name in names)
    for name, code in zip(names, files.values()):
        entries += struct.pack("<QQQ", begin + len(body), len(code), len(name)) + name
        body += code
    return BUNDLE + struct.pack("<Q", len(files)) + entries + body


def count(lines, pattern):
    return sum(len(re.findall(pattern, line)) for line in lines)


def audit_kernel(tag, kernel, wavefront, floats, additions):
    """additions: those of a kernel that adds up floats; None: of no interest."""
    problems = []
    if kernel.scratch or kernel.dynamic_stack:
        problems.append("%s: %s bytes of scratch memory a work-item" % (tag, kernel.scratch or "a changing number of"))
    if kernel.spills:
        problems.append("%s: %d registers are spilled" % (tag, kernel.spills))
    if kernel.wavefront != wavefront:
        problems.append("%s: wavefronts of %d, not %d" % (tag, kernel.wavefront, wavefront))
    if kernel.local:
        problems.append("%s: %d bytes of local memory" % (tag, kernel.local))
    if kernel.group != GROUP:
        problems.append("%s: groups of up to %d, not %d" % (tag, kernel.group, GROUP))
    if kernel.parameters != ["by_value"] or kernel.arguments != LAUNCH_BYTES:
        problems.append("%s: its only argument is not a KernelLaunch: %d bytes, %s" %
                        (tag, kernel.arguments, " ".join(kernel.parameters)))
    if kernel.rounding != 0:
        problems.append("%s: binary32 is not rounded to nearest" % tag)
    if kernel.subnormals != 3:
        problems.append("%s: subnormal binary32 values are flushed" % tag)
    if not kernel.lines:
        problems.append("%s: has no instructions" % tag)
    for pattern, what in FORBIDDEN:
        hits = [m.group(0) for line in kernel.lines for m in [pattern.search(line)] if m]
        if hits:
            problems.append("%s: %s: %s" % (tag, what, hits[0]))
    fused = [m.group(0) for line in kernel.lines for m in FUSED.finditer(line) if "_f" in m.group(0)]
    if fused:
        problems.append("%s: %d fused multiply-adds: %s" % (tag, len(fused), fused[0]))
    divisions = count(kernel.lines, r"\bv_rcp_iflag_f32")
    if not floats:
        for name in sorted({re.sub(r"_(?:e32|e64|sdwa)$", "", m.group(0)).replace("v_dual_", "v_")
                            for line in kernel.lines for m in FLOAT.finditer(line)}):
            found = count(kernel.lines, r"\b%s(?:_|\b)" % name.replace("v_", "v_(?:dual_)?"))
            if found != divisions * INTEGER_DIVISION.get(name, 0):
                problems.append("%s: %d %s in a module of integers, %d of them in integer divisions" %
                                (tag, found, name, divisions * INTEGER_DIVISION.get(name, 0)))
    if additions is not None:
        # One instruction may add two pairs.
        found = count(kernel.lines, r"\bv_(?:dual_|pk_)?(?:add|sub|subrev)_f32") + count(kernel.lines, r"\bv_pk_add_f32")
        if found != additions:
            problems.append("%s: %d float additions in a row chain, not %d" % (tag, found, additions))
    return problems


def audit_code_object(module, target, path, kernels, floats, additions):
    """The rules for one code object; kernels: names in the module's list; additions: of those that add up floats."""
    tag, prefix = "module %s for %s" % (module, target), "lockstep_%s_" % module
    try:
        compiled, named = read_code_object(path, target)
    except RuntimeError as error:
        return ["%s: %s" % (tag, error)]
    problems = [] if named == target else ["%s: is made for %s" % (tag, named)]
    problems += ["%s: kernel %s is missing" % (tag, k) for k in kernels if prefix + k not in compiled]
    problems += ["%s: kernel %s is not in the list" % (tag, k) for k in sorted(compiled)
                 if k[len(prefix):] not in kernels or not k.startswith(prefix)]
    for name, kernel in sorted(compiled.items()):
        short = name[len(prefix):] if name.startswith(prefix) else name
        problems += audit_kernel("%s, kernel %s" % (tag, short), kernel, TARGETS[target], floats,
                                 additions.get(short))
    return problems


def compile_source(source, target, output, *flags, include=""):
    """As the build does it, with further flags behind."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.hip")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        run(CLANG, "-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "--no-gpu-bundle-output",
            "--offload-arch=" + target, "-std=c++17", "-O3", "-ffp-contract=off", "-I", include, *flags, path, "-o",
            output)
