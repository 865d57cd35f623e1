#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Audits that kernels stay within what Metal accepts, where there is no compiler of Metal's.

  tests/contract/metal_audit.py [--modules psnr,motion] [--self-test]

The source that tools/make_metal_source.py makes is compiled as C++14 without extensions and without binary64, with
Metal's words empty; as C++ for OpenCL, whose address spaces are Metal's under other names; and to machine code, which
must be the same as that of the kernel headers. The backend is compiled with a stand-in for Apple's headers.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

from kernel_source import MODULES
from source_audit import ROOT

sys.path.insert(0, os.path.join(ROOT, "tools"))

import make_metal_source  # noqa: E402

CLANG = "clang-15"
STAND_IN = os.path.join(ROOT, "tests", "contract", "metal_stand_in.h")
COMMON = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-attributes", "-Wno-unknown-pragmas",
          "-Wno-unused-const-variable", "-ferror-limit=3"]
STAND_INS = {
    "C++14": (["-x", "c++", "-std=c++14", "-pedantic-errors"], """
#define device
#define thread
#define constant
#define kernel
using uint = unsigned int;
namespace metal {
constexpr int clz(unsigned int) { return 0; }
constexpr long clz(unsigned long) { return 0; }
constexpr float fabs(float value) { return value < 0.0f ? -value : value; }
}  // namespace metal
template <class To, class From>
constexpr To as_type(From) { return To(); }
#pragma GCC poison double half threadgroup bfloat
"""),
    "address spaces": (["-x", "clcpp", "-cl-std=clc++1.0", "-target", "spir64", "-Wno-unused-function",
                        "-Xclang", "-cl-ext=-cl_khr_fp64"], """
#define device __global
#define thread __private
#define constant __constant
#define kernel
namespace metal {
inline int clz(unsigned int) { return 0; }
inline long clz(unsigned long) { return 0; }
inline float fabs(float value) { return value; }
}  // namespace metal
template <class To, class From>
inline To as_type(From) { return To(); }
"""),
}
FORBIDDEN = [(re.compile(pattern), what) for pattern, what in (
    (r"\bstd::", "the standard library"),
    (r"\[[&=\w, ]*\]\s*\([^()]*\)\s*(?:->\s*\w+\s*)?\{", "a lambda"),
    (r"\blong long\b|\d[uU]?[lL]{2}\b|\b__int128\b", "a type that Metal lacks"),
    (r"\w [*&]\w", "a pointer or reference that is written in another way"),
    (r"\b(?:new|delete|virtual|goto|try|throw|catch|typeid|dynamic_cast|thread_local|asm|alloca)\b",
     "a word that Metal lacks"))]
# A declared pointer or reference, or one as an argument of a template, with the words before it.
POINTER = re.compile(r"([\w:<>, ]*?)\b[A-Za-z_][\w:]*(?:<[^<>;(){}]*>)?[*&](?=(?: (?:const )?\w+\s*[,;)=\[])|>\()")


def compile_as(how, source):
    """The compiler's first error, or nothing."""
    flags, stand_in = STAND_INS[how]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "metal_stdlib"), "w", encoding="utf-8") as file:
            file.write(stand_in)
        path = os.path.join(folder, "kernels.metal")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        try:
            done = subprocess.run([CLANG, *flags, *COMMON, "-isystem", folder, path], capture_output=True, text=True,
                                  check=False)
        except FileNotFoundError:
            return "%s is not installed" % CLANG
    if done.returncode == 0:
        return ""
    errors = re.findall(r"error: (.*)", done.stderr)
    return errors[0] if errors else done.stderr.strip()[-200:]


# Entry points for the host in place of Metal's, and its functions as they are.
HOST_WORDS = """
#define device
#define thread
#define constant
#define kernel
using uint = unsigned int;
namespace metal {
inline int clz(unsigned int value) { return __builtin_clz(value); }
inline long clz(unsigned long value) { return __builtin_clzl(value); }
inline float fabs(float value) { return __builtin_fabsf(value); }
}  // namespace metal
"""
ENTRIES = "// The body is called by its name"


def machine_code(source):
    """What Clang makes of it for this machine, at its best; raises RuntimeError."""
    source = re.sub(r"\[\[\w+(?:\(\d+\))?\]\]", "", source).replace("kernel void", 'extern "C" void')
    source = HOST_WORDS + re.sub(r"^#(?:include <metal_stdlib>|pragma|define __builtin).*\n", "", source,
                                 flags=re.MULTILINE)
    done = subprocess.run([CLANG, "-x", "c++", "-std=c++17", "-O2", "-S", "-ffp-contract=off", "-fno-exceptions",
                           "-fno-asynchronous-unwind-tables", "-I", os.path.join(ROOT, "src"), "-", "-o", "-"],
                          input=source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-300:])
    return [line for line in done.stdout.splitlines() if not re.match(r"\s*\.(?:file|ident|addrsig)", line)]


def audit_meaning(module, source):
    """The translation changes what is written and nothing of what it means."""
    header = '#include "features/%s/%s_kernels.h"\n' % (module, module)
    entries = source[source.index(ENTRIES):]
    try:
        made, meant = machine_code(source), machine_code(header + "using namespace lockstep;\n" + entries)
    except RuntimeError as error:
        return ["module %s, for this machine: %s" % (module, error)]
    return [] if made == meant else ["module %s: its Metal source does something else than its header" % module]


def audit_backend():
    """The host's side is C++ and fits the interface of devices."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "Metal"))
        with open(STAND_IN, encoding="utf-8") as file, open(os.path.join(folder, "Metal", "Metal.hpp"), "w",
                                                            encoding="utf-8") as copy:
            copy.write(file.read())
        table = os.path.join(folder, "table.cc")
        with open(table, "w", encoding="utf-8") as file:
            file.write(make_metal_source.table(MODULES))
        for path in [*sorted(glob.glob(os.path.join(ROOT, "src", "backend", "metal", "*.cc"))), table]:
            done = subprocess.run([CLANG, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-isystem",
                                   folder, "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"),
                                   '-DLOCKSTEP_DEVICE_INTERFACE="audit"', path], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                problems.append("%s: %s" % (os.path.relpath(path, ROOT), done.stderr.strip()[:500]))
    return problems


def without_space(source):
    """Pointers and references that name no address space."""
    found = [match.group(0).strip() for line in source.splitlines() for match in POINTER.finditer(line)]
    return [text for text in found if not re.search(r"\b(?:device|thread|constant)\b", text)]


def audit(module, read_file=make_metal_source.read, edit=lambda source: source):
    try:
        source = make_metal_source.metal_source(module, read_file)
    except OSError as error:
        return ["module %s: %s" % (module, error)]
    problems = ["module %s: %s: %s" % (module, what, match.group(0)) for pattern, what in FORBIDDEN
                for match in [pattern.search(source)] if match]
    problems += ["module %s: no address space: %s" % (module, text) for text in without_space(source)]
    for how in STAND_INS:
        error = compile_as(how, source)
        if error:
            problems.append("module %s, as %s: %s" % (module, how, error))
    # What does not compile has no meaning to compare.
    return problems or audit_meaning(module, edit(source))


def audit_copies():
    source = make_metal_source.read(make_metal_source.COPY_KERNELS)
    return ["copies, as %s: %s" % (how, error) for how in STAND_INS for error in [compile_as(how, source)] if error]


PSNR, VIF = "src/features/psnr/psnr_kernels.h", "src/features/vif/vif_kernels.h"
PRELUDE = "src/base/kernel_prelude.h"
SUM, INTO = "u64 sum = 0;\n", "u64 sum = 0;\n  "
PLANTS = [
    ("binary64", PSNR, SUM, INTO + "const u64 more = static_cast<u64>(1.5);\n  const double d = 0; sum += more;\n",
     "use of undeclared identifier 'SquaredErrorKernel'"),
    ("binary64 in a block", PSNR, "i32 stride;  // in", "double scale;\n  i32 stride;  // in", "unknown type name"),
    ("pointer to a variable", PSNR, SUM, INTO + "u64* const mine = &sum;\n  *mine = 1;\n",
     "as address spaces: .*__global"),
    ("device memory as a variable", VIF, "const VifKernelFilter filter = args.filter;\n  const u16* const log_table",
     "VifAddSums(reinterpret_cast<VifSums&>(args.parts[0]), VifSums{});\n"
     "  const VifKernelFilter filter = args.filter;\n  const u16* const log_table", "as address spaces: "),
    ("structured binding", PSNR, SUM, INTO + "const auto [a, b] = VifMeans{};\n", r"as C\+\+14: .*decomposition"),
    ("if with an initialiser", PSNR, SUM, INTO + "if (const u64 a = 1; a > 0) sum += a;\n",
     r"as C\+\+14: .*initialization"),
    ("nested namespace", PSNR, "namespace lockstep {", "namespace lockstep::inner {\n}\nnamespace lockstep {",
     r"as C\+\+14: nested namespace"),
    ("fold expression", PSNR, "struct SquaredErrorArgs", "template <class... T>\nLOCKSTEP_KERNEL i32 Sum(T... t) {\n"
     "  return (t + ...);\n}\nstruct SquaredErrorArgs", r"as C\+\+14: .*fold"),
    ("lambda", PSNR, SUM, INTO + "const auto f = [](u64 a) { return a; };\n  sum = f(sum);\n", "a lambda"),
    ("standard library", PSNR, SUM, INTO + "sum = std::max(sum, sum);\n", "the standard library"),
    ("type that Metal lacks", PSNR, SUM, INTO + "const __int128 wide = 1;\n  sum += wide;\n",
     "a type that Metal lacks"),
    ("reserved name", PSNR, SUM, INTO + "const u64 threadgroup = 1;\n  sum += threadgroup;\n", "poisoned identifier"),
    ("pointer written in another way", PSNR, SUM, INTO + "u64 const *other = args.parts;\n  sum += *other;\n",
     "a pointer or reference that is written in another way: t \\*o"),
    ("pointer that the tool misses", PSNR, SUM, INTO + "decltype(sum)* other = args.parts;\n  sum += *other;\n",
     "as address spaces: cannot initialize"),
]


def self_test(modules):
    failures = ["the tree itself is rejected: %s" % p for m in modules for p in audit(m)]
    for title, path, old, new, expected in PLANTS:
        def planted(name, path=path, old=old, new=new):
            text = make_metal_source.read(name)
            return text.replace(old, new, 1) if name == path else text
        if old not in make_metal_source.read(path):
            failures.append("plant '%s' cannot be applied: %s has changed" % (title, path))
            continue
        problems = audit("vif" if path == VIF else "psnr", planted)
        hits = [p for p in problems if re.search(expected, p)]
        if hits:
            print("rejected: %-32s %s" % (title, hits[0]))
        else:
            failures.append("plant '%s' is accepted, or rejected for another reason: %s" % (title, problems[:3]))
    changed = audit("psnr", edit=lambda source: source.replace("magnitude * magnitude", "magnitude * (magnitude + 1)"))
    if not any("does something else" in problem for problem in changed):
        failures.append("a translation that changes a product is accepted")
    print("self-test: %d planted regressions" % (len(PLANTS) + 1))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", default=",".join(MODULES), help="leave others out")
    parser.add_argument("--self-test", action="store_true", help="see every planted regression rejected")
    arguments = parser.parse_args()
    modules = arguments.modules.split(",")
    problems = self_test(modules) if arguments.self_test else [p for m in modules for p in audit(m)]
    if not arguments.self_test:
        problems += audit_copies() + audit_backend()
        print("metal: %d modules" % len(modules))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
