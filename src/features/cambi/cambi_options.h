// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options of cambi.
#pragma once

#include "features/option_table.h"

namespace lockstep {

inline constexpr OptionSpec kCambiOptions[] = {
    {"cambi_max_val", "cmxv", OptionType::kDouble, OptionEffect::kInName, 1000.0, 0.0, 1000.0,
     "upper limit of every score"},
    {"enc_width", "encw", OptionType::kInt, OptionEffect::kInName, 0, 180, 7680,
     "width at which the picture was encoded; it is resampled down to it (default: no resampling)"},
    {"enc_height", "ench", OptionType::kInt, OptionEffect::kInName, 0, 150, 7680,
     "height at which the picture was encoded"},
    {"enc_bitdepth", "encbd", OptionType::kInt, OptionEffect::kInName, 0, 6, 16,
     "bit depth of the encode (default: that of the picture); below 10 an anti-dithering filter is applied"},
    {"src_width", "srcw", OptionType::kInt, OptionEffect::kInName, 0, 320, 7680,
     "width to which the reference is resampled (default: no resampling)"},
    {"src_height", "srch", OptionType::kInt, OptionEffect::kInName, 0, 200, 4320,
     "height to which the reference is resampled"},
    {"window_size", "ws", OptionType::kInt, OptionEffect::kInName, 65, 15, 127,
     "side of the window at 3840x2160; smaller pictures have smaller ones"},
    {"topk", nullptr, OptionType::kDouble, OptionEffect::kInName, 0.6, 0.0001, 1.0,
     "fraction of the pixels, those with the greatest contrast, that is averaged; before cambi_topk unless 0.6"},
    {"cambi_topk", "ctpk", OptionType::kDouble, OptionEffect::kInName, 0.6, 0.0001, 1.0,
     "fraction of the pixels, those with the greatest contrast, that is averaged"},
    {"tvi_threshold", "tvit", OptionType::kDouble, OptionEffect::kInName, 0.019, 0.0001, 1.0,
     "relative difference of luminance from which on a step is visible"},
    {"cambi_vis_lum_threshold", "vlt", OptionType::kDouble, OptionEffect::kInName, 0.0, 0.0, 300.0,
     "luminance in cd/m2 below which banding is invisible"},
    {"max_log_contrast", "mlc", OptionType::kInt, OptionEffect::kInName, 2, 0, 5,
     "steps of up to 2 to this power 10-bit codes are looked for"},
    {"heatmaps_path", nullptr, OptionType::kString, OptionEffect::kOutputOnly, 0, 0, 0,
     "folder for pictures of the contrast of each pixel, one file a scale"},
    {"heatmaps_format", nullptr, OptionType::kString, OptionEffect::kOutputOnly, 0, 0, 0,
     "gray: one raw file of all frames a scale; png: one file a scale and frame", "gray", "gray png"},
    {"full_ref", nullptr, OptionType::kBool, OptionEffect::kOutputOnly, 0, 0, 1,
     "also score the reference and by how much the distorted picture is worse"},
    {"eotf", nullptr, OptionType::kString, OptionEffect::kInName, 0, 0, 0, "transfer function of the display", "bt1886",
     "bt1886 pq"},
    {"cambi_eotf", "ceot", OptionType::kString, OptionEffect::kInName, 0, 0, 0,
     "transfer function of the display; before eotf unless bt1886", "bt1886", "bt1886 pq"},
    {"cambi_high_res_speedup", "hrs", OptionType::kInt, OptionEffect::kInName, 0, 0, 2160,
     "1080, 1440 or 2160: encodes with at least the pixels of that resolution start at half of their size; other "
     "values do nothing"},
};

}  // namespace lockstep
