// SPDX-License-Identifier: BSD-2-Clause-Patent
// The passes over one row of coefficients that float_adm consists of; code for each target has this form.
#pragma once

#include "features/adm/adm_arithmetic.h"
#include "features/float_adm/float_adm_arithmetic.h"
#include "lanes/cpu_target.h"

namespace lockstep {

/// Elements before column 0 and after the last column of a row that a pass may touch.
inline constexpr i32 kFloatAdmMargin = 16;

/// A row of the vertical pass: samples of even and of odd columns apart.
struct FloatAdmSplitRow {
  float* even;
  float* odd;
};

struct FloatAdmWaveletArgs {
  const void* rows[4];  // source rows under the filter's taps
  i32 inputs;           // columns of the source
  i32 outputs;          // (inputs + 1) / 2
  AdmRange columns;     // of the output
  float inverse_scaler;
  FloatAdmSplitRow low;  // scratch
  FloatAdmSplitRow high;
  float* low_band;                 // nullptr: not wanted
  float* details[kFloatAdmBands];  // the first one nullptr: not wanted
};

/// Four coefficients of each column: vertical pass, then horizontal pass.
using FloatAdmWavelet = void (*)(const FloatAdmWaveletArgs& args);

/// Weighted magnitudes of a row and what they add to their neighbours' thresholds.
struct FloatAdmMaskRow {
  float* magnitude[kFloatAdmBands];
  float* mask[kFloatAdmBands];
};

struct FloatAdmDecoupleArgs {
  const float* reference[kFloatAdmBands];
  const float* distorted[kFloatAdmBands];
  AdmRange columns;
  float factors[kFloatAdmBands];
  double gain_limit;
  bool cubed;  // else terms are the magnitudes
  FloatAdmMaskRow impaired;
  FloatAdmMaskRow restored;
  float* terms[kFloatAdmBands];  // of the denominators
};

using FloatAdmDecouple = void (*)(const FloatAdmDecoupleArgs& args);

/// One pass of contrast masking: coefficients of one kind are masked by those of the other.
struct FloatAdmMasking {
  const float* masks[kFloatAdmBands][3];  // FloatAdmMaskRow of the masking kind: the row above, the row, the row below
  const float* maskers[kFloatAdmBands];   // its magnitudes
  const float* masked[kFloatAdmBands];    // magnitudes of the other kind
  float* terms[kFloatAdmBands];           // of the numerators
};

struct FloatAdmMaskArgs {
  FloatAdmMasking passes[2];  // detail loss, additive impairment
  AdmRange columns;
  bool bypass;  // thresholds are zero
  bool cubed;
};

using FloatAdmMask = void (*)(const FloatAdmMaskArgs& args);

/// Raises terms [columns.begin, columns.end) of a row to a power, correctly rounded.
/// in      terms >= 0, 1 <= exponent <= 20
using FloatAdmPower = void (*)(float* terms, AdmRange columns, float exponent);

struct FloatAdmPasses {
  FloatAdmWavelet bytes;   // of 8-bit samples
  FloatAdmWavelet words;   // of 9- to 16-bit samples
  FloatAdmWavelet floats;  // of low bands
  FloatAdmDecouple decouple;
  FloatAdmMask mask;
  FloatAdmPower power;
};

[[nodiscard]] FloatAdmPasses ScalarFloatAdmPasses();

/// Writes the columns beyond the edges that the horizontal pass reads.
LOCKSTEP_KERNEL void FloatAdmMirrorSplitRow(const FloatAdmSplitRow& row, i32 inputs, i32 outputs) {
  row.odd[-1] = row.odd[0];
  if (inputs % 2 == 0) {
    row.even[outputs] = row.odd[outputs - 1];
    return;
  }
  row.odd[outputs - 1] = row.even[outputs - 1];
  row.even[outputs] = row.odd[outputs - 2];
}

}  // namespace lockstep
