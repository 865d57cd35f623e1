#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes Metal's source of one module from its kernel headers: what the language wants written, nothing else changes.

  tools/make_metal_source.py MODULE OUTPUT
  tools/make_metal_source.py --table OUTPUT MODULE ...      a C++ source that holds those of several modules

Metal is C++14 with address spaces, without binary64. Kernels have no arrays of their own, so every pointer of theirs is
to device memory; a reference is to the argument block there, or to a variable of the work-item, or becomes a value.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEMPLATE = "src/backend/metal/kernel_module.metal.in"
COPY_KERNELS = "src/backend/metal/copy_kernels.metal"
INCLUDE = re.compile(r'^#include "([^"]+)"\n', re.MULTILINE)

# Argument blocks that a kernel makes for itself, and what it reads and writes in device memory through a reference.
MADE_BLOCKS = ("MotionRowArgs",)
DEVICE_REFERENCES = ("FloatMotionTaps", "BilinearTap", "typename AdmScale<S>::Line")
TYPE = r"(?:typename\s+)?[A-Za-z_]\w*(?:::\w+)*(?:<[^<>;(){}]*>)?(?:::\w+)*"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"[ \t]*//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def flattened(path, seen, read_file):
    """The header with those that it includes in its place, each once, without comments."""
    if path in seen:
        return ""
    seen.add(path)
    text = without_comments(read_file("src/" + path)).replace("#pragma once\n", "")
    return INCLUDE.sub(lambda match: flattened(match.group(1), seen, read_file), text)


def declarations(text):
    """Pieces of a header: declarations of a namespace and preprocessor lines, each with its end."""
    pieces, begin, depth, index = [], 0, 0, 0
    while index < len(text):
        if text[index] == "#" and text[begin:index].strip() == "":
            end = re.compile(r"(?:[^\n]*\\\n)*[^\n]*\n?").match(text, index).end()
            pieces.append(text[begin:end])
            begin = index = end
            continue
        c = text[index]
        if c == "{" and depth == 0 and re.search(r"namespace\s+\w+\s*$", text[begin:index]):
            pieces.append(text[begin:index + 1])
            begin = index + 1
        elif c in "({[":
            depth += 1
        elif c in ")}]":
            if c == "}" and depth == 0:
                pieces.append(text[begin:index + 1])
                begin = index + 1
            depth = max(0, depth - 1)
            # Of a struct or a variable the semicolon is the end.
            open_ended = re.compile(r"\s*;").match(text, index + 1) or "=" in text[begin:index].split("{")[0]
            if c == "}" and depth == 0 and begin <= index and not open_ended:
                pieces.append(text[begin:index + 1])
                begin = index + 1
        elif c == ";" and depth == 0:
            pieces.append(text[begin:index + 1])
            begin = index + 1
        index += 1
    return pieces + [text[begin:]]


def is_left_out(piece):
    """What only the host and devices with binary64 use, and what takes functions as arguments."""
    return not piece.lstrip().startswith("#") and re.search(r"\bdouble\b|\(\*\w+\)\s*\(", piece) is not None


def address_spaces(text):
    def reference(match):
        constness, kind = match.group(1) or "", match.group(2)
        if re.search(r"Args(?:<[^<>]*>)?$", kind) and kind not in MADE_BLOCKS or kind in DEVICE_REFERENCES:
            return "%sdevice %s&" % (constness, kind)
        # A value may come from anywhere, and everything is inlined.
        return constness + kind if constness else "thread %s&" % kind

    text = re.sub(r"(const\s+)?\b(%s)&(?=[\s),])" % TYPE, reference, text)
    return re.sub(r"(const\s+)?\b(%s)\*(?=[\s>)\],])" % TYPE,
                  lambda m: "%sdevice %s*" % (m.group(1) or "", m.group(2)), text)


def translated(text):
    """One declaration or preprocessor line as Metal wants it."""
    text = re.sub(r"\bunsigned long long\b", "unsigned long", text)
    text = re.sub(r"\blong long\b", "long", text)
    text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)ull\b", r"\1ul", text)
    text = re.sub(r"\bif constexpr\b", "if", text)
    text = re.sub(r"\[\[nodiscard\]\]\s*", "", text)
    text = re.sub(r"\binline constexpr\b", "constant constexpr", text)
    text = re.sub(r"\bstatic constexpr (?!LOCKSTEP_KERNEL)", "static constant constexpr ", text)
    text = re.sub(r"\bhalf\b", "half_unit", text)  # a type of Metal's
    text = re.sub(r"\bstatic_assert\((.*)\);", r'static_assert(\1, "");', text)
    return text if text.lstrip().startswith("#include") else address_spaces(text)


def metal_source(module, read_file=read):
    """`read_file` gives the text of a file by its path from the root."""
    header = "features/%s/%s_kernels.h" % (module, module)
    pieces = declarations(flattened(header, set(), read_file))
    kernels = "".join(translated(piece) for piece in pieces if not is_left_out(piece))
    kernels = re.sub(r"\n{3,}", "\n\n", kernels)
    return (read(TEMPLATE).replace("@KERNELS@", kernels.strip() + "\n").replace("@MODULE@", module)
            .replace("@LIST@", "LOCKSTEP_%s_KERNELS" % module.upper()))


def table(modules):
    entries = [(module, metal_source(module)) for module in modules] + [("copy", read(COPY_KERNELS))]
    lines = ["// Made by tools/make_metal_source.py.", '#include "backend/metal/metal_source.h"', "", "namespace lockstep {",
             "namespace {", "", "constexpr MetalSource kSources[] = {"]
    lines += ['    {"%s", R"metal(%s)metal"},' % entry for entry in entries]
    lines += ["};", "", "}  // namespace", "",
              "std::span<const MetalSource> MetalSources() { return kSources; }", "", "}  // namespace lockstep", ""]
    return "\n".join(lines)


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "--table":
        output, text = sys.argv[2], table(sys.argv[3:])
    elif len(sys.argv) == 3:
        output, text = sys.argv[2], metal_source(sys.argv[1])
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
