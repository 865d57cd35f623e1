// SPDX-License-Identifier: BSD-2-Clause-Patent
// Support vector regression with a radial basis function kernel, the one kind that VMAF models use.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lockstep/result.h"

namespace lockstep {

/// Numbers (support vectors x features) that one model file may hold; the largest known one has 27 thousand.
inline constexpr std::size_t kMaximumVectorValues = std::size_t{1} << 22;

struct SupportVectorRegression {
  double gamma = 0.0;
  double rho = 0.0;
  std::size_t feature_count = 0;
  std::vector<double> coefficients;  // [vectors], in file order
  std::vector<double> vectors;       // [vectors][feature_count]; values that a file leaves out are 0

  /// sum of coefficient * exp(-gamma * |x - vector|^2), minus rho
  /// x      [feature_count]
  /// exact  squares added in feature order, terms in file order, correctly rounded exp. A left-out value gives the
  ///        same square as the peer's sparse merge: x - 0 = x.
  [[nodiscard]] double Predict(const double* x) const;
};

/// Reads libsvm's text form.
/// path         names the text in messages
/// value_budget numbers that the support vectors may still take; reduced by what was used
/// errors       kFormat: what is missing, misspelt or out of range, with the number of the support vector
///              kUnsupported: another machine than nu_svr or epsilon_svr, another kernel than rbf
[[nodiscard]] Result<SupportVectorRegression> ParseLibsvmText(std::string_view text, std::size_t feature_count,
                                                              std::string_view path, std::size_t* value_budget);

}  // namespace lockstep
