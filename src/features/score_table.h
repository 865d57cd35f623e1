// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of a sequence: columns by name in the order of their creation, rows by frame number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

class ScoreTable {
 public:
  /// Frames first … first + count - 1.
  ScoreTable(std::int64_t first, std::int64_t count) : first_(first), count_(count) {}

  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::size_t column_count() const { return columns_.size(); }

  /// Adds a column, or finds the one that has this key already.
  std::size_t AddColumn(std::string_view key) {
    if (const std::optional<std::size_t> found = Find(key)) return *found;
    columns_.push_back({std::string(key), std::vector<double>(static_cast<std::size_t>(count_), 0.0),
                        std::vector<std::uint8_t>(static_cast<std::size_t>(count_), 0)});
    return columns_.size() - 1;
  }
  [[nodiscard]] std::optional<std::size_t> Find(std::string_view key) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].key == key) return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] const std::string& key(std::size_t column) const { return columns_[column].key; }

  /// Frames outside the table are dropped.
  void Put(std::size_t column, std::int64_t frame, double value) {
    if (frame < first_ || frame >= first_ + count_) return;
    columns_[column].values[static_cast<std::size_t>(frame - first_)] = value;
    columns_[column].present[static_cast<std::size_t>(frame - first_)] = 1;
  }
  [[nodiscard]] std::optional<double> Get(std::size_t column, std::int64_t frame) const {
    if (frame < first_ || frame >= first_ + count_) return std::nullopt;
    const auto row = static_cast<std::size_t>(frame - first_);
    if (columns_[column].present[row] == 0) return std::nullopt;
    return columns_[column].values[row];
  }

 private:
  struct Column {
    std::string key;
    std::vector<double> values;
    std::vector<std::uint8_t> present;
  };
  std::int64_t first_;
  std::int64_t count_;
  std::vector<Column> columns_;
};

}  // namespace lockstep
