#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Repository hygiene: entries at the root, licence and purpose lines, names, scripts that parse, size of tests/."""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAX_ROOT_ENTRIES = 15
MAX_TESTS_BYTES = 6_000_000
LICENCE = "SPDX-License-Identifier: BSD-2-Clause-Patent"
SOURCE = re.compile(r"(\.(cc|h|py|sh|cmake)|(^|/)CMakeLists\.txt|^(start|check|\.ci/run))$")
# The last form is that of texts which are read once for each instruction set.
GUARD = r"^#pragma once$|^#ifndef \w+_H_$|^#if defined\(\w+_H_\) == defined\(HWY_TARGET_TOGGLE\)$"
BAD_NAME = re.compile(r"(^|[/_])(utils?|helpers?|common|misc|impl2)([_./]|$)|_v2\.(cc|h|py)$")
LEFT_OVER = re.compile(r"(\.(orig|rej|bak|swp|tmp|log)|~)$")

COMPILED = re.compile(r"src/backend/sycl/modules/\w+\.spv$")
BINARY = re.compile(COMPILED.pattern + r"|docs/samples/\w+\.mp4$|tests/(clips|data|fuzz_seeds)/")


def audit_root(files):
    entries = sorted({path.split("/")[0] for path in files if not path.startswith(".")})
    if len(entries) > MAX_ROOT_ENTRIES:
        return ["%d entries at the root, at most %d: %s" % (len(entries), MAX_ROOT_ENTRIES, " ".join(entries))]
    return []


def audit_heads(files):
    """The licence in the first lines, then one comment that says what the file is for."""
    problems = []
    for path, text in files.items():
        if not SOURCE.search(path) or not text.strip():
            continue
        lines = text.splitlines()
        if lines[0].startswith("#!"):
            lines = lines[1:]
        if not lines or LICENCE not in lines[0]:
            problems.append("%s: the first line is not the licence" % path)
        elif path.endswith((".h", ".cc")) and not (len(lines) > 1 and lines[1].startswith("//")):
            problems.append("%s: the second line does not say what the file is for" % path)
        elif path.endswith(".h") and not re.search(GUARD, text, re.MULTILINE):
            problems.append("%s: no include guard" % path)
    return problems


def audit_names(files):
    return (["%s: name says nothing" % path for path in files if BAD_NAME.search(path)] +
            ["%s: left over by a merge or an editor" % path for path in files if LEFT_OVER.search(path)])


def audit_sizes(files):
    size = sum(len(text.encode("utf-8", "surrogateescape")) for path, text in files.items() if path.startswith("tests/"))
    return ["tests/ holds %d bytes, at most %d" % (size, MAX_TESTS_BYTES)] if size > MAX_TESTS_BYTES else []


def audit_scripts(files):
    problems = []
    for path, text in files.items():
        if path.endswith(".py"):
            try:
                compile(text, path, "exec")
            except SyntaxError as error:
                problems.append("%s: %s" % (path, error))
        elif path.endswith(".sh") or path in ("start", "check", ".ci/run"):
            done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
            if done.returncode != 0:
                problems.append("%s: %s" % (path, done.stderr.strip()))
    return problems


def audit_binaries(files):
    """Sample clips, fuzzers' seeds and compiled kernels are the only binary files, each kind in its own folder."""
    problems = []
    for path, text in files.items():
        if path.endswith(".spv") and not COMPILED.match(path):
            problems.append("%s: compiled kernels belong in src/backend/sycl/modules" % path)
        elif COMPILED.match(path) and not text.startswith("\x03\x02#\x07"):
            problems.append("%s: is not SPIR-V" % path)
        elif "\0" in text and not BINARY.match(path):
            problems.append("%s: binary" % path)
    return problems


AUDITS = [audit_root, audit_heads, audit_names, audit_sizes, audit_scripts, audit_binaries]
HEAD = "// " + LICENCE + "\n// A toy.\n"
CLEAN = {"src/a.cc": HEAD, "src/a.h": HEAD + "#pragma once\n", "tools/a.py": "#!/usr/bin/env python3\n# " + LICENCE + "\n",
         "src/backend/sycl/modules/toy.spv": "\x03\x02#\x07\0\0\1\0",
         "check": "#!/usr/bin/env bash\n# " + LICENCE + "\necho\n", "README.md": "words\n"}
PLANTED = [(audit_root, {"entry%d" % i: "" for i in range(MAX_ROOT_ENTRIES)}),
           (audit_heads, {"src/a.cc": "int x;\n"}),
           (audit_heads, {"src/a.cc": "// " + LICENCE + "\nint x;\n"}),
           (audit_heads, {"src/a.h": HEAD}),
           (audit_heads, {"check": "#!/usr/bin/env bash\necho\n"}),
           (audit_names, {"src/base/string_utils.h": HEAD}),
           (audit_names, {"src/features/motion_v2.cc": HEAD}),
           (audit_names, {"src/a.cc.orig": HEAD}),
           (audit_sizes, {"tests/big.json": "x" * (MAX_TESTS_BYTES + 1)}),
           (audit_binaries, {"src/features/toy/toy.spv": "\x03\x02#\x07\0\0\1\0"}),
           (audit_binaries, {"tools/toy.spv": ""}),
           (audit_binaries, {"src/backend/sycl/modules/toy.spv": "\x7fELF\0"}),
           (audit_binaries, {"src/backend/sycl/modules/toy.bin": "\x7fELF\0"}),
           (audit_binaries, {"tools/program": "\x7fELF\0"}),
           (audit_scripts, {"tools/a.py": "def f(:\n"}),
           (audit_scripts, {"check": "if true; then\n"})]


def self_test():
    failures = ["%s rejects a clean tree" % audit.__name__ for audit in AUDITS if audit(CLEAN)]
    failures += ["%s accepts a planted fault: %s" % (audit.__name__, list(files)[0])
                 for audit, files in PLANTED if not audit({**CLEAN, **files})]
    print("self-test: %d planted faults" % len(PLANTED))
    return failures


def read_tree():
    """Everything that git tracks or would track."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                          cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit("git could not list the files: " + done.stderr.decode(errors="replace"))
    files = {}
    for path in sorted(set(done.stdout.decode().split("\0")) - {""}):
        full = os.path.join(ROOT, path)
        if os.path.isfile(full):
            with open(full, encoding="utf-8", errors="surrogateescape") as file:
                files[path] = file.read()
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--self-test", action="store_true")
    if parser.parse_args().self_test:
        problems = self_test()
    else:
        files = read_tree()
        problems = [problem for audit in AUDITS for problem in audit(files)]
        print("%d files" % len(files))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
