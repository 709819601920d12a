#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/report/comparison.h"

namespace ordinal::experiments {
namespace {

struct CausePart {
  const char* name;
  const char* colour;
  double Causes::*value;
};
constexpr std::array<CausePart, 3> parts = {{{"the whole loss", "#999999", &Causes::total},
                                             {"unseen positions", "#D55E00", &Causes::positions},
                                             {"attention to more keys", "#0072B2", &Causes::attention}}};

// The conditions of this name, whatever their options. The report takes any text for a condition, parse_part does not.
std::vector<std::string> conditions_named(const ExperimentResult& result, const std::string& name) {
  std::vector<std::string> all;
  for (const std::string& condition : result.conditions) {
    if (condition.substr(0, condition.find('(')) == name) all.push_back(condition);
  }
  return all;
}

// The first of them, or a name that no condition has.
std::string condition_named(const ExperimentResult& result, const std::string& name) {
  const std::vector<std::string> all = conditions_named(result, name);
  return all.empty() ? "not tested" : all.front();
}

// The headline metric under a condition, by row and column: larger is worse; NaN where it is not ranked.
class Losses {
 public:
  Losses(const ExperimentResult& result, const std::string& condition)
      : comparison_(compare(result, "", condition)) {}

  double at(std::size_t row, std::size_t column) const {
    const ComparisonRow& one = comparison_.rows[row];
    const double mean = one.is_ranked(column) ? one.mean(column) : not_a_number;
    return comparison_.metric.lower_is_better ? mean : -mean;
  }
  const std::vector<ComparisonRow>& rows() const { return comparison_.rows; }

 private:
  Comparison comparison_;
};

// "0.380", or for several offsets "0.380 (0.310 to 0.450)".
std::string positions_text(const Causes& one) {
  const auto& [low, high] = one.range_of_positions;
  const std::string mean = format_value(one.positions);
  return low == high ? mean : fmt::format("{} ({} to {})", mean, format_value(low), format_value(high));
}

std::string saved(double value) {
  return fmt::format("{} {}", value >= 0.0 ? "save it" : "cost it another", format_value(std::abs(value)));
}

// " Scaling scores by log n / log L at the longest length would save it 0.100." and the like, for conditions that were
// tested.
std::string further(const Causes& one, const std::string& last) {
  std::string text;
  if (!std::isnan(one.sharpening)) {
    text += fmt::format(" Scaling scores by log n / log L at the longest length would {}.",
                        saved(one.sharpening));
  }
  if (!std::isnan(one.context)) {
    text += fmt::format(" On the same targets (“{}”), the longer context {} it {}.", last,
                        one.context > 0.0 ? "costs" : "saves", format_value(std::abs(one.context)));
  }
  return text;
}

// "bits lost from 64 to 512 (left of zero: gained)".
std::string loss_label(const ExperimentResult& result) {
  return fmt::format("{} lost from {} to {} (left of zero: gained)", result.metrics.front().name,
                     result.train_length, result.lengths.back());
}

}  // namespace

std::vector<Causes> causes(const ExperimentResult& result) {
  const std::vector<std::string> shifts = conditions_named(result, "shifted");
  const auto found = std::ranges::find(result.lengths, result.train_length);
  if (shifts.empty() || conditions_named(result, "window").empty() || found == result.lengths.end() ||
      result.lengths.back() == result.train_length)
    return {};
  const auto base = static_cast<std::size_t>(found - result.lengths.begin());
  const std::size_t last = result.lengths.size() - 1;
  const auto under = [&](const char* name) { return Losses(result, condition_named(result, name)); };
  const Losses trained(result, trained_condition);
  const Losses window = under("window");
  const Losses truncated = under("truncated");
  const Losses log_n = under("log_n");
  const Losses ends = under("last");
  std::vector<Losses> moved;
  for (const std::string& shift : shifts) moved.emplace_back(result, shift);
  std::vector<Causes> all;
  for (std::size_t r = 0; r < trained.rows().size(); ++r) {
    std::vector<double> costs;
    for (const Losses& one : moved) costs.push_back(one.at(r, base) - trained.at(r, base));
    const double now = trained.at(r, last);
    const auto [low, high] = std::ranges::minmax(costs);
    const Causes one = {.row = trained.rows()[r].label,
                        .positions = summarize(costs).mean,
                        .range_of_positions = {low, high},
                        .attention = now - window.at(r, last),
                        .total = now - trained.at(r, base),
                        .both = now - truncated.at(r, last),
                        .sharpening = now - log_n.at(r, last),
                        .context = ends.at(r, last) - ends.at(r, base)};
    if (!std::isnan(one.positions + one.attention + one.total)) all.push_back(one);
  }
  return all;
}

std::vector<std::string> cause_sentences(const ExperimentResult& result) {
  std::vector<std::string> sentences;
  const std::string last = condition_named(result, "last");
  for (const Causes& one : causes(result)) {
    const std::string both =
        std::isnan(one.both)
            ? ""
            : ", and the last keys alone at positions of training (“truncated”) " + saved(one.both);
    sentences.push_back(
        fmt::format("“{}” {} {} from {} to {}. At the training length, unseen positions alone cost it {}; at "
                    "the longest, seeing only the last {} keys would {}{}.{}",
                    one.row, one.total >= 0.0 ? "loses" : "gains", format_value(std::abs(one.total)),
                    multiple_of(result.train_length, result.train_length),
                    multiple_of(result.lengths.back(), result.train_length), positions_text(one),
                    result.train_length, saved(one.attention), both, further(one, last)));
  }
  if (!sentences.empty())
    sentences.emplace_back(
        "What costs or saves how much was tested one by one: these are no shares of a loss.");
  return sentences;
}

Grid causes_grid(const ExperimentResult& result) {
  Grid grid;
  grid.title = loss_label(result);
  grid.headings = {"row"};
  for (const CausePart& part : parts) grid.headings.emplace_back(part.name);
  for (const Causes& one : causes(result)) {
    grid.rows.push_back(one.row);
    grid.lines.push_back({{one.row}});
    for (const CausePart& part : parts) {
      const bool is_positions = part.value == &Causes::positions;
      grid.lines.back().push_back({is_positions ? positions_text(one) : format_value(one.*part.value)});
    }
  }
  return grid;
}

Bars causes_bars(const ExperimentResult& result) {
  Bars bars{"Where the loss comes from", loss_label(result), {}, {}};
  const std::vector<Causes> all = causes(result);
  for (const Causes& one : all) bars.rows.push_back(one.row);
  for (const CausePart& part : parts) {
    bars.parts.push_back({part.name, part.colour, {}});
    for (const Causes& one : all) bars.parts.back().values.push_back(one.*part.value);
  }
  return bars;
}

}  // namespace ordinal::experiments
