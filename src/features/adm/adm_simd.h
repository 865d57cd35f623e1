// SPDX-License-Identifier: BSD-2-Clause-Patent
// adm's sums by vector instructions: the integers of adm_arithmetic.h, in another order.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/aligned_buffer.h"
#include "base/frame.h"
#include "features/adm/adm_frame.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Line buffers of one scale. A value of 32 bits is kept as two halves, high and (signed) low, wherever a filter reads
/// it; what fits 16 bits is a high half alone. Rows have room on either side: passes work on whole registers.
struct AdmSimdLines {
  i16* low = nullptr;         // low band
  i16* vertical = nullptr;    // vertical results
  void* bands = nullptr;      // detail bands: i16 at scale 0, else i32
  void* parts = nullptr;      // restored detail and additive impairment, likewise
  i32* weighted = nullptr;    // scales 1 … 3: their weighted magnitudes
  i32* neighbours = nullptr;  // their masking terms as one of eight neighbours
  i32* triples = nullptr;     // the same, of three columns
  i32* centres = nullptr;     // their masking terms as the centre, less those as a neighbour
  i32* visible = nullptr;     // what is left of one part above its threshold
  i64 input_stride = 0;       // of vertical results
  i64 stride = 0;             // of everything else

  // A wavelet reads four rows of the scale before, a threshold three. A sum follows one row behind its terms.
  static constexpr i32 kLowRows = 4;
  static constexpr i32 kTripleRows = 4;
  static constexpr i32 kSubjectRows = 2;

  i16* Low(i32 row, i32 picture, i32 half) const {
    return low + (((row & (kLowRows - 1)) * 2 + picture) * 2 + half) * stride;
  }
  i16* Vertical(i32 picture, i32 pass, i32 half) const {
    return vertical + ((picture * 2 + pass) * 2 + half) * input_stride;
  }
  template <class Value>
  Value* Band(i32 picture, i32 band) const {
    return static_cast<Value*>(bands) + (picture * 3 + band) * stride;
  }
  template <class Value>
  Value* Part(i32 row, i32 part, i32 band) const {
    return static_cast<Value*>(parts) + (((row & (kSubjectRows - 1)) * 2 + part) * 3 + band) * stride;
  }
  i32* Weighted(i32 row, i32 part, i32 band) const {
    return weighted + (((row & (kSubjectRows - 1)) * 2 + part) * 3 + band) * stride;
  }
  i32* Visible(i32 band) const { return visible + band * stride; }
  i32* Neighbours(i32 part) const { return neighbours + part * stride; }
  i32* Triples(i32 row, i32 part) const { return triples + ((row & (kTripleRows - 1)) * 2 + part) * stride; }
  i32* Centres(i32 row, i32 part) const { return centres + ((row & (kSubjectRows - 1)) * 2 + part) * stride; }
};

/// Line buffers of one thread; they do not depend on the target.
class AdmSimdBuffers {
 public:
  /// May throw std::bad_alloc.
  explicit AdmSimdBuffers(const std::array<AdmAxis, kAdmScales>& columns);

  [[nodiscard]] const AdmSimdLines& scale(std::size_t s) const { return scales_[s]; }

 private:
  void Lay(const std::array<AdmAxis, kAdmScales>& columns);
  template <class T>
  T* Take(i64 stride, i64 rows);

  AlignedBuffer memory_;
  std::size_t used_ = 0;
  std::array<AdmSimdLines, kAdmScales> scales_;
};

struct AdmSimdArgs {
  const AdmPlan& plan;
  PlaneView pictures[2];
  /// Rows of the last scale, and with them those of the other scales that enter the sums: see AdmBandRows().
  AdmRange band;
  const AdmSimdBuffers& buffers;
  std::span<Fact> facts;
};

/// Sums of a band's rows. Those of bands that make up the picture add up to those of the picture.
/// out     [kAdmFacts]
using AdmSimd = void (*)(const AdmSimdArgs& args);

/// nullptr: there is only the scalar code for this target or these options.
[[nodiscard]] AdmSimd ChooseAdmSimd(CpuTarget target, const AdmPlan& plan);

/// Whether the vector code's narrower integers hold all numbers that these contrast factors lead to.
[[nodiscard]] bool AdmSimdHolds(const AdmCsf& csf);

}  // namespace lockstep
