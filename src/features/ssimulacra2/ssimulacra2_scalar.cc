// SPDX-License-Identifier: BSD-2-Clause-Patent
// The strips of ssimulacra2, value by value: what every vector code must give.
#include "features/ssimulacra2/ssimulacra2_simd.h"

namespace lockstep {
namespace {

i32 ClampIndex(i32 index, i32 length) { return index < 0 ? 0 : index < length ? index : length - 1; }

/// Chroma of a column of luma minus neutral, in eighths: between rows 3 : 1 and between columns 1 : 1, as chroma lies
/// midway between two rows and at even columns. Beyond the plane its last column and row go on.
template <class Sample>
i32 ChromaAt(const Ssimulacra2Picture& picture, i32 plane, i32 x, i32 y) {
  const i32 row = picture.halves_height ? y / 2 : y;
  const i32 neighbour = picture.halves_height ? ClampIndex(y % 2 == 0 ? row - 1 : row + 1, picture.chroma_height) : row;
  const auto quarters = [&](i32 column) {
    const i32 i = ClampIndex(column, picture.chroma_width);
    return 3 * picture.row<Sample>(plane, row)[i] + picture.row<Sample>(plane, neighbour)[i] - 4 * picture.neutral;
  };
  if (!picture.halves_width) return 2 * quarters(x);
  const i32 pair[2] = {quarters(x / 2), quarters(x / 2 + 1)};
  return Ssimulacra2BetweenColumns(pair, x % 2);
}

template <class Sample>
struct ScalarSsimulacra2Rows {
  /// Light of `count` columns of a row of a picture from column `begin` on, which is even.
  static void MakeLight(const Ssimulacra2StripArgs& args, i32 picture_index, i32 y, i32 begin, i32 count,
                        float* /*scratch*/, float* const* light) {
    const Ssimulacra2Picture& picture = args.pictures[static_cast<std::size_t>(picture_index)];
    const Sample* const luma = picture.row<Sample>(0, y);
    for (i32 i = 0; i < count; ++i) {
      const i32 x = begin + i;
      const bool has_chroma = picture.chroma_width != 0;
      const i32 cb = has_chroma ? ChromaAt<Sample>(picture, 1, x, y) : 0;
      const i32 cr = has_chroma ? ChromaAt<Sample>(picture, 2, x, y) : 0;
      const Ssimulacra2Rgb rgb =
          Ssimulacra2LightOf(args.colour, args.transfer, static_cast<float>(luma[x] - picture.black),
                             static_cast<float>(cb), static_cast<float>(cr));
      light[0][i] = rgb.red;
      light[1][i] = rgb.green;
      light[2][i] = rgb.blue;
    }
  }

  /// `count` columns of three lines for each colour plane: the reference, its difference to the distorted picture, and
  /// the sum of their squares.
  static void MakeColour(const float* const* light, i32 count, float* const* colour) {
    for (i32 i = 0; i < count; ++i) {
      const Ssimulacra2Xyb a = Ssimulacra2XybOf({light[0][i], light[1][i], light[2][i]});
      const Ssimulacra2Xyb b = Ssimulacra2XybOf({light[3][i], light[4][i], light[5][i]});
      const auto put = [&](i32 plane, float reference, float distorted) {
        colour[3 * plane][i] = reference;
        colour[3 * plane + 1][i] = reference - distorted;
        colour[3 * plane + 2][i] = reference * reference + distorted * distorted;
      };
      put(0, a.x, b.x);
      put(1, a.y, b.y);
      put(2, a.b, b.b);
    }
  }

  /// `count` means of two by two values; upper and lower are the same row below the picture.
  static void Halve(const float* upper, const float* lower, i32 count, float* out) {
    for (i32 i = 0; i < count; ++i) {
      out[i] = Ssimulacra2Quarter(upper[2 * i], upper[2 * i + 1], lower[2 * i], lower[2 * i + 1]);
    }
  }

  /// For each of two rows four lines of `count` values blurred over nine rows: values, differences, energies and
  /// squared differences.
  static void BlurRows(const Ssimulacra2Window& window, i32 count, float* const* blurred) {
    for (i32 k = 0; k < 2; ++k) {
      for (i32 i = 0; i < count; ++i) {
        const auto difference = [&](i32 row) { return window.difference[k + row][i]; };
        blurred[k][i] = Ssimulacra2Blur([&](i32 row) { return window.value[k + row][i]; });
        blurred[k][kSsimulacra2Line + i] = Ssimulacra2Blur(difference);
        blurred[k][2 * kSsimulacra2Line + i] = Ssimulacra2Blur([&](i32 row) { return window.energy[k + row][i]; });
        blurred[k][3 * kSsimulacra2Line + i] =
            Ssimulacra2Blur([&](i32 row) { return difference(row) * difference(row); });
      }
    }
  }

  /// Errors of `columns` places, from those four lines blurred over nine columns, added to partial sums.
  static void SumErrors(const float* blurred, const float* value, const float* difference, i32 columns,
                        Ssimulacra2PartialSums& partials) {
    partials = {};
    for (i32 x = 0; x < columns; ++x) {
      const auto along = [&](i32 line) {
        return Ssimulacra2Blur([&](i32 i) { return blurred[line * kSsimulacra2Line + x + i]; });
      };
      const Ssimulacra2Errors errors =
          Ssimulacra2ErrorsOf(along(0), along(1), along(2), along(3), value[x], difference[x]);
      const auto j = static_cast<std::size_t>(x % kSsimulacra2Partials);
      partials[0][j] += errors.similarity;
      partials[1][j] += Ssimulacra2Fourth(errors.similarity);
      partials[2][j] += errors.ringing;
      partials[3][j] += Ssimulacra2Fourth(errors.ringing);
      partials[4][j] += errors.blur;
      partials[5][j] += Ssimulacra2Fourth(errors.blur);
    }
  }
};

template <class Sample, bool kIsFirstScale>
void SumStrip(const Ssimulacra2StripArgs& args, Ssimulacra2StripSums& sums) {
  Ssimulacra2StripRun<ScalarSsimulacra2Rows<Sample>>(args, kIsFirstScale).Run(sums);
}

}  // namespace

Ssimulacra2Functions ScalarSsimulacra2(int bit_depth) {
  if (bit_depth == 8) return {&SumStrip<u8, true>, &SumStrip<u8, false>};
  return {&SumStrip<u16, true>, &SumStrip<u16, false>};
}

}  // namespace lockstep
