# SPDX-License-Identifier: BSD-2-Clause-Patent
"""CUDA modules: what ptxas reports of them, their PTX, their machine code."""
import os
import re
import shutil
import subprocess
import tempfile

from source_audit import ROOT

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100")
# With PTX, for devices that come later.
VIRTUAL = ("sm_75", "sm_100")
# Its machine code is read; the others have the same PTX.
DISASSEMBLED = "sm_90"

BINARY64, FUSED, ROUNDING = "binary64", "a fused multiply-add", "another rounding mode"
ROUGH, FLUSHED, LOCAL = "a rough function", "subnormal values are flushed", "local memory"
# Of machine code. Sources are PTX whose products and sums say .rn, which the assembler does not fuse.
FUSED_CODE, FLUSHED_CODE = "a fused instruction", "an instruction that flushes"
# Tuned kernels that may do what others must not: module, kernel, what, why. An entry that no kernel needs is an error.
EXCEPTIONS = (
    ("vif", r"scale_\w+", (BINARY64, FUSED, FUSED_CODE, ROUNDING, ROUGH, FLUSHED),
     "the statistic of a pixel, which the metric defines in binary64: conversions and floors by adding 2^52, rounded "
     "down; the division is a rough reciprocal, of a number of at least 2^17, and steps of Newton's with fused "
     "operations, whose result is the correctly rounded one"),
    ("speed", r"statistics", (BINARY64,),
     "covariances, which the metric defines as chains of additions in binary64"),
    ("float_motion", r"filter_and_add_\w+", (FUSED_CODE, FLUSHED_CODE),
     "the assembler divides small integers by way of binary32, exactly"),
    ("motion", r"strips_u8", (FUSED, FUSED_CODE, ROUNDING),
     "sums of taps times 8-bit differences are integers below 2^24, which binary32 holds exactly; floor by rounding "
     "down"),
)


class CompiledKernel:
    def __init__(self, registers, stack, local, shared):
        self.registers, self.stack, self.local, self.shared = registers, stack, local, shared


def tool(name):
    """Of the pinned toolkit, else of an installed one."""
    for folder in (os.path.join(ROOT, ".env", "cuda", "bin"), "/usr/local/cuda/bin"):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if not found:
        raise RuntimeError("%s is not installed (tools/install_cuda.sh)" % name)
    return found


def run(name, *arguments):
    # cuobjdump looks for nvdisasm where the shell does.
    path = tool(name)
    environment = {**os.environ, "PATH": os.path.dirname(path) + os.pathsep + os.environ.get("PATH", "")}
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False, env=environment)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (name, (done.stdout + done.stderr).strip()[-500:]))
    return done.stdout


def resources(path):
    """{architecture: {kernel: CompiledKernel}} of a fat binary."""
    found = {}
    for part in re.split(r"^Fatbin elf code:", run("cuobjdump", "--dump-resource-usage", path), flags=re.MULTILINE)[1:]:
        architecture = re.search(r"^arch = (\w+)", part, re.MULTILINE).group(1)
        kernels = found.setdefault(architecture, {})
        for name, line in re.findall(r"^ Function (\S+):\s*\n\s*(REG:.*)$", part, re.MULTILINE):
            figures = {key: int(value) for key, value in re.findall(r"(\w+)(?:\[\d+\])?:(\d+)", line)}
            kernels[name] = CompiledKernel(figures["REG"], figures["STACK"], figures["LOCAL"], figures["SHARED"])
    return found


def reports(text):
    """[(kernel, bytes of stack, spill stores, spill loads)] of ptxas -v, for every kernel and architecture."""
    found, kernel = [], ""
    for line in text.splitlines():
        head = re.search(r"Function properties for (\S+)", line)
        kernel = head.group(1) if head else kernel
        numbers = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if numbers:
            found.append((kernel, *map(int, numbers.groups())))
    return found


def ptx_of(path):
    """{architecture: text} of the PTX in a fat binary."""
    found = {}
    for part in re.split(r"^Fatbin ptx code:", run("cuobjdump", "-ptx", path), flags=re.MULTILINE)[1:]:
        part = re.split(r"^Fatbin elf code:", part, flags=re.MULTILINE)[0]
        found[re.search(r"^arch = (\w+)", part, re.MULTILINE).group(1)] = part
    return found


def entries_of_ptx(text):
    """{kernel: [instruction, …]}; what is outside of kernels is under ""."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    found = {"": []}
    for number, part in enumerate(re.split(r"^(?=(?:\.visible|\.weak|\.extern)?\s*\.(?:entry|func)\b)", text,
                                           flags=re.MULTILINE)):
        head = re.match(r"(?:\.visible|\.weak|\.extern)?\s*\.entry\s+(\w+)", part) if number else None
        lines = [line.strip() for line in part.splitlines() if line.strip()]
        if head:
            found[head.group(1)] = lines
        else:
            found[""] += lines
    return found


PTX_RULES = [(re.compile(pattern), what) for pattern, what in (
    (r"\.local\b", LOCAL),
    (r"\.ftz\b", FLUSHED),
    (r"\.approx\b|\bdiv\.full\b", ROUGH),
    (r"\.(?:rz|rm|rp)(?:\.ftz)?\.f(?:32|64)\b", ROUNDING),
    (r"\bcall\b", "a call"),
    (r"\.f64\b", BINARY64),
    (r"\b(?:fma|mad)\.\w+(?:\.\w+)*\.f(?:16x2|16|32|64)\b|\bfma\.r[nzmp]\b|\bmad\.r[nzmp]\b", FUSED))]
# Conversions that flush are parts of divisions of integers; their operand is at least 1.
SASS_RULES = [(re.compile(pattern), what) for pattern, what in (
    (r"\b(?:LDL|STL)\b", LOCAL),
    (r"\b(?:FADD|FMUL|FSETP|FMNMX|FFMA)[.\w]*\.FTZ\b", FLUSHED_CODE),
    (r"\b(?:DADD|DMUL|DFMA|DSETP|DMNMX)\b|\bMUFU\.\w*64|\b[FI]2[FI][.\w]*\.[FSU]?64\b[.\w]* R\d+, (?!.*FTZ)|"
     r"\bF2F\.F(?:64\.F32|32\.F64)\b", BINARY64),
    (r"\b(?:FFMA|DFMA|HFMA2)\b", FUSED_CODE))]
# Moves of a constant that use the pipe of halves: 0 * 0 + constant.
SASS_MOVE = re.compile(r"HFMA2(?:\.MMA)? R\d+, -RZ, RZ, ")


def machine_code(path):
    """{kernel: [instruction, …]} for the architecture that is read."""
    found = {}
    text = run("cuobjdump", "-sass", "-arch", DISASSEMBLED, path)
    for part in re.split(r"^\s*Function : ", text, flags=re.MULTILINE)[1:]:
        name = part.split("\n", 1)[0].strip()
        found[name] = [m.strip() for m in re.findall(r"/\*[0-9a-f]{4,}\*/\s+([^;]+);", part)]
    return found


def broken_rules(rules, module, kernel, lines, used):
    """[(what, the first line that does it)], without exceptions; `used` collects those."""
    found = []
    for pattern, what in rules:
        hits = [line for line in lines if pattern.search(SASS_MOVE.sub("MOVE ", line))]
        excepted = [e for e in EXCEPTIONS if e[0] == module and re.fullmatch(e[1], kernel) and what in e[2]]
        if hits and excepted:
            used.update((e, what) for e in excepted)
        elif hits:
            found.append((what, hits[0][:80]))
    return found


def unused_exceptions(used, modules):
    return ["module %s, kernel %s: no kernel needs the exception for %s" % (e[0], e[1], what)
            for e in EXCEPTIONS if e[0] in modules for what in e[2] if (e, what) not in used]


def audit_resources(module, found, kernels, architectures):
    """kernels: names that every architecture must have."""
    tag, prefix = "module %s" % module, "lockstep_%s_" % module
    problems = ["%s: has no code for %s" % (tag, a) for a in architectures if a not in found]
    for architecture, compiled in sorted(found.items()):
        here = "%s for %s" % (tag, architecture)
        problems += ["%s: kernel %s is missing" % (here, k) for k in kernels if prefix + k not in compiled]
        for name, kernel in sorted(compiled.items()):
            if not name.startswith(prefix):
                problems.append("%s: kernel %s has a name of another kind" % (here, name))
            if kernel.stack:
                problems.append("%s, kernel %s: %d bytes of stack" % (here, name[len(prefix):], kernel.stack))
            if kernel.local:
                problems.append("%s, kernel %s: %d bytes of local memory" % (here, name[len(prefix):], kernel.local))
    return problems


def audit_tuned(module, found, kernels, host):
    """Kernels beside those of every backend are those that the host's part names, its text being `host`."""
    prefix, problems = "lockstep_%s_" % module, []
    named = set(re.findall(r'"([a-z0-9_]+)"', host)) - {module, "cuda80"}
    for architecture, compiled in sorted(found.items()):
        tuned = {name[len(prefix):] for name in compiled} - set(kernels)
        here = "module %s for %s" % (module, architecture)
        problems += ["%s: kernel %s: nothing launches it" % (here, name) for name in sorted(tuned - named)]
        problems += ["%s: kernel %s is launched and not there" % (here, name) for name in sorted(named - tuned)]
    return problems


def audit_reports(module, text, found):
    """ptxas has reported as many kernels as there are, and no stack and no spill."""
    prefix, problems = "lockstep_%s_" % module, []
    seen = reports(text)
    for name, stack, stores, loads in seen:
        if stack or stores or loads:
            problems.append("module %s, kernel %s: ptxas reports %d bytes of stack, %d + %d bytes of spills" %
                            (module, name[len(prefix):], stack, stores, loads))
    count = sum(len(compiled) for compiled in found.values())
    if len(seen) != count:
        problems.append("module %s: ptxas has reported %d kernels of %d" % (module, len(seen), count))
    return problems


def audit_ptx(module, found, kernels, architectures, used):
    prefix = "lockstep_%s_" % module
    problems = ["module %s: has no PTX for %s" % (module, a) for a in architectures if a not in found]
    for architecture, text in sorted(found.items()):
        entries = entries_of_ptx(text)
        problems += ["module %s, PTX for %s: kernel %s is missing" % (module, architecture, k) for k in kernels
                     if prefix + k not in entries]
        for name, lines in sorted(entries.items()):
            where = "kernel %s, PTX" % name[len(prefix):] if name else "PTX outside of kernels"
            rules = PTX_RULES if name else PTX_RULES + [(re.compile(r"\.func\b"), "a function that is not inlined")]
            problems += ["module %s, %s for %s: %s: %s" % (module, where, architecture, what, line)
                         for what, line in broken_rules(rules, module, name[len(prefix):], lines, used)]
    return problems


def audit_machine_code(module, code, used):
    prefix = "lockstep_%s_" % module
    problems = [] if code else ["module %s: nothing could be disassembled" % module]
    for name, lines in sorted(code.items()):
        problems += ["module %s, kernel %s, %s: %s: %s" % (module, name[len(prefix):], DISASSEMBLED, what, line)
                     for what, line in broken_rules(SASS_RULES, module, name[len(prefix):], lines, used)]
    return problems


def compile_source(source, output, *flags, include=""):
    """A fat binary with code and PTX for the architecture that is read, and ptxas's report."""
    number = DISASSEMBLED[len("sm_"):]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        code = "arch=compute_%s,code=[sm_%s,compute_%s]" % (number, number, number)
        done = subprocess.run([tool("nvcc"), "-fatbin", "-std=c++17", "-fmad=false", "-Xptxas", "-v", "-I", include,
                               *flags, "-gencode", code, path, "-o", output], capture_output=True, text=True,
                              check=False)
    if done.returncode != 0:
        raise RuntimeError("nvcc: %s" % (done.stdout + done.stderr).strip()[-500:])
    return done.stdout + done.stderr
