#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Audits of the source text: include directions, options listed once, what arithmetic headers may use, public headers.

Every audit is a function from {path: text} to a list of problems, so that --self-test can hand it a tree with a
planted fault and see it rejected.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# From the top down; an include may only point down.
ROOMS = ["capi", "api", "report", "parity", "engine", "model", "features", "media", "backend", "lanes", "exact", "base"]

# Libraries from outside, by the room that may use them. Tests may use what they like.
FOREIGN = {"fmt/": {"apps", "capi", "api", "report", "parity", "engine", "model", "features", "media", "backend",
                    "lanes"},
           "nlohmann/": {"report", "model"},
           "CLI/": {"apps"},
           "tbb/": {"engine"}, "oneapi/": {"engine"},
           "libav": {"media"}, "libswscale/": {"media"},
           "hwy/": {"lanes", "features"},
           "sycl/": {"backend"},
           "mpfr.h": set(), "gmp.h": set(), "gtest/": set(), "gmock/": set(), "benchmark/": set()}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
TEST_FILE = re.compile(r"_(test|bench|fuzz)\.cc$|_test\.h$|(^|/)test_\w+\.h$|^tests/")


def strip_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def room_of(path):
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in ("apps", "include", "bindings") else None


def audit_includes(files):
    """Include directions between rooms, and who may use which outside library."""
    problems = []
    for path, text in sorted(files.items()):
        if not path.endswith((".h", ".cc")) or TEST_FILE.search(path):
            continue
        room = room_of(path)
        if room is None:
            continue
        if path.startswith("src/") and room not in ROOMS:
            problems.append("%s: '%s' is not a room" % (path, room))
            continue
        for bracket, name in INCLUDE.findall(strip_comments(text)):
            for prefix, allowed in FOREIGN.items():
                if name.startswith(prefix) and room not in allowed:
                    problems.append("%s: %s may not use <%s>" % (path, room, name))
            if bracket == "<":
                continue
            target = name.split("/")[0]
            if target in ("lockstep", "libvmaf"):
                continue
            if room in ("apps", "bindings"):
                here = "/".join(path.split("/")[:2])
                if "/".join(name.split("/")[:2]) not in (here, "apps/command_line"):
                    problems.append('%s: a program sees only include/, not "%s"' % (path, name))
            elif room == "include":
                problems.append('%s: a public header includes "%s"' % (path, name))
            elif target not in ROOMS:
                problems.append('%s: "%s" is not written from src/' % (path, name))
            elif ROOMS.index(target) < ROOMS.index(room):
                problems.append('%s: "%s" points up (%s is above %s)' % (path, name, target, room))
    return problems


def audit_cmake(files):
    """The same directions in the build: DEPENDS of every lockstep_room()."""
    rank, problems = {}, []
    declarations = []
    for path, text in sorted(files.items()):
        if not path.endswith("CMakeLists.txt") or room_of(path) not in ROOMS:
            continue
        for body in re.findall(r"lockstep_room\(([^)]*)\)", re.sub(r"#[^\n]*", "", text)):
            words = body.split()
            rank[words[0]] = ROOMS.index(room_of(path))
            depends, current = [], None
            for word in words[1:]:
                if word in ("SOURCES", "DEPENDS", "LIBRARIES"):
                    current = word
                elif current == "DEPENDS":
                    depends.append(word)
            declarations.append((path, words[0], depends))
    for path, name, depends in declarations:
        for other in depends:
            if other not in rank:
                problems.append("%s: %s depends on '%s', which is no room" % (path, name, other))
            elif rank[other] < rank[name]:
                problems.append("%s: %s depends on %s, which is above it" % (path, name, other))
    return problems


OPTION_TABLE = re.compile(r"\bOptionSpec \w+\[\]")
OPTION_ROW = re.compile(r'\{\s*"(\w+)",\s*(?:nullptr|"\w+"),\s*OptionType::')


def audit_options(files):
    """One table a metric, in <metric>_options.h; a program or another room never spells an option's name."""
    problems, owners = [], {}
    for path, text in sorted(files.items()):
        if not path.startswith("src/") or TEST_FILE.search(path):
            continue
        names = OPTION_ROW.findall(strip_comments(text))
        if names and not path.endswith("_options.h"):
            problems.append("%s: option rows belong in <metric>_options.h" % path)
        if path.endswith("_options.h"):
            for table in OPTION_TABLE.split(strip_comments(text)):
                rows = OPTION_ROW.findall(table)
                if len(rows) != len(set(rows)):
                    problems.append("%s: an option is listed twice" % path)
            for name in names:
                owners.setdefault(name, set()).add(os.path.dirname(path))
    for path, text in sorted(files.items()):
        if not path.startswith(("src/", "apps/")) or not path.endswith((".h", ".cc")) or TEST_FILE.search(path):
            continue
        for name in set(re.findall(r'"(\w+)"', strip_comments(text))) & set(owners):
            if "_" not in name:  # a plain word such as "debug" may mean something else elsewhere
                continue
            if os.path.dirname(path) not in owners[name]:
                problems.append("%s: spells the option '%s' of %s" % (path, name, ", ".join(sorted(owners[name]))))
    return problems


# Metrics whose reference computes single values in binary64; the arithmetic takes that step as a policy, so that
# devices without binary64 replace it by exact integer forms.
# The ssims, float_vif and float_adm have no kernels; their reference divides, rounds or adds terms in binary64.
BINARY64_POLICY = {"src/features/vif/vif_arithmetic.h", "src/features/adm/adm_arithmetic.h",
                   "src/features/float_ssim/float_ssim_arithmetic.h", "src/features/ssim/ssim_arithmetic.h",
                   "src/features/float_vif/float_vif_arithmetic.h", "src/features/float_adm/float_adm_arithmetic.h"}
# Metrics that are made of elementary functions, and have no kernels.
ELEMENTARY = {"src/features/ciede/ciede_arithmetic.h", "src/features/psnr_hvs/psnr_hvs_arithmetic.h"}
LIBM = ("acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf exp exp10 exp2 expm1 fabs fdim floor fma "
        "fmax fmin fmod frexp hypot ldexp lgamma llrint llround log log10 log1p log2 lrint lround modf nearbyint "
        "nextafter pow remainder rint round scalbn sin sincos sinh sqrt tan tanh tgamma trunc").split()
LIBM_CALL = re.compile(r"(?<![\w.>])(?:std::|::)?(%s)[fl]?\s*\(" % "|".join(LIBM))


# Exact integer forms of what is binary64 elsewhere, for devices without that type.
INTEGER_FORMS = ("exact/soft_binary64.h", "features/vif/vif_gain_integer.h", "features/adm/adm_integer_steps.h")
DEVICE_KERNEL = "features/device/device_kernel.h"


def may_include(path, name):
    """What texts may include that every device compiles: those like themselves."""
    if name == "base/kernel_prelude.h" or name.endswith("_arithmetic.h"):
        return True
    if path in ELEMENTARY and name == "exact/elementary.h":
        return True
    if path.endswith("_kernels.h"):
        return name in INTEGER_FORMS or name == DEVICE_KERNEL or name.endswith("_kernels.h")
    return path[len("src/"):] in INTEGER_FORMS and name in INTEGER_FORMS


def audit_arithmetic(files):
    """*_arithmetic.h, *_kernels.h and what they are made of: device-agnostic. No other includes, no std::, no libm,
    binary64 only as a named policy."""
    problems = []
    for path, text in sorted(files.items()):
        if not (path.endswith(("_arithmetic.h", "_kernels.h")) or path[len("src/"):] in INTEGER_FORMS + (DEVICE_KERNEL,)):
            continue
        code = strip_comments(text)
        for _, name in INCLUDE.findall(code):
            if not may_include(path, name):
                problems.append("%s: includes %s" % (path, name))
        for word in ("std::", "throw ", "new ", "static_cast<long double>", "thread_local", "virtual "):
            if word in code:
                problems.append("%s: uses %s" % (path, word.strip()))
        for match in LIBM_CALL.finditer(code):
            problems.append("%s: calls %s" % (path, match.group(1)))
        if re.search(r"\bdouble\b", code) and path not in BINARY64_POLICY | ELEMENTARY:
            problems.append("%s: binary64, but is not on the list of policies" % path)
    return problems


def audit_score_path(files):
    """No libm by name anywhere below the engine; exact/ has the functions. No global fast-math by pragma either."""
    problems = []
    for path, text in sorted(files.items()):
        if TEST_FILE.search(path) or not path.endswith((".h", ".cc")):
            continue
        if re.search(r"fast-math|FP_CONTRACT\s+ON|float_control|optimize\s*\(", strip_comments(text)):
            problems.append("%s: changes floating-point rules" % path)
        if room_of(path) not in ("features", "model", "exact", "engine", "lanes", "backend"):
            continue
        code = re.sub(r"exact::\w+", "", strip_comments(text))
        for match in re.finditer(r"std::(%s)[fl]?\s*\(" % "|".join(n for n in LIBM if n not in ("fabs", "copysign")), code):
            problems.append("%s: calls std::%s" % (path, match.group(1)))
    return problems


def audit_public_headers(files):
    """Every public header compiles alone, with both compilers."""
    problems = []
    headers = sorted(p for p in files if p.startswith("include/") and p.endswith(".h"))
    with tempfile.TemporaryDirectory() as folder:
        for path in headers:
            full = os.path.join(folder, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(files[path])
        for path in headers:
            for compiler in ("g++", "clang++"):
                source = '#include "%s"\n#include "%s"\nint main() {}\n' % ((path[len("include/"):],) * 2)
                done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I",
                                       os.path.join(folder, "include"), "-x", "c++", "-"], input=source.encode(),
                                      capture_output=True, check=False)
                if done.returncode != 0:
                    first = done.stderr.decode(errors="replace").strip().splitlines()[:2]
                    problems.append("%s: does not compile alone with %s: %s" % (path, compiler, " / ".join(first)))
    return problems


SCALAR_LANE, HIGHWAY_LANE, LANE_TEST = ("src/lanes/" + name for name in
                                        ("scalar_lane.h", "highway_lane-inl.h", "lane_test.cc"))
LANE_OPERATION = re.compile(r"\bLOCKSTEP_LANE\s+[\w:]+\s+(\w+)\(([^{;]*)\)\s*\{")


def lane_operations(text):
    """(name, types of the arguments) for each public operation of a lane."""
    operations = set()
    for name, arguments in LANE_OPERATION.findall(strip_comments(text).split("private:")[0]):
        types = [re.sub(r"\(&\w+\)", "(&)", re.sub(r"\s+\w+$", "", a.strip())) for a in arguments.split(",")]
        operations.add((name, ", ".join(types)))
    return operations


def audit_lanes(files):
    """Both lanes have the same operations, and the test of lanes runs each of them."""
    scalar, highway = (lane_operations(files.get(path, "")) for path in (SCALAR_LANE, HIGHWAY_LANE))
    problems = ["%s(%s) is in only one of %s and %s" % (name, types, SCALAR_LANE, HIGHWAY_LANE)
                for name, types in sorted(scalar ^ highway)]
    if not scalar:
        problems.append("%s: no operations found" % SCALAR_LANE)
    test = strip_comments(files.get(LANE_TEST, ""))
    names = [name for name, _ in scalar | highway]
    for name in sorted(set(names)):
        if len(re.findall(r"\bL::(?:template )?%s\b\s*[(<]" % name, test)) < names.count(name):
            problems.append("%s: does not run every %s of a lane" % (LANE_TEST, name))
    return problems


AUDITS = [audit_includes, audit_cmake, audit_options, audit_arithmetic, audit_score_path, audit_public_headers,
          audit_lanes]

# One clean file each audit must accept, and faults that it must reject.
CLEAN = {
    "src/base/size.h": '#include <vector>\n#include "lockstep/result.h"\n',
    "src/features/toy/toy_options.h": 'inline constexpr OptionSpec k[] = {{"toy_gain", "tg", OptionType::kInt}};\n',
    "src/features/toy/toy.cc": '#include "base/size.h"\n#include "features/toy/toy_options.h"\n'
                               'double F(double v) { return exact::Log10(v) + Get("toy_gain"); }  // std::log10(\n',
    "src/features/toy/toy_arithmetic.h": '#include "base/kernel_prelude.h"\nfloat F(float v) { return v * v; }\n',
    "src/features/toy/toy_kernels.h": '#include "exact/soft_binary64.h"\n#include "features/device/device_kernel.h"\n'
                                      '#include "features/toy/toy_arithmetic.h"\nfloat G(float v) { return F(v); }\n',
    "src/base/CMakeLists.txt": "lockstep_room(base)\n",
    "src/features/CMakeLists.txt": "lockstep_room(features DEPENDS base LIBRARIES fmt::fmt)\n",
    "apps/toy/main.cc": '#include "lockstep/result.h"\n#include <CLI/CLI.hpp>\n',
    "include/lockstep/result.h": "#pragma once\n#include <string>\nstruct Result { std::string text; };\n",
    SCALAR_LANE: "LOCKSTEP_LANE I32 Load(const int* p) { return *p; }\nLOCKSTEP_LANE I16 Load(const short* p) { return *p; }\n"
                 "template <int kShift>\nLOCKSTEP_LANE I32 Shl(I32 x) { return x << kShift; }\n",
    HIGHWAY_LANE: "LOCKSTEP_LANE I32 Load(const int* p) { return A(p); }\nLOCKSTEP_LANE I16 Load(const short* p) {\nB(p); }\n"
                  "LOCKSTEP_LANE I32 Shl(I32 /*x*/) { return C(); }\nprivate: LOCKSTEP_LANE I32 C(I32 x) { return x; }\n",
    LANE_TEST: "put(L::Load(in.x)); put16(L::Load(in.s)); put(L::template Shl<7>(x)); // L::Add(\n",
}
PLANTED = [
    (audit_includes, "src/base/size.h", '#include "engine/run.h"\n'),
    (audit_includes, "src/exact/log.cc", '#include "features/feature.h"\n'),
    (audit_includes, "src/media/reader.cc", '#include "model/model.h"\n'),
    (audit_includes, "src/engine/run.cc", '#include "report/json.h"\n'),
    (audit_includes, "apps/toy/main.cc", '#include "engine/run.h"\n'),
    (audit_includes, "include/lockstep/result.h", '#include "base/size.h"\n'),
    (audit_includes, "src/utils/x.h", "int x;\n"),
    (audit_includes, "src/base/size.h", "#include <fmt/format.h>\n"),
    (audit_includes, "src/model/model.cc", "#include <tbb/task.h>\n"),
    (audit_cmake, "src/base/CMakeLists.txt", "lockstep_room(base DEPENDS features)\n"),
    (audit_cmake, "src/base/CMakeLists.txt", "lockstep_room(base DEPENDS nowhere)\n"),
    (audit_options, "src/features/toy/toy.cc", '{"toy_gain", "tg", OptionType::kInt}\n'),
    (audit_options, "src/features/other/other.cc", 'Get("toy_gain")\n'),
    (audit_options, "apps/toy/main.cc", 'parser.Add("toy_gain")\n'),
    (audit_options, "src/features/toy/toy_options.h",
     '{"toy_gain", "tg", OptionType::kInt}, {"toy_gain", nullptr, OptionType::kInt}\n'),
    (audit_arithmetic, "src/features/toy/toy_arithmetic.h", "#include <cmath>\n"),
    (audit_arithmetic, "src/features/toy/toy_arithmetic.h", "float F(float v) { return std::min(v, 1.0f); }\n"),
    (audit_arithmetic, "src/features/toy/toy_arithmetic.h", "float F(float v) { return sqrtf(v); }\n"),
    (audit_arithmetic, "src/features/toy/toy_arithmetic.h", "float F(double v) { return v; }\n"),
    (audit_arithmetic, "src/features/toy/toy_arithmetic.h", '#include "exact/soft_binary64.h"\n'),
    (audit_arithmetic, "src/features/toy/toy_kernels.h", '#include "features/device/device_program.h"\n'),
    (audit_arithmetic, "src/features/toy/toy_kernels.h", "#include <cstdint>\n"),
    (audit_arithmetic, "src/features/toy/toy_kernels.h", "int F(int v) { return std::max(v, 1); }\n"),
    (audit_arithmetic, "src/features/toy/toy_kernels.h", "float F(float v) { return sqrtf(v); }\n"),
    (audit_arithmetic, "src/features/toy/toy_kernels.h", "double F(int v) { return v; }\n"),
    (audit_arithmetic, "src/exact/soft_binary64.h", "double F(int v) { return v; }\n"),
    (audit_arithmetic, "src/features/vif/vif_gain_integer.h", '#include "features/vif/vif_gain_binary64.h"\n'),
    (audit_arithmetic, "src/features/device/device_kernel.h", "#include <cstdint>\n"),
    (audit_includes, "src/engine/run.cc", "#include <sycl/sycl.hpp>\n"),
    (audit_includes, "src/features/toy/toy.cc", "#include <sycl/queue.hpp>\n"),
    (audit_score_path, "src/features/toy/toy.cc", "double F(double v) { return std::log10(v); }\n"),
    (audit_score_path, "src/model/model.cc", "double F(double v) { return std::exp(v); }\n"),
    (audit_score_path, "src/features/toy/toy.cc", '#pragma GCC optimize ("fast-math")\n'),
    (audit_public_headers, "include/lockstep/result.h", "#pragma once\nstd::string text;\n"),
    (audit_lanes, SCALAR_LANE, CLEAN[SCALAR_LANE] + "LOCKSTEP_LANE I32 Add(I32 x, I32 y) { return x + y; }\n"),
    (audit_lanes, HIGHWAY_LANE, CLEAN[HIGHWAY_LANE].replace("const short*", "const char*")),
    (audit_lanes, HIGHWAY_LANE, CLEAN[HIGHWAY_LANE].replace("Shl(", "Shr(")),
    (audit_lanes, LANE_TEST, "put(L::Load(in.x)); put(L::template Shl<7>(x));\n"),
    (audit_lanes, LANE_TEST, "put(L::Load(in.x)); put16(L::Load(in.s)); // L::template Shl<7>(x)\n"),
]


def self_test():
    failures = []
    for audit in AUDITS:
        problems = audit(CLEAN)
        if problems:
            failures.append("%s rejects a clean tree: %s" % (audit.__name__, problems))
    for audit, path, text in PLANTED:
        if not audit({**CLEAN, path: text}):
            failures.append("%s accepts a planted fault in %s: %s" % (audit.__name__, path, text.strip()))
    print("self-test: %d planted faults" % len(PLANTED))
    return failures


def read_tree():
    files = {}
    for top in ("include", "src", "apps", "bindings"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".h", ".cc")) or name == "CMakeLists.txt":
                    full = os.path.join(folder, name)
                    with open(full, encoding="utf-8") as file:
                        files[os.path.relpath(full, ROOT)] = file.read()
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="see every audit reject a planted fault")
    arguments = parser.parse_args()
    if arguments.self_test:
        problems = self_test()
    else:
        files = read_tree()
        problems = [problem for audit in AUDITS for problem in audit(files)]
        print("%d files, %d audits" % (len(files), len(AUDITS)))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
