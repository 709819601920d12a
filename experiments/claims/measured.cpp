#include "experiments/claims/measured.h"

#include <fmt/format.h>

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

Reading none(const Quantity& quantity, const std::string& why) {
  return {std::nullopt, fmt::format("“{}” {}", quantity.row, why)};
}

Reading value_at(const CellResult& cell, const Quantity& quantity, Index length) {
  const std::string condition = quantity.condition.empty() ? trained_condition : quantity.condition;
  for (const LengthScore& score : cell.scores) {
    if (score.length != length || score.condition != condition) continue;
    if (score.failed) return none(quantity, fmt::format("cannot run at {}", length));
    const Measurement* measured = score.find(quantity.metric);
    if (measured != nullptr && std::isfinite(measured->value)) return {measured->value};
    return none(quantity, fmt::format("has no finite {} at {}", quantity.metric, length));
  }
  return none(quantity, fmt::format("was not scored at {}", length));
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

Reading reading(const Quantity& quantity, const Claim& claim, const ExperimentResult& result,
                std::uint64_t seed) {
  const auto cell = std::ranges::find_if(
      result.cells, [&](const CellResult& one) { return one.row == quantity.row && one.seed == seed; });
  if (cell == result.cells.end()) return none(quantity, "was not trained");
  const auto learned = has_learned(result, *cell);
  if (quantity.metric == "learned") {
    return learned ? Reading{*learned ? 1.0 : 0.0} : none(quantity, "has no criterion of learning");
  }
  if (quantity.metric == "gradient_norm") {
    const bool is_known = std::isfinite(cell->gradient_norm);
    return is_known ? Reading{cell->gradient_norm} : none(quantity, "has no mean norm of its gradient");
  }
  const std::vector<Index> lengths = lengths_in(quantity.length, lengths_of(*cell), cell->train_length);
  if (lengths.empty()) return none(quantity, "was not scored at " + quantity.length);
  const bool past = std::ranges::max(lengths) > cell->train_length;
  if (past && claim.only_learned && !learned.value_or(true)) return none(quantity, "did not learn the task");
  double sum = 0.0;
  for (const Index length : lengths) {
    Reading one = value_at(*cell, quantity, length);
    if (!one.value) return one;
    sum += *one.value;
  }
  return {sum / static_cast<double>(lengths.size())};
}

}  // namespace ordinal::experiments
