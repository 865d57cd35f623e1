// SPDX-License-Identifier: BSD-2-Clause-Patent
// The score of ssimulacra2 from the sums of its error maps.
#include "features/ssimulacra2/ssimulacra2_score.h"

#include <cstddef>

#include "exact/elementary.h"

namespace lockstep {
namespace {

/// For each colour plane, scale and norm (mean, then fourth root of the mean fourth power): weights of similarity,
/// ringing and blur.
constexpr double kWeights[] = {0.0,
                               0.0007376606707406586,
                               0.0,
                               0.0,
                               0.0007793481682867309,
                               0.0,
                               0.0,
                               0.0004371155730107379,
                               0.0,
                               1.1041726426657346,
                               0.00066284834129271,
                               0.00015231632783718752,
                               0.0,
                               0.0016406437456599754,
                               0.0,
                               1.8422455520539298,
                               11.441172603757666,
                               0.0,
                               0.0007989109436015163,
                               0.000176816438078653,
                               0.0,
                               1.8787594979546387,
                               10.94906990605142,
                               0.0,
                               0.0007289346991508072,
                               0.9677937080626833,
                               0.0,
                               0.00014003424285435884,
                               0.9981766977854967,
                               0.00031949755934435053,
                               0.0004550992113792063,
                               0.0,
                               0.0,
                               0.0013648766163243398,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               7.466890328078848,
                               0.0,
                               17.445833984131262,
                               0.0006235601634041466,
                               0.0,
                               0.0,
                               6.683678146179332,
                               0.00037724407979611296,
                               1.027889937768264,
                               225.20515300849274,
                               0.0,
                               0.0,
                               19.213238186143016,
                               0.0011401524586618361,
                               0.001237755635509985,
                               176.39317598450694,
                               0.0,
                               0.0,
                               24.43300999870476,
                               0.28520802612117757,
                               0.0004485436923833408,
                               0.0,
                               0.0,
                               0.0,
                               34.77906344483772,
                               44.835625328877896,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0008680556573291698,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0005313191874358747,
                               0.0,
                               0.00016533814161379112,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0,
                               0.0004179171803251336,
                               0.0017290828234722833,
                               0.0,
                               0.0020827005846636437,
                               0.0,
                               0.0,
                               8.826982764996862,
                               23.19243343998926,
                               0.0,
                               95.1080498811086,
                               0.9863978034400682,
                               0.9834382792465353,
                               0.0012286405048278493,
                               171.2667255897307,
                               0.9807858872435379,
                               0.0,
                               0.0,
                               0.0,
                               0.0005130064588990679,
                               0.0,
                               0.00010854057858411537};

/// Below this width or height a scale has no next one.
constexpr int kLeastSize = 8;

}  // namespace

Ssimulacra2Scales MakeSsimulacra2Scales(PlaneSize size) {
  Ssimulacra2Scales scales;
  while (true) {
    scales.sizes[scales.count++] = size;
    if (scales.count == kSsimulacra2Scales || size.width < kLeastSize || size.height < kLeastSize) return scales;
    size = {(size.width + 1) / 2, (size.height + 1) / 2};
  }
}

double Ssimulacra2Score(const Ssimulacra2Scales& scales, std::span<const double> sums) {
  double error = 0.0;
  const double* weight = kWeights;
  for (i32 plane = 0; plane < 3; ++plane) {
    for (i32 scale = 0; scale < scales.count; ++scale) {
      const PlaneSize size = scales.sizes[scale];
      const double share = 1.0 / (static_cast<double>(size.width) * static_cast<double>(size.height));
      const double* const of_plane = &sums[static_cast<std::size_t>((scale * 3 + plane) * kSsimulacra2Sums)];
      for (i32 norm = 0; norm < 2; ++norm) {
        for (i32 map = 0; map < 3; ++map) {
          const double mean = share * of_plane[2 * map + norm];
          error += *weight++ * (norm == 0 ? mean : exact::Sqrt(exact::Sqrt(mean)));
        }
      }
    }
  }
  error *= 0.9562382616834844;
  error = (2.326765642916932 * error - 0.020884521182843837 * error * error) +
          6.248496625763138e-05 * error * error * error;
  if (error <= 0.0) return 100.0;
  return 100.0 - 10.0 * exact::Pow(error, 0.6276336467831387);
}

}  // namespace lockstep
