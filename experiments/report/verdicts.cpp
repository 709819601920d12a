// Each function below makes one kind of sentence; verdicts() orders them.
#include "experiments/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/report/causes.h"
#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"
#include "experiments/tasks/metric.h"
#include "framework/core/options.h"

namespace ordinal::experiments {
namespace {

constexpr std::size_t most_named = 6;  // a sentence with more rows counts them

/// The input of the sentences below. `base` is the column of the training length (or the first).
struct Context {
  const ExperimentResult& result;
  const Comparison comparison;
  const std::size_t base;
  const std::size_t last;
  PairwiseComparisons at_base;
  PairwiseComparisons at_last;
  std::vector<PairedComparison> changes;  // of each row, from base to last; of ranked rows only
  Index tests = 0;

  /// "8x", or "length 512" if rows differ in the training length.
  std::string multiple(std::size_t column) const {
    const Index length = comparison.lengths[column];
    return result.train_length == 0 ? fmt::format("length {}", length)
                                    : multiple_of(length, result.train_length);
  }
  /// "the training length of 64", "8x the training length (512)" or "length 512".
  std::string place(std::size_t column) const {
    const Index length = comparison.lengths[column];
    if (length == result.train_length) return fmt::format("the training length of {}", length);
    if (result.train_length == 0) return multiple(column);
    return fmt::format("{} the training length ({})", multiple(column), length);
  }
  /// Smaller differences count as equivalent.
  double margin() const { return margin_of(comparison.metric); }
};

/// All comparisons of the page are corrected together.
Context make_context(const ExperimentResult& result) {
  const auto& lengths = result.lengths;
  const auto found = std::find(lengths.begin(), lengths.end(), result.train_length);
  const std::size_t base = found == lengths.end() ? 0 : static_cast<std::size_t>(found - lengths.begin());
  const std::size_t last = lengths.empty() ? 0 : lengths.size() - 1;
  const Comparison comparison = compare(result);
  if (lengths.empty()) return {result, comparison, 0, 0, {comparison, 0}, {comparison, 0}, {}};
  Context context{result, comparison, base, last, {comparison, base}, {comparison, last}, {}};
  std::vector<PairedComparison*> all = context.at_base.all();
  for (const ComparisonRow& row : comparison.rows) {
    const bool both = last != base && row.is_ranked(base) && row.is_ranked(last);
    context.changes.push_back(both ? compare_entries(row.entries[last], row.entries[base], comparison.metric)
                                   : PairedComparison{});
  }
  for (PairedComparison& change : context.changes) all.push_back(&change);
  if (last != base) {
    for (PairedComparison* pairs : context.at_last.all()) all.push_back(pairs);
  }
  context.tests = std::ssize(all) * result.looks;
  correct(all, context.tests - std::ssize(all));
  return context;
}

/// "a, b and c".
std::string join(std::vector<std::string> words) {
  if (words.size() < 2) return joined(words);
  const std::string last = std::move(words.back());
  words.pop_back();
  return joined(words) + " and " + last;
}

/// Names are quoted, because one encoding is called none.
std::string quoted(const std::string& name) { return "“" + name + "”"; }

/// "; P(learned): 4 of 5, 0.28 to 0.99; P(success): 3 of 4, 0.19 to 0.99", as far as there are such.
std::string shares(const Context& context, const ComparisonRow& row, std::size_t column) {
  std::string text;
  const Index known = row.learned_cells + row.not_learned;
  if (known > 0) text += "; P(learned): " + share_text(row.learned_cells, known);
  const Entry& entry = row.entries[column];
  if (const auto count = successes(entry, context.comparison.metric))
    text += "; P(success): " + share_text(*count, entry.summary.n);
  return text;
}

/// "0.983 ± 0.011 (n = 4; P(learned): 4 of 5, 0.28 to 0.99)".
std::string with_n(const Context& context, const ComparisonRow& row, std::size_t column) {
  const Summary& summary = row.entries[column].summary;
  return fmt::format("{} (n = {}{})", format_mean(summary), summary.n, shares(context, row, column));
}

/// Empty if there are enough seeds for verdicts.
std::string too_few_seeds(const Comparison& comparison) {
  if (comparison.seeds == 0 || comparison.seeds >= fewest_for_intervals) return "";
  const char* seeds = comparison.seeds == 1 ? "One seed shows" : "Two seeds show";
  return fmt::format(
      "{} no spread to judge by: no intervals and no verdicts under {} seeds (experiment.seeds).", seeds,
      fewest_for_intervals);
}

std::string interval(const PairedComparison& pairs) {
  if (pairs.has_no_spread()) return "the same in every seed, which is no verdict";
  if (std::isnan(pairs.low)) return "too few seeds for an interval";
  return fmt::format("interval {} to {}", format_value(pairs.low), format_value(pairs.high));
}

/// "6 rows" if there are many.
std::string named(const std::vector<std::string>& rows) {
  return rows.size() > most_named ? fmt::format("{} rows", rows.size()) : join(rows);
}

/// How the other ranked rows compare with the best one.
struct Standing {
  std::vector<std::string> beaten;
  std::vector<std::string> leads;       // over those, with the interval
  std::vector<std::string> equivalent;  // within the margin
  std::vector<std::string> undecided;
  std::vector<std::size_t> open;  // the rows of `undecided`
  std::size_t closest = 0;        // of those beaten

  bool is_empty() const { return beaten.empty() && equivalent.empty() && undecided.empty(); }
};

Standing standing(const Context& context, std::size_t column, std::size_t best) {
  const auto& rows = context.comparison.rows;
  Standing standing;
  double smallest_lead = INFINITY;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == best || !rows[r].is_ranked(column)) continue;
    const PairedComparison lead =
        (column == context.base ? context.at_base : context.at_last).better(best, r);
    const std::string name = quoted(rows[r].label);
    if (lead.decision == Decision::holds) {
      if (lead.effect < smallest_lead) standing.closest = standing.beaten.size();
      smallest_lead = std::min(smallest_lead, lead.effect);
      standing.beaten.push_back(name);
      standing.leads.push_back(fmt::format("{} by {} ({})", name, format_value(lead.effect), interval(lead)));
    } else if (equivalent(lead, context.margin(), context.tests)) {
      standing.equivalent.push_back(name);
    } else {
      standing.undecided.push_back(name);
      standing.open.push_back(r);
    }
  }
  return standing;
}

std::string name_at(const Context& context, std::size_t column) {
  const std::string& name = context.comparison.metric.name;
  const bool within = context.comparison.lengths[column] <= context.result.train_length;
  return within ? name_within_training(name) : name;
}

/// "At 8x …, “none” has the lowest bits per token, 1.9 ± 0.1". The only row of an experiment is not ranked: "At 8x …, the
/// bits per token of “none” is 1.9 ± 0.1".
std::string leader(const Context& context, std::size_t column, const ComparisonRow& row, const char* sign,
                   const std::string& value) {
  const MetricInfo& metric = context.comparison.metric;
  const std::string at = fmt::format("At {}, ", context.place(column));
  if (context.comparison.rows.size() == 1)
    return fmt::format("{}the {} of {} is {}", at, name_at(context, column), quoted(row.label), value);
  const bool some_unranked = std::ranges::any_of(
      context.comparison.rows, [](const ComparisonRow& one) { return one.cells > 0 && !one.learned(); });
  return fmt::format("{}{} has the {} {}{}{} {}", at, quoted(row.label),
                     metric.lower_is_better ? "lowest" : "highest", name_at(context, column),
                     some_unranked ? " of the rows that learned the task" : "", sign, value);
}

/// "At 8x …, “none” has the lowest bits per token: 1.9 ± 0.1 (n = 3); its typical seed beats “a” by …; it is equivalent to “b”
/// within 0.05; it cannot be told from “c”."
std::string ranking(const Context& context, std::size_t column) {
  const Index best = best_row(context.comparison, column);
  if (best < 0) return fmt::format("At {} no row is ranked.", context.place(column));
  const ComparisonRow& winner = context.comparison.rows[static_cast<std::size_t>(best)];
  const Standing others = standing(context, column, static_cast<std::size_t>(best));
  std::string text = leader(context, column, winner, ":", with_n(context, winner, column));
  if (others.beaten.size() > most_named) {
    text += fmt::format("; its typical seed beats {} rows, the closest of them {}", others.beaten.size(),
                        others.leads[others.closest]);
  } else if (!others.beaten.empty()) {
    text += fmt::format("; its typical seed beats {}", join(others.leads));
  }
  if (!others.equivalent.empty()) {
    text += fmt::format("; {} {} equivalent to it within {}", named(others.equivalent),
                        others.equivalent.size() == 1 ? "is" : "are", format_value(context.margin()));
  }
  if (!others.undecided.empty()) {
    text += fmt::format("; these seeds cannot tell it from {}", named(others.undecided));
  }
  return text + ".";
}

/// "From 1x to 8x, bits per token of “sinusoidal” rises from … to …, a change of … (interval …)."
std::string change(const Context& context, std::size_t r) {
  const ComparisonRow& row = context.comparison.rows[r];
  const PairedComparison& pairs = context.changes[r];
  if (!row.is_ranked(context.base) || !row.is_ranked(context.last) || context.base == context.last) return "";
  const std::string subject =
      fmt::format("From {} to {}, the {} of {}", context.multiple(context.base),
                  context.multiple(context.last), context.comparison.metric.name, quoted(row.label));
  const std::string numbers = fmt::format("from {} to {}", format_mean(row.entries[context.base].summary),
                                          with_n(context, row, context.last));
  const std::string effect = fmt::format("a change of {} ({})", format_value(pairs.effect), interval(pairs));
  if (pairs.decision != Decision::undecided) {
    return fmt::format("{} {} {}, {}.", subject, pairs.effect > 0.0 ? "rises" : "falls", numbers, effect);
  }
  return fmt::format("{} {}: {}, {}.", subject,
                     equivalent(pairs, context.margin(), context.tests)
                         ? fmt::format("stays the same within {}", format_value(context.margin()))
                         : "may or may not change",
                     numbers, effect);
}

/// "“learned” cannot run past 64: …". Empty if it runs everywhere.
std::string failure(const Context& context, const ComparisonRow& row) {
  const auto fails = [](const Entry& entry) { return entry.failed > 0; };
  const auto first = std::find_if(row.entries.begin(), row.entries.end(), fails);
  if (first == row.entries.end()) return "";
  const auto at = static_cast<std::size_t>(first - row.entries.begin());
  const std::string where = at == 0 ? fmt::format("at {}", context.comparison.lengths[0])
                                    : fmt::format("past {}", context.comparison.lengths[at - 1]);
  return fmt::format("{} cannot run {}: {}", quoted(row.label), where, first->why);
}

std::string divergence(const Context& context, const ComparisonRow& row) {
  for (std::size_t column = 0; column < row.entries.size(); ++column) {
    const Entry& entry = row.entries[column];
    if (entry.diverged == 0) continue;
    return fmt::format("{} gives no finite {} from {} on in {} of {} seeds.", quoted(row.label),
                       context.comparison.metric.name, context.comparison.lengths[column], entry.diverged,
                       entry.diverged + entry.summary.n + entry.failed);
  }
  return "";
}

// The best score of a row's seeds in the metric of the gate, at the training length.
double best_at_gate(const ExperimentResult& result, const std::string& row) {
  const bool lower_is_better = metric_of(result, result.gate->metric).lower_is_better;
  double best = not_a_number;
  for (const CellResult& cell : result.cells) {
    if (cell.row != row) continue;
    for (const LengthScore& score : cell.scores) {
      const Measurement* measured = score.find(result.gate->metric);
      if (score.length != cell.train_length || score.condition != trained_condition || measured == nullptr)
        continue;
      if (!((lower_is_better ? measured->value >= best : measured->value <= best))) best = measured->value;
    }
  }
  return best;
}

/// A model that did not learn the task has not failed to extrapolate.
std::string not_learned(const Context& context, const ComparisonRow& row) {
  if (row.not_learned == 0) return "";
  const std::string how_many =
      fmt::format("{} of {} {}", row.not_learned, row.cells, row.cells == 1 ? "seed" : "seeds");
  if (row.learned()) {
    return fmt::format(
        "{} did not learn the task in {} (P(learned): {}); its numbers are those of the others.",
        quoted(row.label), how_many, share_text(row.learned_cells, row.cells));
  }
  return fmt::format(
      "{} did not learn the task in {} (P(learned): {}; learned: {}) and is not ranked. Its best seed "
      "reaches {} there; more "
      "train.steps or "
      "another train.learning_rate may help.",
      quoted(row.label), how_many, share_text(row.learned_cells, row.cells), context.result.gate->text,
      format_value(best_at_gate(context.result, row.label)));
}

/// The same for several rows: "Not ranked, because … (…): “a” (0 of 3 seeds, the best 0.4), …".
std::string unranked(const Context& context, const std::vector<const ComparisonRow*>& rows) {
  if (rows.size() == 1) return not_learned(context, *rows.front());
  std::vector<std::string> each;
  for (const ComparisonRow* row : rows)
    each.push_back(fmt::format("{} ({} of {} seeds, the best {})", quoted(row->label), row->learned_cells,
                               row->cells, format_value(best_at_gate(context.result, row->label))));
  return fmt::format(
      "Not ranked, because most seeds did not learn the task ({}): {}. More train.steps or another "
      "train.learning_rate may help.",
      context.result.gate->text, joined(each));
}

/// "better than “a” and “b”, not distinguishable from 5 rows".
std::string against_others(const Standing& others) {
  std::vector<std::string> parts;
  const auto add = [&](const char* how, const std::vector<std::string>& rows) {
    if (!rows.empty()) parts.push_back(fmt::format("{} {}", how, named(rows)));
  };
  add("better than", others.beaten);
  add("equivalent to", others.equivalent);
  add("not distinguishable from", others.undecided);
  return joined(parts, ", ");
}

}  // namespace

std::string answer(const ExperimentResult& result) {
  const Context context = make_context(result);
  if (context.comparison.rows.empty() || context.comparison.lengths.empty())
    return "No cell has been run yet.";
  const Index best = best_row(context.comparison, context.last);
  const ComparisonRow& first = context.comparison.rows.front();
  if (context.comparison.rows.size() == 1 && !first.learned()) return not_learned(context, first);
  if (best < 0) return ranking(context, context.last);
  const auto winner = static_cast<std::size_t>(best);
  const Standing others = standing(context, context.last, winner);
  const ComparisonRow& row = context.comparison.rows[winner];
  const Summary& top = row.entries[context.last].summary;
  const std::string few = too_few_seeds(context.comparison);
  const std::string share = shares(context, row, context.last);
  std::string text = leader(context, context.last, row, ",", format_mean(top));
  if (!share.empty()) text += fmt::format(" ({})", share.substr(2));
  if (few.empty() && !others.is_empty()) text += ": " + against_others(others);
  return text + "." + (few.empty() || context.comparison.rows.size() == 1 ? "" : " " + few);
}

std::set<std::string> undecided_rows(const ExperimentResult& result) {
  std::set<std::string> rows;
  const Context context = make_context(result);
  if (context.comparison.rows.empty() || context.comparison.lengths.empty()) return rows;
  for (const std::size_t column : {context.base, context.last}) {
    const Index best = best_row(context.comparison, column);
    if (best < 0) continue;
    const Standing others = standing(context, column, static_cast<std::size_t>(best));
    for (const std::size_t r : others.open) rows.insert(context.comparison.rows[r].label);
    if (!others.open.empty()) rows.insert(context.comparison.rows[static_cast<std::size_t>(best)].label);
  }
  return rows;
}

std::vector<std::string> verdicts(const ExperimentResult& result) {
  const Context context = make_context(result);
  if (context.comparison.rows.empty() || context.comparison.lengths.empty()) {
    return {"No cell has been run yet."};
  }
  std::vector<std::string> sentences;
  if (const std::string condition = conditions_of(result).front(); condition != trained_condition) {
    sentences.push_back(fmt::format("These sentences are about the scores under {}.", condition));
  }
  std::vector<std::size_t> columns = {context.base};
  if (context.last != context.base) columns.push_back(context.last);
  const bool is_alone = context.comparison.rows.size() == 1;
  const std::string few = too_few_seeds(context.comparison);
  if (!few.empty()) {
    sentences.push_back(few);
    columns.clear();
  }
  for (const std::size_t column : columns) {
    const bool has_best = best_row(context.comparison, column) >= 0;
    if (has_best || !is_alone) sentences.push_back(ranking(context, column));
  }
  std::vector<const ComparisonRow*> not_ranked;
  for (const ComparisonRow& row : context.comparison.rows)
    if (row.not_learned > 0 && !row.learned()) not_ranked.push_back(&row);
  if (!not_ranked.empty()) sentences.push_back(unranked(context, not_ranked));
  for (std::size_t r = 0; r < context.comparison.rows.size(); ++r) {
    const ComparisonRow& row = context.comparison.rows[r];
    for (const std::string& sentence :
         {few.empty() ? change(context, r) : "", row.learned() ? not_learned(context, row) : "",
          failure(context, row), divergence(context, row)}) {
      if (!sentence.empty()) sentences.push_back(sentence);
    }
  }
  for (const std::string& sentence : cause_sentences(result)) sentences.push_back(sentence);
  return sentences;
}

}  // namespace ordinal::experiments
