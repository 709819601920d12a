#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

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

std::optional<std::string> condition_named(const ExperimentResult& result, const std::string& name) {
  const std::vector<std::string> all = conditions_named(result, name);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

// The headline metric of a row at a length under a condition, where it is ranked; larger is worse.
class Means {
 public:
  Means(const ExperimentResult& result, const std::optional<std::string>& condition) {
    if (condition) comparison_ = compare(result, result.metrics.front().id, *condition);
  }

  std::optional<double> at(const std::string& label, std::size_t length) const {
    if (!comparison_) return std::nullopt;
    const auto row = std::ranges::find(comparison_->rows, label, &ComparisonRow::label);
    if (row == comparison_->rows.end() || !row->is_ranked(length)) return std::nullopt;
    const double mean = row->entries[length].summary.mean;
    return comparison_->metric.lower_is_better ? mean : -mean;
  }

 private:
  std::optional<Comparison> comparison_;
};

std::optional<double> difference(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

// The smallest and the largest, if there is any.
std::optional<std::pair<double, double>> range_of(const std::vector<std::optional<double>>& values) {
  std::optional<std::pair<double, double>> range;
  for (const std::optional<double>& value : values) {
    if (!value) return std::nullopt;
    range = range ? std::pair(std::min(range->first, *value), std::max(range->second, *value))
                  : std::pair(*value, *value);
  }
  return range;
}

// "0.380", or for several offsets "0.380 (0.310 to 0.450)".
std::string positions_text(const Causes& one) {
  const auto& [least, most] = one.range_of_positions;
  const std::string mean = format_value(one.positions);
  return least == most ? mean : fmt::format("{} ({} to {})", mean, format_value(least), format_value(most));
}

std::string saved(double value) {
  return fmt::format("{} {}", value >= 0.0 ? "save it" : "cost it another", format_value(std::abs(value)));
}

// " Scaling scores by log n / log L at the longest length would save it 0.100." and the like, for conditions that were
// tested.
std::string further(const Causes& one, const std::string& last) {
  std::string text;
  if (one.sharpening) {
    text += fmt::format(" Scaling scores by log n / log L at the longest length would {}.",
                        saved(*one.sharpening));
  }
  if (one.context) {
    text += fmt::format(" On the same targets (“{}”), the longer context {} it {}.", last,
                        *one.context > 0.0 ? "costs" : "saves", format_value(std::abs(*one.context)));
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
  const auto window = condition_named(result, "window");
  const auto base = std::ranges::find(result.lengths, result.train_length);
  if (shifts.empty() || !window || base == result.lengths.end() ||
      result.lengths.back() == result.train_length)
    return {};
  const auto at = static_cast<std::size_t>(base - result.lengths.begin());
  const std::size_t last = result.lengths.size() - 1;
  const Means trained(result, trained_condition);
  const Means narrow(result, window);
  const Means truncated(result, condition_named(result, "truncated"));
  const Means sharp(result, condition_named(result, "log_n"));
  const Means ends(result, condition_named(result, "last"));
  std::vector<Means> moved;
  for (const std::string& shift : shifts) moved.emplace_back(result, shift);
  std::vector<Causes> all;
  for (const RowInfo& row : result.rows) {
    const auto now = trained.at(row.label, last);
    const auto total = difference(now, trained.at(row.label, at));
    const auto attention = difference(now, narrow.at(row.label, last));
    std::vector<std::optional<double>> costs;
    for (const Means& one : moved)
      costs.push_back(difference(one.at(row.label, at), trained.at(row.label, at)));
    const auto range = range_of(costs);
    if (!total || !range || !attention) continue;
    double sum = 0.0;
    for (const std::optional<double>& cost : costs) sum += *cost;
    all.push_back({.row = row.label,
                   .positions = sum / static_cast<double>(costs.size()),
                   .range_of_positions = *range,
                   .attention = *attention,
                   .total = *total,
                   .both = difference(now, truncated.at(row.label, last)),
                   .sharpening = difference(now, sharp.at(row.label, last)),
                   .context = difference(ends.at(row.label, last), ends.at(row.label, at))});
  }
  return all;
}

std::vector<std::string> cause_sentences(const ExperimentResult& result) {
  std::vector<std::string> sentences;
  const std::string last = condition_named(result, "last").value_or("");
  for (const Causes& one : causes(result)) {
    const std::string both =
        one.both ? fmt::format(", and the last keys alone at positions of training (“truncated”) {}",
                               saved(*one.both))
                 : "";
    sentences.push_back(
        fmt::format("“{}” {} {} from {} to {}. At the training length, unseen positions alone cost it {}; at "
                    "the longest, seeing only "
                    "the last {} keys would {}{}.{}",
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
