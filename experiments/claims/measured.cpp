#include "experiments/claims/measured.h"

#include <algorithm>
#include <cmath>

#include "experiments/settings/settings.h"

namespace ordinal::experiments {
namespace {

// The lengths at which a cell was tested.
std::vector<Index> lengths_of(const CellResult& cell) {
  std::vector<Index> lengths;
  for (const LengthScore& score : cell.scores) {
    if (std::ranges::find(lengths, score.length) == lengths.end()) lengths.push_back(score.length);
  }
  return lengths;
}

std::optional<double> value_at(const CellResult& cell, const Quantity& quantity, Index length) {
  const std::string condition = quantity.condition.empty() ? trained_condition : quantity.condition;
  for (const LengthScore& score : cell.scores) {
    if (score.length != length || score.condition != condition) continue;
    const Measurement* measured = score.find(quantity.metric);
    if (measured == nullptr || !std::isfinite(measured->value)) return std::nullopt;
    return measured->value;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Index> lengths_in(const std::string& text, const std::vector<Index>& tested, Index train_length) {
  std::vector<Index> lengths;
  for (const Index length : tested) {
    const bool meant = text == "unseen" ? length > train_length : length == parse_length(text, train_length);
    if (meant) lengths.push_back(length);
  }
  return lengths;
}

const CellResult* Measured::find(const std::string& row, std::uint64_t seed) const {
  const auto is_it = [&](const CellResult& cell) { return cell.row == row && cell.seed == seed; };
  const auto cell = std::ranges::find_if(result_.cells, is_it);
  return cell == result_.cells.end() ? nullptr : &*cell;
}

std::optional<double> Measured::of(const Quantity& quantity, std::uint64_t seed) const {
  const CellResult* cell = find(quantity.row, seed);
  if (cell == nullptr) return std::nullopt;
  const auto learned = has_learned(result_, *cell);
  if (quantity.metric == "learned") return learned ? std::optional(*learned ? 1.0 : 0.0) : std::nullopt;
  if (quantity.metric == "gradient_norm") {
    return std::isfinite(cell->gradient_norm) ? std::optional(cell->gradient_norm) : std::nullopt;
  }
  const std::vector<Index> lengths = lengths_in(quantity.length, lengths_of(*cell), cell->train_length);
  if (lengths.empty()) return std::nullopt;
  const bool past = std::ranges::max(lengths) > cell->train_length;
  if (past && claim_.only_learned && !learned.value_or(true)) return std::nullopt;
  double sum = 0.0;
  for (const Index length : lengths) {
    const auto value = value_at(*cell, quantity, length);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum / static_cast<double>(lengths.size());
}

}  // namespace ordinal::experiments
