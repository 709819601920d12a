// Each private function of Sentences makes one kind of sentence; the public ones order them.
#include "experiments/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"
#include "framework/core/options.h"

namespace ordinal::experiments {
namespace {

constexpr std::size_t most_named = 6;  // a sentence about more rows only counts them

/// "a, b and c".
std::string join(std::vector<std::string> words) {
  if (words.size() < 2) return joined(words);
  const std::string last = std::move(words.back());
  words.pop_back();
  return joined(words) + " and " + last;
}

/// Names are quoted, because one encoding is called none.
std::string quoted(const std::string& row) { return "“" + row + "”"; }

/// "8x the training length (512)", "the training length of 64", or "length 512" if rows differ in it.
std::string place(const ExperimentResult& result, Index length) {
  if (length == result.train_length) return fmt::format("the training length of {}", length);
  if (result.train_length == 0) return fmt::format("length {}", length);
  return fmt::format("{} the training length ({})", multiple_of(length, result.train_length), length);
}

/// "in 9 of 10 seeds", "in 3 of 10 seeds and level in 5".
std::string count(const Comparison& pair) {
  const Index level = pair.n() - pair.ahead - pair.behind;
  return fmt::format("in {} of {} seeds{}", pair.ahead, pair.n(),
                     level > 0 ? fmt::format(" and level in {}", level) : "");
}

/// "in 10 of 10 seeds, by 0.570 (0.360 to 0.700)".
std::string decided(const Comparison& pair) {
  return fmt::format("{}, by {} ({} to {})", count(pair), format_value(pair.median()),
                     format_value(pair.interval.low), format_value(pair.interval.high));
}

class Sentences {
 public:
  explicit Sentences(const ExperimentResult& result) : result_(result), family_(result) {}

  std::string answer() const {
    if (rows_.empty()) return "No cell has been run yet.";
    if (rows_.size() == 1 && !unranked().empty()) return unranked();
    std::vector<std::string> sentences;
    for (const MetricSpec& metric : headlines(result_.metrics)) sentences.push_back(ranking(metric));
    return joined(sentences, " ");
  }

  std::vector<std::string> verdicts() const {
    std::vector<std::string> sentences = warnings(result_);
    if (const std::string condition = main_condition(result_); condition != trained_condition)
      sentences.push_back(fmt::format("The comparison is about the scores under {}.", condition));
    for (const MetricSpec& metric : headlines(result_.metrics)) sentences.push_back(readers(metric));
    sentences.push_back(unranked());
    std::erase(sentences, "");
    return sentences;
  }

  std::string procedure() const {
    std::vector<std::string> sentences = {"Numbers are mean ± standard deviation over all seeds"};
    if (result_.gate)
      sentences[0] +=
          "; a row is ranked if at least three quarters of them learned the task, and P(learned) has the "
          "exact 95 % interval (Clopper and Pearson)";
    if (family_.size() > 0) {
      sentences.push_back(
          fmt::format("A row that is ahead of another in k of n seeds has p = 2 · P(Bin(n, ½) ≥ k), at most "
                      "1 (sign test: rows of one seed share the order of the data, the validation examples "
                      "and the initial values of what they have in common), and the {} comparisons of ranked "
                      "rows at the longest length are decided together (Holm): each if its p and all smaller "
                      "ones are at most 0.05 / (number of those whose p is at least as large), so that at "
                      "most one report in twenty has a verdict that is due to chance",
                      family_.size()));
      sentences.emplace_back(
          "“By” is the median of the differences, and the numbers behind it are its interval at the level of "
          "the test: from the j-th smallest difference to the j-th largest, with the largest j for which 2 · "
          "P(Bin(n, ½) < j) is at most this level");
    }
    if (most_seeds(result_) >= seeds_to_decide(1))
      sentences.emplace_back("A 95 % interval of a table is that of the median over seeds, by the same rule");
    return joined(sentences, ". ") + ".";
  }

 private:
  /// "6 rows" if there are many.
  std::string names(const std::vector<std::size_t>& rows) const {
    if (rows.size() > most_named) return fmt::format("{} rows", rows.size());
    std::vector<std::string> names;
    for (const std::size_t row : rows) names.push_back(quoted(rows_[row].label));
    return join(names);
  }

  std::string what(const MetricSpec& metric) const { return metric.title(last_ > result_.train_length); }

  Column column(const MetricSpec& metric) const { return column_of(result_, metric, last_); }

  /// "At 8x …, “none” has the lowest bits per token, ". The only row of an experiment is not ranked: "At 8x …, the bits per
  /// token of “none” is ".
  std::string leader(const Column& column, const MetricSpec& metric, std::size_t row) const {
    const std::string name = quoted(rows_[row].label);
    const std::string where = place(result_, last_);
    if (rows_.size() == 1) return fmt::format("At {}, the {} of {} is ", where, what(metric), name);
    const bool all_learned =
        std::ranges::all_of(column, [](const Group& group) { return group.learning.most(); });
    return fmt::format("At {}, {} has the {} {}{}, ", where, name,
                       metric.lower_is_better() ? "lowest" : "highest", what(metric),
                       all_learned ? "" : " of the rows that learned the task");
  }

  /// "1.9 ± 0.1 (P(learned): 4 of 5, 0.28 to 0.99)".
  static std::string mean(const Group& group) {
    const Learning& learning = group.learning;
    const std::string text = format_mean(group.summary);
    if (learning.known() == 0) return text;
    return fmt::format("{} (P(learned): {})", text, share_text(learning.learned, learning.known()));
  }

  /// "At 8x …, “none” has the lowest bits per token, 1.9 ± 0.1: ahead of “a” in 10 of 10 seeds, by 1.2 (0.9 to 1.4); ahead of “b”
  /// in 7 of 10 seeds: too few to exclude chance, add --experiment.seeds=20." Many rows are only counted.
  std::string ranking(const MetricSpec& metric) const {
    const Column groups = column(metric);
    const std::optional<std::size_t> best = best_row(groups, metric);
    if (!best) return fmt::format("At {} no row is ranked in {}.", place(result_, last_), what(metric));
    std::vector<std::string> parts;  // first what it is behind
    std::vector<std::string> ahead;
    std::vector<std::string> open;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (row == *best || !groups[row].is_ranked()) continue;
      const Comparison pair = family_.better(metric.id, *best, row);
      const std::string name = quoted(rows_[row].label);
      if (pair.decision == Decision::undecided) open.push_back(name + " " + count(pair));
      if (pair.decision == Decision::fails) parts.push_back("behind " + name + " " + decided(pair.turned()));
      if (pair.decision == Decision::holds) ahead.push_back("ahead of " + name + " " + decided(pair));
    }
    if (ahead.size() > most_named) ahead = {fmt::format("ahead of {} rows", ahead.size())};
    parts.insert(parts.end(), ahead.begin(), ahead.end());
    if (!open.empty()) {
      const std::string rows =
          open.size() > most_named ? fmt::format("{} rows in some seeds", open.size()) : join(open);
      const Index enough = std::max(2 * groups[*best].summary.n, seeds_to_decide(family_.size()));
      parts.push_back(
          fmt::format("ahead of {}: too few to exclude chance{}", rows,
                      result_.can_add_seeds ? fmt::format(", add --experiment.seeds={}", enough) : ""));
    }
    return leader(groups, metric, *best) + mean(groups[*best]) + (parts.empty() ? "" : ": ") +
           joined(parts, "; ") + ".";
  }

  /// "At 8x … in contested recall, “last 64” (0.937) is better than “a” and “b”, “draw” (0.190) than “b”." The best possible value
  /// says nothing. Empty without readers.
  std::string readers(const MetricSpec& metric) const {
    const Column groups = column(metric);
    const double sign = metric.lower_is_better() ? 1.0 : -1.0;
    std::vector<std::pair<double, std::string>> better;
    bool any = false;
    for (const Score& score : result_.references) {
      if (score.metric != metric.id || score.length != last_ || score.tokens < fewest_targets) continue;
      if (score.row == "oracle" || (metric.is_fraction() && score.value == 1.0)) continue;
      std::vector<std::size_t> rows;
      for (std::size_t row = 0; row < groups.size(); ++row) {
        if (!groups[row].has_number()) continue;
        any = true;
        if (sign * score.value < sign * groups[row].summary.mean) rows.push_back(row);
      }
      if (!rows.empty())
        better.emplace_back(sign * score.value, fmt::format("{} ({}) is better than {}", quoted(score.row),
                                                            format_value(score.value), names(rows)));
    }
    if (!any) return "";
    std::ranges::stable_sort(better);
    std::vector<std::string> parts;
    for (const auto& [order, text] : better) parts.push_back(text);
    return fmt::format("Readers without a model, at {} in {}: {}.", place(result_, last_), what(metric),
                       parts.empty() ? "each row is better than all of them" : joined(parts, "; "));
  }

  /// The best score of a row's seeds in the metric of the gate, at the training length.
  std::string best_at_gate(const std::string& row) const {
    const MetricSpec& metric = metric_of(result_, result_.gate->metric);
    const Index length = first_cell(result_, row).train_length;
    const Summary summary = at(result_, row, length, trained_condition, metric).summary;
    return format_value(metric.lower_is_better() ? summary.lowest : summary.highest);
  }

  /// A model that did not learn the task has not failed to extrapolate: "Not ranked, because … (…): “a” (0 of 3 seeds, the best
  /// 0.4), …". Empty if all rows learned it.
  std::string unranked() const {
    std::vector<std::string> each;
    for (const RowInfo& row : rows_) {
      const Learning learning = learning_of(result_, row.label);
      if (learning.most()) continue;
      each.push_back(fmt::format("{} ({} of {} seeds, the best {})", quoted(row.label), learning.learned,
                                 learning.cells, best_at_gate(row.label)));
    }
    if (each.empty()) return "";
    return fmt::format(
        "Not ranked, because fewer than three quarters of the seeds learned the task ({}): {}. More "
        "train.steps or another train.learning_rate may help.",
        result_.gate->text, joined(each));
  }

  const ExperimentResult& result_;
  const std::vector<RowInfo> rows_ = rows_of(result_);
  const Index last_ = result_.lengths.back();
  const Family family_;
};

/// "“majority”, which ignores the order of tokens, passes the learning gate (0.963): …". Empty if none does.
std::string order_blind(const ExperimentResult& result) {
  if (!result.gate) return "";
  const MetricSpec& metric = metric_of(result, result.gate->metric);
  for (const Score& score : result.references) {
    const bool ignores_order = score.row == "majority" || score.row == "draw" || score.row == "unigram";
    const bool passes = score.metric == metric.id && score.length == result.train_length &&
                        metric.reached(score.value, result.gate->threshold);
    if (ignores_order && passes)
      return fmt::format(
          "“{}”, a reader that ignores the order of tokens, passes the learning gate with {} ({}): that a "
          "row "
          "learned the task does not show that it uses order.",
          score.row, format_value(score.value), result.gate->text);
  }
  return "";
}

/// Empty if all rows have one task. They share readers, so several tasks have none.
std::string several_tasks(const ExperimentResult& result) {
  std::set<std::string> tasks;
  for (const CellResult& cell : result.cells)
    if (!cell.settings.stages.empty()) tasks.insert(cell.settings.stages.back().at("task.name"));
  return tasks.size() < 2 ? ""
                          : "Rows differ in task.name, so no reader without a model is scored, and nothing "
                            "warns of a task that can be learned without order.";
}

/// "contested recall, …: 0 targets in a seed at 64, 6 at 128; …". Empty if each has enough.
std::string few_targets(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<std::string> lengths;
  for (const Index length : result.lengths) {
    if (metric.sources == SourceRange::beyond && length <= result.train_length) continue;
    const Score* of = score_at(result.references, metric.id, length);
    const Index targets = of == nullptr ? 0 : of->tokens;
    if (targets < fewest_targets) lengths.push_back(fmt::format("{} at {}", targets, length));
  }
  if (lengths.empty() || result.references.empty()) return "";
  return fmt::format("Few targets in a seed for {}: {}; no mean is shown under {} (evaluate.batches).",
                     metric.title(), joined(lengths), fewest_targets);
}

}  // namespace

std::string answer(const ExperimentResult& result) { return Sentences(result).answer(); }

std::vector<std::string> verdicts(const ExperimentResult& result) { return Sentences(result).verdicts(); }

std::string procedure(const ExperimentResult& result) { return Sentences(result).procedure(); }

std::vector<std::string> warnings(const ExperimentResult& result) {
  std::vector<std::string> warnings{several_tasks(result), order_blind(result)};
  for (const MetricSpec& metric : headlines(result.metrics)) warnings.push_back(few_targets(result, metric));
  std::erase(warnings, "");
  return warnings;
}

std::vector<std::string> too_few_seeds(const ExperimentResult& result, Index seeds, Index of_claims) {
  const Index rows = std::ssize(result.rows);
  const Index pairs = rows * (rows - 1) / 2 * std::ssize(headlines(result.metrics));
  std::vector<std::string> lines;
  for (const auto& [count, what] : {std::pair(pairs, "pair of rows"), {of_claims, "comparison of a claim"}}) {
    if (count == 0 || seeds >= seeds_to_decide(count)) continue;
    lines.push_back(fmt::format("seeds = {}: {} {} can be decided; {} can decide {}.", seeds,
                                seeds < seeds_to_decide(1) ? "no" : "not every", what, seeds_to_decide(count),
                                count == 1 ? "it" : fmt::format("all {}", count)));
  }
  return lines;
}

}  // namespace ordinal::experiments
