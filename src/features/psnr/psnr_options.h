// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of psnr.
#pragma once

#include <limits>

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kPsnrOptions[] = {
    {"enable_chroma", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 1, 0, 1,
     "also score Cb and Cr (4:0:0 has none)"},
    {"enable_mse", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write the mean squared error of each plane"},
    {"enable_apsnr", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also write the PSNR of the whole sequence's squared error"},
    {"reduced_hbd_peak", nullptr, OptionType::kBool, OptionEffect::kValueOnly, 0, 0, 1,
     "above 8 bit, use 255 * 2^(depth - 8) instead of 2^depth - 1 as the peak"},
    {"min_sse", nullptr, OptionType::kDouble, OptionEffect::kValueOnly, 0.0, 0.0, std::numeric_limits<double>::max(),
     "when not 0, the cap is the PSNR of this squared error of a plane, rounded up to a whole dB"},
};

}  // namespace lockstep
