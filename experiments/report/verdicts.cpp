// Each function below makes one kind of sentence; verdicts() puts them in the order in which a reader needs
// them.
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

constexpr std::size_t most_named = 6;  // a sentence with more rows counts them

/// Everything that the sentences below draw on. `base` is the column of the training length (or the first).
struct Context {
  const ExperimentResult& result;
  const Comparison comparison;
  const std::size_t base;
  const std::size_t last;

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
};

Context make_context(const ExperimentResult& result) {
  const auto& lengths = result.lengths;
  const auto base = std::find(lengths.begin(), lengths.end(), result.train_length);
  const std::size_t column = base == lengths.end() ? 0 : static_cast<std::size_t>(base - lengths.begin());
  return {result, compare(result, Scored::all_positions), column, lengths.empty() ? 0 : lengths.size() - 1};
}

/// "a, b and c".
std::string join(std::vector<std::string> words) {
  if (words.size() < 2) return joined(words);
  const std::string last = std::move(words.back());
  words.pop_back();
  return joined(words) + " and " + last;
}

/// Names stand in quotes, because an encoding is called none.
std::string quoted(const std::string& name) { return "“" + name + "”"; }

std::string with_n(const Summary& summary) {
  return fmt::format("{} (n = {})", format_mean(summary), summary.n);
}

std::string interval(const PairedComparison& pairs) {
  return fmt::format("95 % interval {} to {}", format_value(pairs.low), format_value(pairs.high));
}

/// "At 8x …, “none” has the lowest bits per token: 1.9 ± 0.1 (n = 3); it beats “a” by …; its lead over “b” is
/// within …"
std::string ranking(const Context& context, std::size_t column) {
  const Comparison& comparison = context.comparison;
  const bool lower = context.result.metric.lower_is_better;
  const Index best = best_row(comparison, static_cast<Index>(column), lower);
  if (best < 0) return fmt::format("At {} no row has a number.", context.place(column));

  const ComparisonRow& winner = comparison.rows[static_cast<std::size_t>(best)];
  const Entry& top = winner.entries[column];
  std::vector<std::string> beaten;
  std::vector<std::string> tied;
  std::size_t closest = 0;  // of those beaten
  double smallest_lead = INFINITY;
  for (const ComparisonRow& row : comparison.rows) {
    const Entry& entry = row.entries[column];
    if (&row == &winner || !entry.has_number()) continue;
    const PairedComparison pairs = lower ? compare_entries(entry, top) : compare_entries(top, entry);
    if (pairs.decision == Decision::holds) {
      if (pairs.effect < smallest_lead) closest = beaten.size();
      smallest_lead = std::min(smallest_lead, pairs.effect);
      beaten.push_back(
          fmt::format("{} by {} ({})", quoted(row.label), format_value(pairs.effect), interval(pairs)));
    } else {
      tied.push_back(quoted(row.label));
    }
  }
  std::string text =
      fmt::format("At {}, {} has the {} {}: {}", context.place(column), quoted(winner.label),
                  lower ? "lowest" : "highest", context.result.metric.name, with_n(top.summary));
  if (beaten.size() > most_named) {
    text += fmt::format("; it beats {} rows, the closest of them {}", beaten.size(), beaten[closest]);
  } else if (!beaten.empty()) {
    text += fmt::format("; it beats {}", join(beaten));
  }
  const std::string others = tied.size() > most_named ? fmt::format("{} rows", tied.size()) : join(tied);
  if (!tied.empty()) {
    text += top.summary.n < 2 ? fmt::format("; one seed cannot tell it from {}", others)
                              : fmt::format("; its lead over {} is within the noise between seeds", others);
  }
  return text + ".";
}

/// "At 8x …, bits per token of “sinusoidal” rises from … at 1x to …, a change of … (95 % interval …)."
std::string change(const Context& context, const ComparisonRow& row) {
  const Entry& from = row.entries[context.base];
  const Entry& to = row.entries[context.last];
  const PairedComparison pairs = compare_entries(to, from);
  const std::string subject = fmt::format("At {}, {} of {}", context.place(context.last),
                                          context.result.metric.name, quoted(row.label));
  const std::string numbers = fmt::format("from {} at {} to {}", format_mean(from.summary),
                                          context.multiple(context.base), with_n(to.summary));
  if (pairs.n < 2) return fmt::format("{} goes {}; one seed does not show the noise.", subject, numbers);
  if (pairs.decision == Decision::undecided) {
    return fmt::format("{} stays within the noise between seeds: {}, a change of {} ({}).", subject, numbers,
                       format_value(pairs.effect), interval(pairs));
  }
  return fmt::format("{} {} {}, a change of {} ({}).", subject, pairs.effect > 0.0 ? "rises" : "falls",
                     numbers, format_value(pairs.effect), interval(pairs));
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
                       context.result.metric.name, context.comparison.lengths[column], entry.diverged,
                       entry.diverged + entry.summary.n + entry.failed);
  }
  return "";
}

/// A model that is no better than the reference where it was trained has not failed to extrapolate.
std::string not_learned(const Context& context, const ComparisonRow& row) {
  if (!context.result.reference) return "";
  const ReferenceLine& reference = *context.result.reference;
  const Entry& entry = row.entries[context.base];
  const double gain = context.result.metric.lower_is_better ? reference.value - entry.summary.mean
                                                            : entry.summary.mean - reference.value;
  if (!entry.has_number() || !(gain <= 0.0)) return "";
  return fmt::format(
      "{} did not learn the task: {} at {} against {} for {}. Its other lengths say nothing about "
      "extrapolation.",
      quoted(row.label), with_n(entry.summary), context.place(context.base), format_value(reference.value),
      reference.label);
}

}  // namespace

std::vector<std::string> verdicts(const ExperimentResult& result) {
  const Context context = make_context(result);
  if (context.comparison.rows.empty() || context.comparison.lengths.empty()) {
    return {"No cell has been run yet."};
  }
  std::vector<std::string> sentences;
  if (const std::string condition = conditions_of(result).front(); condition != trained_condition) {
    sentences.push_back(fmt::format("These sentences are about the scores under {}.", condition));
  }
  sentences.push_back(ranking(context, context.base));
  if (context.last != context.base) sentences.push_back(ranking(context, context.last));
  for (const ComparisonRow& row : context.comparison.rows) {
    const bool both = row.entries[context.base].has_number() && row.entries[context.last].has_number();
    if (both && context.last != context.base) sentences.push_back(change(context, row));
    for (const std::string& trouble :
         {failure(context, row), divergence(context, row), not_learned(context, row)}) {
      if (!trouble.empty()) sentences.push_back(trouble);
    }
  }
  return sentences;
}

}  // namespace ordinal::experiments
