// Each private function of Sentences makes one kind of sentence; the public ones order them.
#include "experiments/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

std::string interval(const PairedComparison& pairs) {
  if (pairs.has_no_spread()) return "the same in every seed, which is no verdict";
  if (std::isnan(pairs.low)) return "too few seeds for an interval";
  return fmt::format("interval {} to {}", format_value(pairs.low), format_value(pairs.high));
}

/// How the other ranked rows of a column compare with its best row.
struct Standing {
  std::vector<std::size_t> beaten;
  std::vector<std::size_t> equivalent;  // within the margin
  std::vector<std::size_t> undecided;
};

// What the sentences are about: the headline metric at the training length (or the first one) and at the longest.
class Sentences {
 public:
  explicit Sentences(const ExperimentResult& result)
      : result_(result),
        lengths_(lengths_of(result)),
        columns_(columns_of(result, metric_, lengths_)),
        seeds_(most_seeds(columns_)),
        differences_(metric_, columns_, result.looks) {}

  std::string answer() const {
    if (rows_.size() == 1 && !unranked().empty()) return unranked();
    const std::string few = rows_.size() == 1 ? "" : too_few_seeds();
    return ranking(columns_.size() - 1, false) + (few.empty() ? "" : " " + few);
  }

  std::vector<std::string> verdicts() const {
    std::vector<std::string> sentences;
    if (const std::string condition = conditions_of(result_).front(); condition != trained_condition)
      sentences.push_back(fmt::format("These sentences are about the scores under {}.", condition));
    const std::string few = too_few_seeds();
    sentences.push_back(few);
    for (std::size_t c = 0; c < columns_.size() && few.empty(); ++c)
      if (rows_.size() > 1 || best_row(columns_[c], metric_)) sentences.push_back(ranking(c, true));
    sentences.push_back(unranked());
    for (const RowInfo& row : rows_) sentences.push_back(failure(row.label));
    std::erase(sentences, "");
    return sentences;
  }

  std::set<std::string> undecided_rows() const {
    std::set<std::string> rows;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::optional<std::size_t> best = best_row(columns_[c], metric_);
      const Standing others = best ? standing(c, *best) : Standing{};
      for (const std::size_t r : others.undecided) rows.insert({rows_[r].label, rows_[*best].label});
    }
    return rows;
  }

 private:
  static std::vector<Index> lengths_of(const ExperimentResult& result) {
    const bool trained = std::ranges::count(result.lengths, result.train_length) > 0;
    const Index first = trained ? result.train_length : result.lengths.front();
    return first == result.lengths.back() ? std::vector{first} : std::vector{first, result.lengths.back()};
  }

  /// "the training length of 64", "8x the training length (512)", or "length 512" if rows differ in it.
  std::string place(Index length) const {
    if (length == result_.train_length) return fmt::format("the training length of {}", length);
    if (result_.train_length == 0) return fmt::format("length {}", length);
    return fmt::format("{} the training length ({})", multiple_of(length, result_.train_length), length);
  }

  /// Names are quoted, because one encoding is called none.
  static std::string name(const std::string& row) { return "“" + row + "”"; }

  /// "6 rows" if there are many.
  std::string names(const std::vector<std::size_t>& rows) const {
    if (rows.size() > most_named) return fmt::format("{} rows", rows.size());
    std::vector<std::string> names;
    for (const std::size_t row : rows) names.push_back(name(rows_[row].label));
    return join(names);
  }

  /// Empty if there are enough seeds for verdicts.
  std::string too_few_seeds() const {
    if (seeds_ == 0 || seeds_ >= fewest_for_intervals) return "";
    return fmt::format(
        "{} no spread to judge by: no intervals and no verdicts under {} seeds (experiment.seeds).",
        seeds_ == 1 ? "One seed shows" : "Two seeds show", fewest_for_intervals);
  }

  Standing standing(std::size_t column, std::size_t best) const {
    Standing standing;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == best || !columns_[column][r].is_ranked()) continue;
      const PairedComparison pairs = differences_.better(column, best, r);
      auto& group = pairs.decision == Decision::holds                             ? standing.beaten
                    : equivalent(pairs, margin_of(metric_), differences_.tests()) ? standing.equivalent
                                                                                  : standing.undecided;
      group.push_back(r);
    }
    return standing;
  }

  /// "At 8x …, “none” has the lowest bits per token, ". The only row of an experiment is not ranked: "At 8x …, the bits per
  /// token of “none” is ".
  std::string leader(std::size_t column, std::size_t row) const {
    const std::string where = place(lengths_[column]);
    const std::string what = metric_.title(lengths_[column] > result_.train_length);
    if (rows_.size() == 1) return fmt::format("At {}, the {} of {} is ", where, what, name(rows_[row].label));
    const bool all_learned =
        std::ranges::all_of(columns_[column], [](const Group& group) { return group.learning.most(); });
    return fmt::format("At {}, {} has the {} {}{}, ", where, name(rows_[row].label),
                       metric_.lower_is_better() ? "lowest" : "highest", what,
                       all_learned ? "" : " of the rows that learned the task");
  }

  /// "1.9 ± 0.1 (n = 3; P(learned): 4 of 5, 0.28 to 0.99; P(success): 3 of 4, 0.19 to 0.99)", the shares where they exist.
  std::string mean(const Group& group, bool in_full) const {
    std::vector<std::string> beside;
    if (in_full) beside.push_back(fmt::format("n = {}", group.summary.n));
    if (group.learning.known() > 0)
      beside.push_back("P(learned): " + share_text(group.learning.learned, group.learning.known()));
    if (const auto count = successes(group, metric_))
      beside.push_back("P(success): " + share_text(*count, group.summary.n));
    const std::string text = format_mean(group.summary);
    return beside.empty() ? text : fmt::format("{} ({})", text, joined(beside, "; "));
  }

  /// "At 8x …, “none” has the lowest bits per token, 1.9 ± 0.1: better than “a”, equivalent to “b”, not distinguishable from “c”."
  /// In full also with the number of seeds, differences and their intervals.
  std::string ranking(std::size_t column, bool in_full) const {
    const std::optional<std::size_t> best = best_row(columns_[column], metric_);
    if (!best) return fmt::format("At {} no row is ranked.", place(lengths_[column]));
    const auto lead = [&](std::size_t row) { return differences_.better(column, *best, row); };
    const auto with_lead = [&](std::size_t row) {
      return fmt::format("{} by {} ({})", name(rows_[row].label), format_value(lead(row).effect),
                         interval(lead(row)));
    };
    const Standing others = seeds_ < fewest_for_intervals ? Standing{} : standing(column, *best);
    std::vector<std::string> parts;
    if (!others.beaten.empty()) {
      std::vector<std::string> each{names(others.beaten)};
      if (in_full && others.beaten.size() > most_named) {
        const auto effect = [&](std::size_t row) { return lead(row).effect; };
        each.push_back("the closest of them " + with_lead(std::ranges::min(others.beaten, {}, effect)));
      } else if (in_full) {
        each.clear();
        for (const std::size_t row : others.beaten) each.push_back(with_lead(row));
      }
      parts.push_back("better than " + joined(each));
    }
    if (!others.equivalent.empty()) {
      parts.push_back("equivalent to " + names(others.equivalent) +
                      (in_full ? " within " + format_value(margin_of(metric_)) : ""));
    }
    if (!others.undecided.empty()) parts.push_back("not distinguishable from " + names(others.undecided));
    return leader(column, *best) + mean(columns_[column][*best], in_full) + (parts.empty() ? "" : ": ") +
           joined(parts, "; ") + ".";
  }

  /// "“learned” cannot run past 64: …", or "“rope” gives no finite bits per token from 128 on …". Empty if it runs everywhere.
  std::string failure(const std::string& row) const {
    for (std::size_t c = 0; c < result_.lengths.size(); ++c) {
      const Index length = result_.lengths[c];
      const Group group = at(result_, row, length, conditions_of(result_).front(), metric_);
      if (group.failed > 0)
        return fmt::format("{} cannot run {} {}: {}", name(row), c == 0 ? "at" : "past",
                           result_.lengths[c == 0 ? 0 : c - 1], group.why);
      if (group.diverged > 0)
        return fmt::format("{} gives no finite {} from {} on in {} of {} seeds.", name(row), metric_.title(),
                           length, group.diverged, group.diverged + group.summary.n);
    }
    return "";
  }

  /// The best score of a row's seeds in the metric of the gate, at the training length.
  std::string best_at_gate(const std::string& row) const {
    const MetricSpec& metric = metric_of(result_, result_.gate->metric);
    const Index length = first_cell(result_, row).train_length;
    double best = not_a_number;
    for (const double value : at(result_, row, length, trained_condition, metric).values)
      best = metric.lower_is_better() ? std::fmin(best, value) : std::fmax(best, value);
    return format_value(best);
  }

  /// A model that did not learn the task has not failed to extrapolate: "Not ranked, because … (…): “a” (0 of 3 seeds, the best
  /// 0.4), …". Empty if all rows learned it.
  std::string unranked() const {
    std::vector<std::string> each;
    for (const RowInfo& row : rows_) {
      const Learning learning = learning_of(result_, row.label);
      if (learning.most()) continue;
      each.push_back(fmt::format("{} ({} of {} seeds, the best {})", name(row.label), learning.learned,
                                 learning.cells, best_at_gate(row.label)));
    }
    if (each.empty()) return "";
    return fmt::format(
        "Not ranked, because most seeds did not learn the task ({}): {}. More train.steps or another "
        "train.learning_rate may help.",
        result_.gate->text, joined(each));
  }

  const ExperimentResult& result_;
  const MetricSpec& metric_ = result_.metrics.front();
  const std::vector<RowInfo> rows_ = rows_of(result_);
  const std::vector<Index> lengths_;  // of the columns
  const std::vector<Column> columns_;
  const Index seeds_;
  const Differences differences_;  // all comparisons of the page, corrected together
};

bool is_empty(const ExperimentResult& result) { return result.lengths.empty() || rows_of(result).empty(); }

constexpr const char* nothing = "No cell has been run yet.";

}  // namespace

std::string answer(const ExperimentResult& result) {
  return is_empty(result) ? nothing : Sentences(result).answer();
}

std::vector<std::string> verdicts(const ExperimentResult& result) {
  return is_empty(result) ? std::vector<std::string>{nothing} : Sentences(result).verdicts();
}

std::set<std::string> undecided_rows(const ExperimentResult& result) {
  return is_empty(result) ? std::set<std::string>{} : Sentences(result).undecided_rows();
}

}  // namespace ordinal::experiments
