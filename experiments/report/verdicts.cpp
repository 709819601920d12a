// Each private function of Sentences makes one kind of sentence; the public ones order them.
#include "experiments/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"
#include "experiments/tasks/metric.h"
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
        comparison_(compare(result)),
        base_(column_of_training(result)),
        last_(result.lengths.size() - 1),
        margin_(margin_of(comparison_.metric)),
        differences_(comparison_, base_, last_, result.looks) {}

  std::string answer() const {
    const std::optional<std::size_t> best = best_row(comparison_, last_);
    if (rows_.size() == 1 && !rows_.front().learned()) return not_learned(0);
    if (!best) return ranking(last_);
    std::string text = leader(last_, *best, ",", format_mean(rows_[*best].entries[last_].summary));
    if (const std::string share = shares(*best, last_); !share.empty()) text += fmt::format(" ({})", share);
    const std::string few = too_few_seeds();
    if (!few.empty()) return text + "." + (rows_.size() == 1 ? "" : " " + few);
    std::vector<std::string> parts;
    const Standing others = standing(last_, *best);
    for (const auto& [how, rows] : {std::pair{"better than ", &others.beaten},
                                    {"equivalent to ", &others.equivalent},
                                    {"not distinguishable from ", &others.undecided}}) {
      if (!rows->empty()) parts.push_back(how + names(*rows));
    }
    return text + (parts.empty() ? "" : ": ") + joined(parts) + ".";
  }

  std::vector<std::string> verdicts() const {
    std::vector<std::string> sentences;
    const auto add = [&](const std::string& sentence) {
      if (!sentence.empty()) sentences.push_back(sentence);
    };
    if (const std::string condition = conditions_of(result_).front(); condition != trained_condition)
      add(fmt::format("These sentences are about the scores under {}.", condition));
    const std::string few = too_few_seeds();
    add(few);
    for (const std::size_t column : columns()) {
      const bool can_rank = rows_.size() > 1 || best_row(comparison_, column);
      if (few.empty() && can_rank) add(ranking(column));
    }
    std::vector<std::size_t> not_ranked;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (!rows_[r].learned()) not_ranked.push_back(r);
    if (!not_ranked.empty()) add(unranked(not_ranked));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (few.empty()) add(change(r));
      if (rows_[r].learned()) add(not_learned(r));
      add(failure(r));
      add(divergence(r));
    }
    return sentences;
  }

  std::set<std::string> undecided_rows() const {
    std::set<std::string> rows;
    for (const std::size_t column : columns()) {
      const std::optional<std::size_t> best = best_row(comparison_, column);
      const Standing others = best ? standing(column, *best) : Standing{};
      for (const std::size_t r : others.undecided) rows.insert({rows_[r].label, rows_[*best].label});
    }
    return rows;
  }

 private:
  static std::size_t column_of_training(const ExperimentResult& result) {
    const auto found = std::ranges::find(result.lengths, result.train_length);
    return found == result.lengths.end() ? 0 : static_cast<std::size_t>(found - result.lengths.begin());
  }

  std::vector<std::size_t> columns() const {
    return base_ == last_ ? std::vector{base_} : std::vector{base_, last_};
  }

  /// "8x", or "length 512" if rows differ in the training length.
  std::string multiple(std::size_t column) const {
    const Index length = comparison_.lengths[column];
    return result_.train_length == 0 ? fmt::format("length {}", length)
                                     : multiple_of(length, result_.train_length);
  }

  /// "the training length of 64", "8x the training length (512)" or "length 512".
  std::string place(std::size_t column) const {
    const Index length = comparison_.lengths[column];
    if (length == result_.train_length) return fmt::format("the training length of {}", length);
    if (result_.train_length == 0) return multiple(column);
    return fmt::format("{} the training length ({})", multiple(column), length);
  }

  /// Names are quoted, because one encoding is called none.
  std::string name(std::size_t row) const { return "“" + rows_[row].label + "”"; }

  /// "6 rows" if there are many.
  std::string names(const std::vector<std::size_t>& rows) const {
    if (rows.size() > most_named) return fmt::format("{} rows", rows.size());
    std::vector<std::string> names;
    for (const std::size_t row : rows) names.push_back(name(row));
    return join(names);
  }

  /// "P(learned): 4 of 5, 0.28 to 0.99; P(success): 3 of 4, 0.19 to 0.99", where these exist.
  std::string shares(std::size_t row, std::size_t column) const {
    std::vector<std::string> shares;
    const Index known = rows_[row].learned_cells + rows_[row].not_learned;
    if (known > 0) shares.push_back("P(learned): " + share_text(rows_[row].learned_cells, known));
    const Entry& entry = rows_[row].entries[column];
    if (const auto count = successes(entry, comparison_.metric))
      shares.push_back("P(success): " + share_text(*count, entry.summary.n));
    return joined(shares, "; ");
  }

  /// "0.983 ± 0.011 (n = 4; P(learned): 4 of 5, 0.28 to 0.99)".
  std::string with_n(std::size_t row, std::size_t column) const {
    const Summary& summary = rows_[row].entries[column].summary;
    const std::string more = shares(row, column);
    return fmt::format("{} (n = {}{}{})", format_mean(summary), summary.n, more.empty() ? "" : "; ", more);
  }

  /// Empty if there are enough seeds for verdicts.
  std::string too_few_seeds() const {
    if (comparison_.seeds == 0 || comparison_.seeds >= fewest_for_intervals) return "";
    return fmt::format(
        "{} no spread to judge by: no intervals and no verdicts under {} seeds (experiment.seeds).",
        comparison_.seeds == 1 ? "One seed shows" : "Two seeds show", fewest_for_intervals);
  }

  Standing standing(std::size_t column, std::size_t best) const {
    Standing standing;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (r == best || !rows_[r].is_ranked(column)) continue;
      const PairedComparison pairs = differences_.better(column, best, r);
      auto& group = pairs.decision == Decision::holds                  ? standing.beaten
                    : equivalent(pairs, margin_, differences_.tests()) ? standing.equivalent
                                                                       : standing.undecided;
      group.push_back(r);
    }
    return standing;
  }

  /// "At 8x …, “none” has the lowest bits per token, 1.9 ± 0.1". The only row of an experiment is not ranked: "At 8x …, the
  /// bits per token of “none” is 1.9 ± 0.1".
  std::string leader(std::size_t column, std::size_t row, const char* sign, const std::string& value) const {
    const MetricInfo& metric = comparison_.metric;
    const bool is_within = comparison_.lengths[column] <= result_.train_length;
    const std::string what = is_within ? name_within_training(metric.name) : metric.name;
    if (rows_.size() == 1)
      return fmt::format("At {}, the {} of {} is {}", place(column), what, name(row), value);
    const bool all_learned = std::ranges::all_of(rows_, &ComparisonRow::learned);
    return fmt::format("At {}, {} has the {} {}{}{} {}", place(column), name(row),
                       metric.lower_is_better ? "lowest" : "highest", what,
                       all_learned ? "" : " of the rows that learned the task", sign, value);
  }

  /// "At 8x …, “none” has the lowest bits per token: 1.9 ± 0.1 (n = 3); its typical seed beats “a” by …; it is equivalent to “b”
  /// within 0.05; it cannot be told from “c”."
  std::string ranking(std::size_t column) const {
    const std::optional<std::size_t> best = best_row(comparison_, column);
    if (!best) return fmt::format("At {} no row is ranked.", place(column));
    const auto beats = [&](std::size_t row) {
      const PairedComparison pairs = differences_.better(column, *best, row);
      return fmt::format("{} by {} ({})", name(row), format_value(pairs.effect), interval(pairs));
    };
    const Standing others = standing(column, *best);
    std::string text = leader(column, *best, ":", with_n(*best, column));
    if (others.beaten.size() > most_named) {
      const std::size_t closest = *std::ranges::min_element(
          others.beaten, {}, [&](std::size_t row) { return differences_.better(column, *best, row).effect; });
      text += fmt::format("; its typical seed beats {}, the closest of them {}", names(others.beaten),
                          beats(closest));
    } else if (!others.beaten.empty()) {
      std::vector<std::string> each;
      for (const std::size_t row : others.beaten) each.push_back(beats(row));
      text += "; its typical seed beats " + join(each);
    }
    if (!others.equivalent.empty()) {
      text += fmt::format("; {} {} equivalent to it within {}", names(others.equivalent),
                          others.equivalent.size() == 1 ? "is" : "are", format_value(margin_));
    }
    if (!others.undecided.empty()) text += "; these seeds cannot tell it from " + names(others.undecided);
    return text + ".";
  }

  /// "From 1x to 8x, the bits per token of “sinusoidal” rises from … to …, a change of … (interval …)."
  std::string change(std::size_t row) const {
    const PairedComparison& pairs = differences_.change(row);
    if (!rows_[row].is_ranked(base_) || !rows_[row].is_ranked(last_) || base_ == last_) return "";
    const std::string how = pairs.decision != Decision::undecided ? pairs.effect > 0.0 ? "rises" : "falls"
                            : equivalent(pairs, margin_, differences_.tests())
                                ? fmt::format("stays the same within {}:", format_value(margin_))
                                : "may or may not change:";
    return fmt::format("From {} to {}, the {} of {} {} from {} to {}, a change of {} ({}).", multiple(base_),
                       multiple(last_), comparison_.metric.name, name(row), how,
                       format_mean(rows_[row].entries[base_].summary), with_n(row, last_),
                       format_value(pairs.effect), interval(pairs));
  }

  /// "“learned” cannot run past 64: …". Empty if it runs everywhere.
  std::string failure(std::size_t row) const {
    const std::vector<Entry>& entries = rows_[row].entries;
    const auto first = std::ranges::find_if(entries, [](const Entry& entry) { return entry.failed > 0; });
    if (first == entries.end()) return "";
    const auto at = static_cast<std::size_t>(first - entries.begin());
    return fmt::format("{} cannot run {} {}: {}", name(row), at == 0 ? "at" : "past",
                       comparison_.lengths[at == 0 ? 0 : at - 1], first->why);
  }

  std::string divergence(std::size_t row) const {
    const std::vector<Entry>& entries = rows_[row].entries;
    const auto first = std::ranges::find_if(entries, [](const Entry& entry) { return entry.diverged > 0; });
    if (first == entries.end()) return "";
    return fmt::format("{} gives no finite {} from {} on in {} of {} seeds.", name(row),
                       comparison_.metric.name,
                       comparison_.lengths[static_cast<std::size_t>(first - entries.begin())],
                       first->diverged, first->diverged + first->summary.n + first->failed);
  }

  /// The best score of a row's seeds in the metric of the gate, at the training length.
  std::string best_at_gate(std::size_t row) const {
    const bool lower_is_better = metric_of(result_, result_.gate->metric).lower_is_better;
    double best = not_a_number;
    for (const CellResult& cell : result_.cells) {
      const Measurement* score = cell.row == rows_[row].label ? gate_score(result_, cell) : nullptr;
      if (score != nullptr)
        best = lower_is_better ? std::fmin(best, score->value) : std::fmax(best, score->value);
    }
    return format_value(best);
  }

  /// A model that did not learn the task has not failed to extrapolate.
  std::string not_learned(std::size_t r) const {
    const ComparisonRow& row = rows_[r];
    if (row.not_learned == 0) return "";
    const std::string text =
        fmt::format("{} did not learn the task in {} of {} {} (P(learned): {}", name(r), row.not_learned,
                    row.cells, row.cells == 1 ? "seed" : "seeds", share_text(row.learned_cells, row.cells));
    if (row.learned()) return text + "); its numbers are those of the others.";
    return text + fmt::format(
                      "; learned: {}) and is not ranked. Its best seed reaches {} there; more train.steps or "
                      "another train.learning_rate may help.",
                      result_.gate->text, best_at_gate(r));
  }

  /// The same for several rows: "Not ranked, because … (…): “a” (0 of 3 seeds, the best 0.4), …".
  std::string unranked(const std::vector<std::size_t>& rows) const {
    if (rows.size() == 1) return not_learned(rows.front());
    std::vector<std::string> each;
    for (const std::size_t r : rows)
      each.push_back(fmt::format("{} ({} of {} seeds, the best {})", name(r), rows_[r].learned_cells,
                                 rows_[r].cells, best_at_gate(r)));
    return fmt::format(
        "Not ranked, because most seeds did not learn the task ({}): {}. More train.steps or another "
        "train.learning_rate may help.",
        result_.gate->text, joined(each));
  }

  const ExperimentResult& result_;
  const Comparison comparison_;
  const std::vector<ComparisonRow>& rows_ = comparison_.rows;
  const std::size_t base_;  // columns
  const std::size_t last_;
  const double margin_;            // smaller differences count as equivalent
  const Differences differences_;  // all comparisons of the page, corrected together
};

bool is_empty(const ExperimentResult& result) {
  return result.lengths.empty() || compare(result).rows.empty();
}

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
