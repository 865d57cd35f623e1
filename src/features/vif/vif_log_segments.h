// SPDX-License-Identifier: BSD-2-Clause-Patent
// VifLog() without its table: a polynomial on segments of the fraction, in binary32.
#pragma once

namespace lockstep {

/// Polynomials for the table entry of an octave's fraction x = 0 … 32767 / 32768. With y = kSlope[s] * (place of x in
/// segment s, less 1/2) the entry less 30720 is trunc(kBase[s] + y (1 + y (k2 + y (k3 + …)))), where kTerms are k2, k3
/// … and each operation of Horner's scheme is rounded to binary32. origin  y is 2048 log2(e) times the relative
/// distance from the middle of the segment, to which the logarithm's series
///         gives the terms. kSlope was moved by up to 3e-5 of its size, and kBase to the middle of what is left, until
///         all entries of a segment came out right with the largest margin; that is at least 8e-5 on either side
template <int kSegments>
struct VifLogSegments;

template <>
struct VifLogSegments<4> {
  static constexpr int kBits = 2;
  static constexpr float kTerms[] = {-0.000169225386f, 3.8182975e-08f, -9.69229298e-12f, 2.62429124e-15f,
                                     -7.4016116e-19f};
  alignas(64) static constexpr float kSlope[] = {656.586487f, 537.207336f, 454.558472f, 393.952026f};
  alignas(64) static constexpr float kBase[] = {348.507416f, 941.416748f, 1435.00195f, 1857.81311f};
};

template <>
struct VifLogSegments<8> {
  static constexpr int kBits = 3;
  static constexpr float kTerms[] = {-0.000169225386f, 3.8182975e-08f, -9.69229298e-12f};
  alignas(64) static constexpr float kSlope[] = {347.60498f,  311.014526f, 281.39447f,  256.925293f,
                                                 236.371414f, 218.861145f, 203.768845f, 190.621994f};
  alignas(64) static constexpr float kBase[] = {179.624969f, 508.256561f, 803.966858f, 1072.75574f,
                                                1319.11877f, 1546.51074f, 1757.64612f, 1954.69519f};
};

template <>
struct VifLogSegments<16> {
  static constexpr int kBits = 4;
  static constexpr float kTerms[] = {-0.000169225386f, 3.8182975e-08f};
  alignas(64) static constexpr float kSlope[] = {
      179.068924f, 168.836136f, 159.709534f, 151.51622f,  144.13092f,  137.424225f, 131.315536f, 125.730263f,
      120.599365f, 115.868423f, 111.495972f, 107.441307f, 103.669975f, 100.157684f, 96.871582f,  93.7963638f};
  alignas(64) static constexpr float kBase[] = {
      91.4201431f, 265.272614f, 429.461273f, 585.004028f, 732.766296f, 873.490845f, 1007.81635f, 1136.29883f,
      1259.427f,   1377.62842f, 1491.28247f, 1600.72559f, 1706.26013f, 1808.15405f, 1906.651f,   2001.97095f};
};

}  // namespace lockstep
