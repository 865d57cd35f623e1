#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Writes tables.h and tables.cc, the constants of the elementary functions.

Run: python3 generate_tables.py [folder]   (default: the folder of this file)
Needs mpmath (1.3.0 was used). Deterministic: the files in the repository are
exactly what it writes, at any mpmath precision of 1700 bits or more.

Fixed-point names end in the number of fraction bits: kPiQ124 is pi * 2^124.
"""

import pathlib
import sys

from mpmath import atan, floor, log, mp, mpf, nint, pi, sin

mp.prec = 1700

LN2 = log(2)
LOG2_E = 1 / LN2

# From this row of the coarse table on (m >= 1.414), log2 of m is taken as
# 1 + log2(m / 2), so that values just below a power of two do not cancel.
LOG_WRAP_ROW = 53


def log2(x):
    return log(x) / LN2


def fixed(value, fraction_bits):
    """value * 2^fraction_bits, rounded to an integer."""
    return int(nint(value * mpf(2) ** fraction_bits))


def hex64(value):
    return "0x%016xu" % (value % 2**64)


def wide(kind, value):
    """A 128-bit constant (two's complement)."""
    return "Make%s(%s, %s)" % (kind, hex64(value >> 64), hex64(value))


class Writer:
    """Collects declarations for tables.h and definitions for tables.cc."""

    def __init__(self):
        self.header = []
        self.source = []

    def comment(self, text):
        self.header += ["", "// " + text.replace("\n", "\n// ")]

    def constant(self, kind, name, literal):
        self.header.append(
            "inline constexpr %s %s = %s;" % (kind, name, literal))

    def constant64(self, name, value):
        self.constant("uint64_t", name, hex64(value))

    def constant128(self, name, value):
        self.constant("Uint128", name, wide("Uint128", value))

    def array(self, kind, name, literals, per_line):
        self.header.append(
            "extern const %s %s[%d];" % (kind, name, len(literals)))
        self.source += ["", "constexpr %s %s[%d] = {" % (
            kind, name, len(literals))]
        for at in range(0, len(literals), per_line):
            self.source.append(
                "  " + ", ".join(literals[at:at + per_line]) + ",")
        self.source.append("};")

    def array128(self, kind, name, values):
        self.array(kind, name, [wide(kind, v) for v in values], 1)

    def array16(self, name, values):
        self.array("uint16_t", name, [str(v) for v in values], 12)

    def fixed384(self, name, value):
        """A slow-phase constant: 320 fraction bits, truncated."""
        bits = int(floor(value * mpf(2) ** 320))
        limbs = ", ".join(hex64(bits >> (64 * i)) for i in range(6))
        self.constant("Fixed384", name, "{{%s}}" % limbs)


def coarse_reciprocal(row):
    """About 512 / m for the m whose 7 bits after the leading one are `row`."""
    if row == 0:
        return 512  # exactly 1 next to m = 1: log2 must vanish with m - 1
    if row == 127:
        return 256  # exactly 1/2 next to m = 2, for the same reason
    return int(nint(mpf(512) / (1 + (mpf(row) + mpf(1) / 2) / 128)))


def check_reduction(coarse, fine):
    """The bounds of |r1| and |r2| that Log2Quick relies on."""
    largest = max(
        abs(m * r / 512 - 1)
        for i, r in enumerate(coarse)
        for m in (1 + mpf(i) / 128, 1 + mpf(i + 1) / 128))
    assert largest <= mpf(2) ** -7
    largest = max(
        abs((1 + t / 2**13) * r / 2**15 - 1)
        for j, r in zip(range(-64, 65), fine)
        for t in (mpf(j) - mpf(1) / 2, mpf(j) + mpf(1) / 2))
    assert largest < mpf(2) ** mpf("-13.67")


def write_logarithm(out):
    coarse = [coarse_reciprocal(row) for row in range(128)]
    fine = [int(nint(mpf(2) ** 15 / (1 + mpf(j) / 2**13)))
            for j in range(-64, 65)]
    check_reduction(coarse, fine)
    out.comment("Logarithm: reciprocals of the leading bits and minus their"
                " log2. From row\nkLogWrapRow on, the coarse log2 is one less:"
                " it belongs to m / 2.")
    out.constant("unsigned", "kLogWrapRow", "%d" % LOG_WRAP_ROW)
    out.array16("kLogCoarseReciprocalQ9", coarse)
    out.array128("Int128", "kLogCoarseQ116",
                 [fixed(-log2(mpf(r) / 512) - (i >= LOG_WRAP_ROW), 116)
                  for i, r in enumerate(coarse)])
    out.comment("Row 64 + j belongs to 1 + j / 2^13, |j| <= 64.")
    out.array16("kLogFineReciprocalQ15", fine)
    out.array128("Int128", "kLogFineQ116",
                 [fixed(-log2(mpf(r) / 2**15), 116) for r in fine])
    out.comment("log2(e) / k: the series of log2(1 + r).")
    out.constant128("kLog2EQ125", fixed(LOG2_E, 125))
    for k in range(2, 7):
        out.constant64("kLog2EOver%dQ63" % k, fixed(LOG2_E / k, 63))
    out.comment("From log2 to the other bases, and from exp to exp2.")
    out.constant128("kLn2Q128", fixed(LN2, 128))
    out.constant128("kLog10Of2Q129", fixed(LN2 / log(10), 129))
    out.constant128("kLog2EQ126", fixed(LOG2_E, 126))


def write_exponential(out):
    out.comment("Exponential: 2^(i / 128) and 2^(i / 16384).")
    for name, denominator in (("Coarse", 2**7), ("Fine", 2**14)):
        out.array128("Uint128", "kExp%sQ127" % name,
                     [fixed(mpf(2) ** (mpf(i) / denominator), 127)
                      for i in range(128)])
    out.comment("ln(2)^k / k!: the series of 2^r - 1.")
    factorial = 1
    for k in range(1, 6):
        factorial *= k
        out.constant64("kExpTerm%dQ64" % k, fixed(LN2**k / factorial, 64))


def write_trigonometric(out):
    out.comment("Sine of i / 128 quarter turns, and 2 / pi (most significant"
                " first).")
    out.array128("Uint128", "kSineQ126",
                 [fixed(sin(pi / 2 * mpf(i) / 128), 126) for i in range(129)])
    two_over_pi = int(floor(2 / pi * mpf(2) ** (64 * 23)))
    out.array("uint64_t", "kTwoOverPi",
              [hex64(two_over_pi >> (64 * (22 - i))) for i in range(23)], 3)
    out.constant128("kHalfPiQ127", fixed(pi / 2, 127))
    out.comment("1 / k!: the series of sine and cosine.")
    factorial = 2
    for k in range(3, 10):
        factorial *= k
        out.constant64("kInverseFactorial%dQ64" % k,
                       fixed(mpf(1) / factorial, 64))


def write_arctangent(out):
    out.comment("Arctangent of i / 128, and the series 1 / k.")
    out.array128("Uint128", "kArctangentQ124",
                 [fixed(atan(mpf(i) / 128), 124) for i in range(129)])
    out.constant128("kPiQ124", fixed(pi, 124))
    out.constant128("kHalfPiQ124", fixed(pi / 2, 124))
    for k in (3, 5, 7, 9):
        out.constant64("kInverse%dQ64" % k, fixed(mpf(1) / k, 64))


def write_square_root(out):
    out.comment("floor(sqrt(256 * (64 + i))): the first 8 bits of a square"
                " root.")
    out.array("uint8_t", "kSquareRootSeed",
              [str(int(floor(mp.sqrt(256 * i)))) for i in range(64, 256)], 16)


def write_slow_phase(out):
    out.comment("Slow phase.")
    out.fixed384("kSlowLn2", LN2)
    out.fixed384("kSlowLog2E", LOG2_E)
    out.fixed384("kSlowLog10E", 1 / log(10))
    out.fixed384("kSlowLog10Of2", LN2 / log(10))
    out.fixed384("kSlowHalfPi", pi / 2)
    out.fixed384("kSlowPi", pi)


HEADER_START = """\
// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants and table declarations of the elementary functions.
// Generated by generate_tables.py; do not edit.
// clang-format off
#ifndef LOCKSTEP_EXACT_TABLES_H_
#define LOCKSTEP_EXACT_TABLES_H_

#include <cstdint>

#include "exact/fixed_point.h"
#include "exact/wide_integer.h"

namespace lockstep::exact::internal {"""

HEADER_END = """
}  // namespace lockstep::exact::internal

#endif  // LOCKSTEP_EXACT_TABLES_H_
"""

SOURCE_START = """\
// SPDX-License-Identifier: BSD-2-Clause-Patent
// Tables of the elementary functions.
// Generated by generate_tables.py; do not edit.
// clang-format off
#include "exact/tables.h"

namespace lockstep::exact::internal {"""

SOURCE_END = """
}  // namespace lockstep::exact::internal
"""


def main():
    here = pathlib.Path(__file__).resolve().parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    out = Writer()
    write_logarithm(out)
    write_exponential(out)
    write_trigonometric(out)
    write_arctangent(out)
    write_square_root(out)
    write_slow_phase(out)
    (folder / "tables.h").write_text(
        "\n".join([HEADER_START] + out.header + [HEADER_END]))
    (folder / "tables.cc").write_text(
        "\n".join([SOURCE_START] + out.source + [SOURCE_END]))


if __name__ == "__main__":
    main()
