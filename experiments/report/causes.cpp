#include "experiments/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "experiments/report/comparison.h"
#include "experiments/report/gnuplot.h"

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

// The first condition of this name, whatever its options. The report takes any text for a condition, parse_part does not.
std::optional<std::string> condition_named(const ExperimentResult& result, const std::string& name) {
  for (const std::string& condition : result.conditions) {
    if (condition.substr(0, condition.find('(')) == name) return condition;
  }
  return std::nullopt;
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

// Whether the parts make up the loss with a rest, but for differences within the margin.
std::string sum_text(const Causes& one, double margin) {
  if (std::min(one.positions, one.attention) < -margin) return "The two do not add up to the loss";
  if (one.rest() >= -margin) return "The rest is " + format_value(one.rest());
  return fmt::format("The two overlap: together they are {} more than the loss", format_value(-one.rest()));
}

// " Scaling scores by log n / log L at the longest length would save it 0.100." and the like, for conditions that were
// tested.
std::string further(const Causes& one, const std::string& last) {
  std::string text;
  if (one.sharpening) {
    text += fmt::format(" Scaling scores by log n / log L at the longest length would {} {}.",
                        *one.sharpening >= 0.0 ? "save it" : "cost it another",
                        format_value(std::abs(*one.sharpening)));
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

// Everything but the bars; a row is named beside its bar. The legend needs the height of a row for each part.
std::string axes(const ExperimentResult& result, const std::vector<Causes>& all) {
  std::string script = fmt::format(
      "set terminal svg size 900,{} dynamic noenhanced font 'Helvetica,14' background '#ffffff'\n"
      "set encoding utf8\nset border 1 linecolor '#999999'\nset tics nomirror scale 0.5 textcolor '#333333'\n"
      "set key outside right top vertical Left reverse textcolor '#222222'\nset style fill solid noborder\n"
      "set title {} font 'Helvetica,18' textcolor '#222222'\n"
      "set xlabel {}\nset yrange [{}:-0.7]\nset arrow 1 from 0, graph 0 to 0, graph 1 nohead linecolor "
      "'#333333'\n"
      "set ytics (",
      130 + 34 * std::max(all.size(), parts.size()), gnuplot_string("Where the loss comes from"),
      gnuplot_string(loss_label(result)), static_cast<double>(all.size()) - 0.3);
  for (std::size_t r = 0; r < all.size(); ++r) {
    script += fmt::format("{}{} {}", r > 0 ? ", " : "", gnuplot_string(all[r].row), r);
  }
  return script + ")\n";
}

// A block of data for each part: a box from zero for each row.
std::string bars(const std::vector<Causes>& all) {
  constexpr double height = 0.64 / std::size(parts);
  std::string script;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    script += fmt::format("$p{} << END\n", p);
    for (std::size_t r = 0; r < all.size(); ++r) {
      const double value = all[r].*parts[p].value;
      const double top = static_cast<double>(r) - 0.32 + static_cast<double>(p) * height;
      script += fmt::format("{} {} {} {} {} {}\n", value / 2.0, top + height / 2.0, std::min(0.0, value),
                            std::max(0.0, value), top, top + height);
    }
    script += "END\n";
  }
  return script;
}

std::string plot_command() {
  std::string script = "plot ";
  for (std::size_t p = 0; p < parts.size(); ++p) {
    script += fmt::format("{}$p{} using 1:2:3:4:5:6 with boxxyerror linecolor '{}' title '{}'",
                          p > 0 ? ", " : "", p, parts[p].colour, parts[p].name);
  }
  return script + "\n";
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
  const Means trained(result, trained_condition);
  const Means moved(result, shifted);
  const Means narrow(result, window);
  const Means sharp(result, condition_named(result, "log_n"));
  const Means ends(result, condition_named(result, "last"));
  std::vector<Causes> all;
  for (const RowInfo& row : result.rows) {
    const auto total = difference(trained.at(row.label, last), trained.at(row.label, at));
    const auto positions = difference(moved.at(row.label, at), trained.at(row.label, at));
    const auto attention = difference(trained.at(row.label, last), narrow.at(row.label, last));
    if (!total || !positions || !attention) continue;
    all.push_back({.row = row.label,
                   .positions = *positions,
                   .attention = *attention,
                   .total = *total,
                   .sharpening = difference(trained.at(row.label, last), sharp.at(row.label, last)),
                   .context = difference(ends.at(row.label, last), ends.at(row.label, at))});
  }
  return all;
}

std::vector<std::string> cause_sentences(const ExperimentResult& result) {
  std::vector<std::string> sentences;
  const std::string last = condition_named(result, "last").value_or("");
  const double margin = margin_of(result.metrics.front());
  for (const Causes& one : causes(result)) {
    const std::string window = fmt::format("{} {}", one.attention >= 0.0 ? "save it" : "cost it another",
                                           format_value(std::abs(one.attention)));
    sentences.push_back(
        fmt::format("“{}” {} {} from {} to {}. At the training length, unseen positions alone cost it {}; at "
                    "the longest, "
                    "seeing only the last {} keys would {}. {}.{}",
                    one.row, one.total >= 0.0 ? "loses" : "gains", format_value(std::abs(one.total)),
                    multiple_of(result.train_length, result.train_length),
                    multiple_of(result.lengths.back(), result.train_length), format_value(one.positions),
                    result.train_length, window, sum_text(one, margin), further(one, last)));
  }
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
    for (const CausePart& part : parts) grid.lines.back().push_back({format_value(one.*part.value)});
  }
  return grid;
}

std::string causes_script(const ExperimentResult& result, const std::vector<Causes>& all) {
  return axes(result, all) + bars(all) + plot_command();
}

}  // namespace ordinal::experiments
