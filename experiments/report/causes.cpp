#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

struct CausePart {
  const char* name;
  const char* colour;
  double Causes::*value;
};
constexpr std::array<CausePart, 3> parts = {{{"unseen positions", "#D55E00", &Causes::positions},
                                             {"attention to more keys", "#0072B2", &Causes::attention},
                                             {"the rest", "#999999", &Causes::rest}}};

// The first condition of this name, whatever its options.
std::optional<std::string> condition_named(const ExperimentResult& result, const std::string& name) {
  for (const std::string& condition : result.conditions) {
    if (condition.substr(0, condition.find('(')) == name) return condition;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Causes> causes(const ExperimentResult& result) {
  const auto shifted = condition_named(result, "shifted");
  const auto window = condition_named(result, "window");
  const auto base = std::ranges::find(result.lengths, result.train_length);
  if (!shifted || !window || base == result.lengths.end() || result.lengths.back() == result.train_length)
    return {};
  const auto at = static_cast<std::size_t>(base - result.lengths.begin());
  const std::size_t last = result.lengths.size() - 1;
  const std::string& metric = result.metrics.front().id;
  const Comparison trained = compare(result, metric, trained_condition);
  const Comparison moved = compare(result, metric, *shifted);
  const Comparison narrow = compare(result, metric, *window);
  const double worse = trained.metric.lower_is_better ? 1.0 : -1.0;
  std::vector<Causes> all;
  for (std::size_t r = 0; r < trained.rows.size(); ++r) {
    if (!trained.rows[r].is_ranked(at) || !trained.rows[r].is_ranked(last) || !moved.rows[r].is_ranked(at) ||
        !narrow.rows[r].is_ranked(last)) {
      continue;
    }
    const double start = trained.rows[r].entries[at].summary.mean;
    const double end = trained.rows[r].entries[last].summary.mean;
    Causes one{.row = trained.rows[r].label};
    one.positions = worse * (moved.rows[r].entries[at].summary.mean - start);
    one.attention = worse * (end - narrow.rows[r].entries[last].summary.mean);
    one.rest = worse * (end - start) - one.positions - one.attention;
    all.push_back(one);
  }
  return all;
}

std::vector<std::string> cause_sentences(const ExperimentResult& result) {
  std::vector<std::string> sentences;
  for (const Causes& one : causes(result)) {
    const std::string window = fmt::format("{} {}", one.attention >= 0.0 ? "save it" : "cost it another",
                                           format_value(std::abs(one.attention)));
    sentences.push_back(
        fmt::format("“{}” {} {} from {} to {}. At the training length, unseen positions alone cost it {}; at "
                    "the longest, "
                    "seeing only the last {} keys would {}. The rest is {}.",
                    one.row, one.total() >= 0.0 ? "loses" : "gains", format_value(std::abs(one.total())),
                    multiple_of(result.train_length, result.train_length),
                    multiple_of(result.lengths.back(), result.train_length), format_value(one.positions),
                    result.train_length, window, format_value(one.rest)));
  }
  return sentences;
}

std::string causes_script(const ExperimentResult& result) {
  const std::vector<Causes> all = causes(result);
  const std::size_t height = 130 + 34 * all.size();
  std::string script = fmt::format(
      "set terminal svg size 900,{} dynamic noenhanced font 'Helvetica,14' background '#ffffff'\n"
      "set encoding utf8\nset border 1 linecolor '#999999'\nset tics nomirror scale 0.5 textcolor '#333333'\n"
      "set key outside right top vertical Left reverse textcolor '#222222'\nset style fill solid noborder\n"
      "set title {} font 'Helvetica,18' textcolor '#222222'\n"
      "set xlabel {}\nset yrange [{}:-0.7]\nset arrow 1 from 0, graph 0 to 0, graph 1 nohead linecolor "
      "'#333333'\n"
      "set ytics (",
      height, gnuplot_string("Where the loss comes from"),
      gnuplot_string(fmt::format("{} lost from {} to {} ({})", result.metrics.front().name,
                                 result.train_length, result.lengths.back(), "left of zero: gained")),
      static_cast<double>(all.size()) - 0.3);
  for (std::size_t r = 0; r < all.size(); ++r) {
    script += fmt::format("{}{} {}", r > 0 ? ", " : "", gnuplot_string(all[r].row), r);
  }
  script += ")\n";
  std::vector<std::array<double, 2>> ends(all.size());  // of the bars so far: left and right of zero
  for (std::size_t p = 0; p < parts.size(); ++p) {
    script += fmt::format("$p{} << END\n", p);
    for (std::size_t r = 0; r < all.size(); ++r) {
      const double value = all[r].*parts[p].value;
      double& end = ends[r][value > 0.0 ? 1 : 0];
      script += fmt::format("{} {} {} {} {} {}\n", end + value / 2.0, r, std::min(end, end + value),
                            std::max(end, end + value), static_cast<double>(r) - 0.32,
                            static_cast<double>(r) + 0.32);
      end += value;
    }
    script += "END\n";
  }
  script += "plot ";
  for (std::size_t p = 0; p < parts.size(); ++p) {
    script += fmt::format("{}$p{} using 1:2:3:4:5:6 with boxxyerror linecolor '{}' title '{}'",
                          p > 0 ? ", " : "", p, parts[p].colour, parts[p].name);
  }
  return script + "\n";
}

}  // namespace ordinal::experiments
