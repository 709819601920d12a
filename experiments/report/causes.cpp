#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/report/comparison.h"
#include "experiments/report/svg.h"

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

// The conditions with this name, whatever their options. parse_part would reject texts that the report accepts.
std::vector<std::string> conditions_named(const ExperimentResult& result, const std::string& name) {
  std::vector<std::string> all;
  for (const std::string& condition : result.conditions) {
    if (condition.substr(0, condition.find('(')) == name) all.push_back(condition);
  }
  return all;
}

// The first of these conditions, or a name that no condition has.
std::string condition_named(const ExperimentResult& result, const std::string& name) {
  const std::vector<std::string> all = conditions_named(result, name);
  return all.empty() ? "not tested" : all.front();
}

// The headline metric by row and column: larger is worse; NaN where it is not ranked.
double loss_at(const Comparison& comparison, std::size_t row, std::size_t column) {
  const ComparisonRow& one = comparison.rows[row];
  const double mean = one.is_ranked(column) ? one.mean(column) : not_a_number;
  return comparison.metric.lower_is_better ? mean : -mean;
}

// "0.380", or for several offsets "0.380 (0.310 to 0.450)".
std::string positions_text(const Causes& one) {
  const auto& [low, high] = one.range_of_positions;
  const std::string mean = format_value(one.positions);
  return low == high ? mean : fmt::format("{} ({} to {})", mean, format_value(low), format_value(high));
}

std::string saved(double value) {
  return fmt::format("{} {}", value >= 0.0 ? "save it" : "cost it another", format_value(std::abs(value)));
}

// " Scaling scores by log n / log L at the longest length would save it 0.100." and similar, for conditions that were
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
  const auto under = [&](const char* name) { return compare(result, "", condition_named(result, name)); };
  const Comparison trained = compare(result, "", trained_condition);
  const Comparison window = under("window");
  const Comparison truncated = under("truncated");
  const Comparison log_n = under("log_n");
  const Comparison ends = under("last");
  std::vector<Comparison> moved;
  for (const std::string& shift : shifts) moved.push_back(compare(result, "", shift));
  std::vector<Causes> all;
  for (std::size_t r = 0; r < trained.rows.size(); ++r) {
    const double then = loss_at(trained, r, base);
    const double now = loss_at(trained, r, last);
    std::vector<double> costs;
    for (const Comparison& one : moved) costs.push_back(loss_at(one, r, base) - then);
    const auto [low, high] = std::ranges::minmax(costs);
    const Causes one = {.row = trained.rows[r].label,
                        .positions = summarize(costs).mean,
                        .range_of_positions = {low, high},
                        .attention = now - loss_at(window, r, last),
                        .total = now - then,
                        .both = now - loss_at(truncated, r, last),
                        .sharpening = now - loss_at(log_n, r, last),
                        .context = loss_at(ends, r, last) - loss_at(ends, r, base)};
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

std::string causes_svg(const ExperimentResult& result) {
  const std::vector<Causes> all = causes(result);
  if (all.empty()) return "";
  double low = 0.0;
  double high = 0.0;
  std::size_t longest = 0;
  for (const Causes& one : all) {
    longest = std::max(longest, one.row.size());
    for (const CausePart& part : parts) {
      low = std::min(low, one.*part.value);
      high = std::max(high, one.*part.value);
    }
  }
  constexpr double row_height = 34.0;
  constexpr double bar = 7.0;
  const double rows = static_cast<double>(std::max(all.size(), parts.size()));  // the legend has one per part
  const double left = 24.0 + 8.0 * static_cast<double>(longest);
  const Box box{left, left + 560, 50, 60 + row_height * rows};
  const double room = 0.03 * (high > low ? high - low : 1.0);
  const Axis x{low < 0.0 ? low - room : 0.0, high > 0.0 || low == 0.0 ? high + room : 0.0, box.left,
               box.right};
  Svg svg(box.right + 200, box.bottom + 62, "Where the loss comes from", box);
  const std::vector<Tick> ticks = round_ticks(x.low, x.high, 8);
  for (const Tick& tick : ticks) svg.line(x(tick.at), box.top, x(tick.at), box.bottom, "stroke=\"#e3e3e3\"");
  const auto fill = [](const CausePart& part) { return fmt::format("fill=\"{}\"", part.colour); };
  std::vector<Tick> names;
  for (const Causes& one : all) {
    double top = box.top + 11 + row_height * static_cast<double>(names.size());
    names.push_back({top + 1.5 * bar, one.row});
    for (const CausePart& part : parts) {
      const double value = one.*part.value;
      svg.rectangle(x(std::min(0.0, value)), top, std::abs(x(value) - x(0.0)), bar, fill(part));
      top += bar;
    }
  }
  svg.line(x(0.0), box.top, x(0.0), box.bottom, "stroke=\"#333\"");
  svg.x_axis(x, ticks, loss_label(result));
  svg.y_axis({}, names, "");
  double top = box.top;
  for (const CausePart& part : parts) {
    svg.rectangle(box.right + 16, top, 13, 13, fill(part));
    svg.text(box.right + 37, top + 12, part.name);
    top += 24;
  }
  return svg.str();
}

}  // namespace ordinal::experiments
