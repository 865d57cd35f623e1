#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Audits of what was built: no libm on the way to a score, no fused multiply-add, no flag that changes arithmetic.

  tests/contract/binary_audit.py --build build/release [--self-test]
  tests/contract/binary_audit.py --build build/neon --tools aarch64-linux-gnu- [--self-test]
"""
import argparse
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Rooms whose objects can change a score, and the programs themselves.
SCORE_ROOMS = ("base", "exact", "lanes", "backend", "features", "model", "engine")
PROGRAMS = ("bin/vmaf", "bin/lockstep")
LIBRARIES = ("exact", "features", "vif", "model", "engine")
# What a cross build of the metrics has of them.
METRIC_LIBRARIES = ("exact", "features", "vif")

LIBM = set()
for _name in ("acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fdim floor fma fmod "
              "frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nearbyint "
              "nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma "
              "trunc roundeven").split():
    LIBM |= {_name, _name + "f", _name + "l", "__" + _name + "_finite", "__" + _name + "f_finite"}
# Functions with an exact result would be harmless, but none is needed: there are no exceptions.
EXCEPTIONS = set()

FUSED = re.compile(r"\b(vf(n?m(add|sub)|maddsub|msubadd)\w*|fn?m(add|sub)|fml[as])\b")
FORBIDDEN_FLAGS = re.compile(r"^-(ffast-math|Ofast|funsafe-math-optimizations|fassociative-math|freciprocal-math|"
                             r"ffp-contract=(fast|on)|ffp-model=.*|mfma|mfma4|march=native|mtune=native|ffinite-math-only|"
                             r"fsingle-precision-constant|mfpmath=387)$")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Tools:
    """Compiler and binutils of one machine, by their prefix: "" for those of this machine."""

    def __init__(self, prefix):
        self.compiler, self.nm, self.objdump = prefix + "g++", prefix + "nm", prefix + "objdump"
        machine = run(self.compiler, "-dumpmachine").split("-", maxsplit=1)[0]
        self.fusing = {"x86_64": ["-mfma"], "aarch64": []}.get(machine)


def undefined_symbols(tools, path, dynamic=False):
    """(object, symbol) for each symbol that must come from elsewhere."""
    text = run(tools.nm, "-D", "-u", path) if dynamic else run(tools.nm, "-u", "-A", path)
    for line in text.splitlines():
        match = re.match(r"(?:(.*):)?\s*[Uw]\s+(\S+)$", line.strip()) or re.match(r"()\s*[Uw]\s+(\S+)$", line)
        if match:
            yield (match.group(1) or path).strip(), match.group(2).split("@")[0]


def audit_libm(tools, archives, programs):
    problems = []
    for path, dynamic in [(a, False) for a in archives] + [(p, True) for p in programs]:
        for where, symbol in undefined_symbols(tools, path, dynamic):
            if symbol in LIBM - EXCEPTIONS:
                problems.append("%s: needs %s of the C library" % (where, symbol))
    return problems


def audit_fused(tools, files):
    problems = []
    for path in files:
        symbol = ""
        for line in run(tools.objdump, "-d", "--no-show-raw-insn", path).splitlines():
            if line.endswith(">:"):
                symbol = line.split("<", 1)[1][:-2]
            match = FUSED.search(line)
            if match:
                problems.append("%s: %s in %s" % (path, match.group(0), symbol))
                break
    return problems


def audit_flags(commands):
    problems = []
    for entry in commands:
        if os.path.relpath(entry["file"], ROOT).startswith(".."):
            continue
        if entry["file"].endswith(".S"):  # data: the kernel modules of a plugin
            continue
        words = entry.get("arguments") or shlex.split(entry["command"])
        name = os.path.relpath(entry["file"], ROOT)
        for word in words:
            if FORBIDDEN_FLAGS.match(word):
                problems.append("%s: compiled with %s" % (name, word))
        if "-ffp-contract=off" not in words:
            problems.append("%s: compiled without -ffp-contract=off" % name)
    return problems


def self_test(tools):
    """Each audit sees a planted fault, and a clean file passes."""
    failures = []

    def expect(name, problems, faulty):
        if bool(problems) != faulty:
            failures.append("%s: %s" % (name, "a planted fault passes" if faulty else problems))

    sources = {
        "log10": "#include <cmath>\ndouble F(double v) { return std::log10(v); }\n",
        "powf": "#include <cmath>\nfloat F(float v) { return std::pow(v, 1.0f / 3.0f); }\n",
        "fmod": "#include <cmath>\ndouble F(double v) { return std::fmod(v, 3.0); }\n",
        "clean": "double F(double v, double w) { return v * w + 1.0; }\n",
        "fused": "double F(double v, double w) { return v * w + 1.0; }\n",
        "fused_vector": "void F(float* v, const float* w) { for (int i = 0; i < 1024; ++i) v[i] += v[i] * w[i]; }\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            source, target = os.path.join(folder, name + ".cc"), os.path.join(folder, name + ".o")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            is_fused = name.startswith("fused") and tools.fusing is not None
            fused = [*tools.fusing, "-ffp-contract=fast"] if is_fused else []
            subprocess.run([tools.compiler, "-O3", "-ffp-contract=off", *fused, "-c", source, "-o", target], check=True)
            archive = os.path.join(folder, "lib%s.a" % name)
            subprocess.run(["ar", "rc", archive, target], check=True)
            expect("libm " + name, audit_libm(tools, [archive], []), name in ("log10", "powf", "fmod"))
            if tools.fusing is not None:
                expect("fused " + name, audit_fused(tools, [archive]), is_fused)
        program = os.path.join(folder, "program")
        with open(os.path.join(folder, "main.cc"), "w", encoding="utf-8") as file:
            file.write("double F(double);\nint main(int n, char**) { return F(n) > 0; }\n")
        subprocess.run([tools.compiler, os.path.join(folder, "main.cc"), os.path.join(folder, "log10.o"), "-o", program],
                       check=True)
        expect("libm of a program", audit_libm(tools, [], [program]), True)
    file = os.path.join(ROOT, "src", "x.cc")
    for flags, faulty in (("-O3 -ffp-contract=off", False), ("-O3", True), ("-ffp-contract=off -ffast-math", True),
                          ("-ffp-contract=off -mfma", True), ("-ffp-contract=off -ffp-contract=fast", True),
                          ("-Ofast -ffp-contract=off", True)):
        expect("flags " + flags, audit_flags([{"file": file, "command": "g++ %s -c x.cc" % flags}]), faulty)
    print("self-test: done")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--tools", default="", help="prefix of the cross tools of a build of the metrics only")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    tools = Tools(arguments.tools)
    programs, libraries = ((), METRIC_LIBRARIES) if arguments.tools else (PROGRAMS, LIBRARIES)
    if arguments.self_test:
        problems = self_test(tools)
    else:
        archives = sorted(a for room in SCORE_ROOMS
                          for a in glob.glob(os.path.join(arguments.build, "src", room, "**", "*.a"), recursive=True))
        programs = [os.path.join(arguments.build, p) for p in programs]
        present = {os.path.basename(a) for a in archives}
        problems = ["%s is missing" % p for p in programs if not os.path.exists(p)]
        problems += ["liblockstep_%s.a is missing" % a for a in libraries if "liblockstep_%s.a" % a not in present]
        if not problems:
            with open(os.path.join(arguments.build, "compile_commands.json"), encoding="utf-8") as file:
                commands = json.load(file)
            problems = audit_libm(tools, archives, programs) + audit_fused(tools, archives + programs)
            problems += audit_flags(commands)
            print("%d libraries, %d programs, %d compile commands" % (len(archives), len(programs), len(commands)))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
