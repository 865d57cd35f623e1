// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction, and libsvm's text form: a header of keywords, then one line a support vector.
#include "model/support_vector_regression.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "exact/elementary.h"
#include "model/json_tree.h"
#include "model/number_text.h"

namespace lockstep {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// The next word, or nothing at the end.
std::string_view TakeWord(std::string_view* text, std::string_view separators = kSpace) {
  const std::size_t start = text->find_first_not_of(separators);
  if (start == std::string_view::npos) {
    *text = {};
    return {};
  }
  const std::size_t end = std::min(text->find_first_of(separators, start), text->size());
  const std::string_view word = text->substr(start, end - start);
  text->remove_prefix(end);
  return word;
}

std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

std::optional<std::size_t> ParseCount(std::string_view word) {
  std::size_t count = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  if (error != std::errc() || stop != word.data() + word.size()) return std::nullopt;
  return count;
}

struct Header {
  bool has_type = false;
  bool has_kernel = false;
  std::optional<double> gamma;
  std::optional<double> rho;
  std::optional<std::size_t> total_vectors;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view path) : text_(text), path_(path) {}

  Result<SupportVectorRegression> Parse(std::size_t feature_count, std::size_t* value_budget) {
    Header header;
    if (Status status = ParseHeader(&header); !status.ok()) return std::move(status).error();
    if (!header.has_type) return Fail("svm_type is missing");
    if (!header.has_kernel) return Fail("kernel_type is missing");
    if (!header.gamma) return Fail("gamma is missing");
    if (!header.rho) return Fail("rho is missing");
    if (!header.total_vectors) return Fail("total_sv is missing");

    SupportVectorRegression regression;
    regression.gamma = *header.gamma;
    regression.rho = *header.rho;
    regression.feature_count = feature_count;
    while (!text_.empty()) {
      const std::string_view line = TakeLine(&text_);
      if (line.find_first_not_of(kSpace) == std::string_view::npos) continue;
      // Growth follows the lines that are there, never a count that the header claims.
      if (feature_count > *value_budget) return Fail(fmt::format("more than {} numbers", kMaximumVectorValues));
      *value_budget -= feature_count;
      if (Status status = ParseVector(line, &regression); !status.ok()) return std::move(status).error();
    }
    if (regression.coefficients.size() != *header.total_vectors) {
      return Fail(fmt::format("total_sv says {}, but {} support vectors follow", *header.total_vectors,
                              regression.coefficients.size()));
    }
    if (regression.coefficients.empty()) return Fail("no support vectors");
    return regression;
  }

 private:
  [[nodiscard]] Error Fail(std::string message) const { return FormatError(path_, std::move(message)); }
  [[nodiscard]] Error Unsupported(std::string message) const {
    return Error{ErrorCode::kUnsupported, std::move(message), {}, {}, std::string(path_)};
  }

  Status ParseHeader(Header* header) {
    for (;;) {
      const std::string_view keyword = TakeWord(&text_);
      if (keyword.empty()) return Fail("the line SV is missing");
      if (keyword == "SV") return {};
      if (keyword == "svm_type") {
        const std::string_view type = TakeWord(&text_);
        if (type != "nu_svr" && type != "epsilon_svr") {
          return Unsupported(fmt::format("svm_type {:.40}: only nu_svr and epsilon_svr give a score", type));
        }
        header->has_type = true;
      } else if (keyword == "kernel_type") {
        const std::string_view kernel = TakeWord(&text_);
        if (kernel != "rbf") return Unsupported(fmt::format("kernel_type {:.40}: only rbf is supported", kernel));
        header->has_kernel = true;
      } else if (keyword == "nr_class") {
        // libsvm writes 2 for every regression; it fixes how many rho and probA there are.
        if (TakeWord(&text_) != "2") return Fail("nr_class of a regression must be 2");
      } else if (keyword == "total_sv") {
        const std::string_view word = TakeWord(&text_);
        header->total_vectors = ParseCount(word);
        if (!header->total_vectors) return Fail(fmt::format("total_sv: '{:.40}' is not a count", word));
      } else if (keyword == "gamma" || keyword == "rho" || keyword == "degree" || keyword == "coef0" ||
                 keyword == "probA" || keyword == "probB") {
        const std::string_view word = TakeWord(&text_);
        const std::optional<double> number = ParseFiniteNumber(word);
        if (!number) return Fail(fmt::format("{}: '{:.40}' is not a number", keyword, word));
        if (keyword == "gamma") header->gamma = number;
        if (keyword == "rho") header->rho = number;
      } else if (keyword == "label" || keyword == "nr_sv") {
        TakeWord(&text_);
        TakeWord(&text_);
      } else {
        return Fail(fmt::format("unknown keyword '{:.40}'", keyword));
      }
    }
  }

  Status ParseVector(std::string_view line, SupportVectorRegression* regression) const {
    const std::size_t number = regression->coefficients.size() + 1;
    const auto fail = [&](std::string_view what, std::string_view word) {
      return Fail(fmt::format("support vector {}: '{:.40}' is not {}", number, word, what));
    };
    std::string_view word = TakeWord(&line);
    const std::optional<double> coefficient = ParseFiniteNumber(word);
    if (!coefficient) return fail("a coefficient", word);
    regression->coefficients.push_back(*coefficient);
    const std::size_t row = regression->vectors.size();
    regression->vectors.resize(row + regression->feature_count, 0.0);
    std::size_t previous = 0;
    for (word = TakeWord(&line); !word.empty(); word = TakeWord(&line)) {
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) return fail("index:value", word);
      const std::optional<std::size_t> index = ParseCount(word.substr(0, colon));
      const std::optional<double> value = ParseFiniteNumber(word.substr(colon + 1));
      if (!index || !value) return fail("index:value", word);
      if (*index <= previous || *index > regression->feature_count) {
        return fail(fmt::format("in ascending order with an index from 1 to {}", regression->feature_count), word);
      }
      previous = *index;
      regression->vectors[row + *index - 1] = *value;
    }
    return {};
  }

  std::string_view text_;
  std::string_view path_;
};

}  // namespace

double SupportVectorRegression::Predict(const double* x) const {
  double sum = 0.0;
  const double* vector = vectors.data();
  for (const double coefficient : coefficients) {
    double squared_distance = 0.0;
    for (std::size_t i = 0; i < feature_count; ++i) {
      const double difference = x[i] - vector[i];
      squared_distance += difference * difference;
    }
    sum += coefficient * exact::Exp(-gamma * squared_distance);
    vector += feature_count;
  }
  return sum - rho;
}

Result<SupportVectorRegression> ParseLibsvmText(std::string_view text, std::size_t feature_count, std::string_view path,
                                                std::size_t* value_budget) {
  return Parser(text, path).Parse(feature_count, value_budget);
}

}  // namespace lockstep
