#include "experiments/report/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/report/comparison.h"
#include "experiments/report/grid.h"
#include "experiments/tasks/reader.h"
#include "framework/core/options.h"

namespace ordinal::experiments {
namespace {

/// Names are quoted, because one encoding is called none.
std::string in_quotes(const std::string& row) { return "“" + row + "”"; }

/// "in 9 of 10 seeds", "in 3 of 10 seeds and level in 5".
std::string count(const Comparison& pair) {
  const Index level = pair.n() - pair.ahead - pair.behind;
  return fmt::format("in {} of {} seeds{}", pair.ahead, pair.n(),
                     level > 0 ? fmt::format(" and level in {}", level) : "");
}

/// "0.570 (0.360 to 0.700)": the median difference with its interval, if there is one.
std::string difference(const Comparison& pair) {
  std::string median = format_value(pair.median());
  if (std::isnan(pair.interval.low)) return median;
  return fmt::format("{} ({} to {})", median, format_value(pair.interval.low),
                     format_value(pair.interval.high));
}

/// "by 0.570 (0.360 to 0.700) in 10 of 10 seeds".
std::string decided(const Comparison& pair) { return fmt::format("by {} {}", difference(pair), count(pair)); }

/// "alibi", "rope", "0.358 (0.310 to 0.413)", "10 of 10", "0.002"; the row that is ahead in more seeds comes first.
std::vector<GridCell> pair_line(Comparison pair, std::string row, std::string other) {
  if (pair.behind > pair.ahead) {
    pair = pair.turned();
    std::swap(row, other);
  }
  const Index level = pair.n() - pair.ahead - pair.behind;
  return {
      {row},
      {other},
      {difference(pair)},
      {fmt::format("{} of {}{}", pair.ahead, pair.n(), level > 0 ? fmt::format(" ({} level)", level) : "")},
      {fmt::format("{:.2g}{}", pair.p(), pair.decision == Decision::undecided ? " (undecided)" : "")}};
}

/// "Near", "Far", or "In bits per token".
std::string subject(const MetricSpec& metric, bool is_past_training) {
  if (metric.sources == SourceRange::within) return "Near";
  if (metric.sources == SourceRange::beyond) return "Far";
  return "In " + metric.title(is_past_training);
}

/// How the row with the best mean does against the next; or, where it is not decided to be ahead of all others, against the best of
/// those that are left. `what` is "Near", `where` "at length 512 (8x)".
std::string leader(const Ranking& ranking, const std::vector<RowInfo>& rows, const std::string& what,
                   const std::string& where) {
  const auto pairs = ranking.of_first();
  const auto is_open = [](const Pair& pair) { return pair.by.decision != Decision::holds; };
  const auto open = std::ranges::find_if(pairs, is_open);
  const auto& [first, next, pair] = open == pairs.end() ? pairs.front() : *open;
  const auto mean = [&](std::size_t row) { return format_mean(ranking.column[row].summary); };
  const std::string best = in_quotes(rows[first].label);
  const std::string other = in_quotes(rows[next].label);
  if (pair.decision == Decision::holds)
    return fmt::format("{}, {} is best {}, {}: ahead of {} {}.", what, best, where, mean(first), other,
                       decided(pair));
  if (pair.decision == Decision::fails)
    return fmt::format("{}, {} has the best mean {}, {}, but is behind {} {}.", what, best, where,
                       mean(first), other, decided(pair.turned()));
  if (pair.ahead + pair.behind == 0)
    return fmt::format("{}, {} and {} are level {}, {}, in all {}.", what, best, other, where, mean(next),
                       counted(pair.n(), "seed"));
  return fmt::format("{}, the best row {} is undecided: {} ({}) is ahead of {} ({}) {}.", what, where, best,
                     mean(first), other, mean(next), count(pair));
}

/// " The reader “4-gram” has 0.353." if a reader that ignores where answers stand has a score as good as this; a reader is compared with no
/// row, because it is not trained with seeds.
std::string readers_as_good(const ExperimentResult& result, const MetricSpec& metric, double score) {
  std::string text;
  for (const Score* reader : best_readers(result, metric))
    if (metric.reached(reader->value, score))
      text += fmt::format(" The reader {} has {}.", in_quotes(reader->row), format_value(reader->value));
  return text;
}

/// The sentence of a headline metric: "Near, “alibi” is best at length 512 (8x), 0.986 ± 0.004: ahead of “rope” by …".
std::string sentence(const ExperimentResult& result, const Ranking& ranking) {
  const auto& [metric, column, ranked, pairs] = ranking;
  const Index last = result.lengths.back();
  const std::string what = subject(metric, last > result.train_length);
  const std::string where = "at length " + length_heading(last, result.train_length);
  const auto has_learned = [](const Group& row) { return row.learning.most(); };
  if (ranked.empty())
    return fmt::format("{}, no row is ranked {}{}.", what, where,
                       std::ranges::none_of(column, has_learned)
                           ? ": fewer than three quarters of the seeds are known to have learned the task"
                           : "");
  const Summary& best = column[ranked.front()].summary;
  const std::string readers = readers_as_good(result, metric, best.mean);
  if (ranked.size() == 1)
    return fmt::format("{}, {} has {} {}{}.{}", what, in_quotes(result.rows[ranked.front()].label),
                       format_mean(best), where, column.size() > 1 ? "; no other row is ranked" : "",
                       readers);
  const bool all_learned = std::ranges::all_of(column, has_learned);
  return leader(ranking, result.rows, what + (all_learned ? "" : ", of the ranked rows"), where) + readers;
}

/// "“majority”, which ignores the order of tokens, passes the learning gate (0.963): …". Empty if none does.
std::string order_blind(const ExperimentResult& result) {
  for (const RowInfo& row : result.rows) {
    for (const Score& score : result.references) {
      const bool passes = knows_at_most(score.row, Knows::counts) && row.gate &&
                          is_about(score.row, row.task) && score.metric.id == row.gate->metric.id &&
                          score.length == result.train_length &&
                          row.gate->metric.reached(score.value, row.gate->threshold);
      if (passes)
        return fmt::format(
            "“{}”, a reader that ignores the order of tokens, passes the learning gate with {} ({}): that a "
            "row learned the task does not show that it uses order.",
            score.row, format_value(score.value), row.gate->text);
    }
  }
  return "";
}

/// "contested recall, …: 0 targets in a seed at 64, 6 at 128; …". Empty if each has enough.
std::string few_targets(const ExperimentResult& result, const MetricSpec& metric) {
  std::vector<std::string> lengths;
  for (const Index length : result.lengths) {
    if (!metric.has_targets(length, result.train_length)) continue;
    const Score* of = score_at(result.references, metric.id, length);
    const Index targets = of == nullptr ? 0 : of->tokens;
    if (targets < fewest_targets) lengths.push_back(fmt::format("{} at {}", targets, length));
  }
  if (lengths.empty() || result.references.empty()) return "";
  return fmt::format("Few targets in a seed for {}: {}; no mean is shown under {} (evaluate.batches).",
                     metric.title(), joined(lengths), fewest_targets);
}

}  // namespace

std::vector<std::string> answer(const ExperimentResult& result) {
  std::vector<std::string> sentences;
  for (const Ranking& ranking : rankings_of(result)) sentences.push_back(sentence(result, ranking));
  return sentences;
}

std::vector<Grid> pair_grids(const ExperimentResult& result) {
  const Index last = result.lengths.back();
  std::vector<Grid> grids;
  for (const Ranking& ranking : rankings_of(result)) {
    if (ranking.pairs.empty()) continue;
    Grid& grid = grids.emplace_back(
        Grid{.title = fmt::format("{}, pairs at length {}", ranking.metric.title(last > result.train_length),
                                  length_heading(last, result.train_length)),
             .names = 2,
             .headings = {"row", "ahead of", "by", "in seeds", "p"}});
    for (const auto& [row, other, by] : ranking.pairs)
      grid.lines.push_back(pair_line(by, result.rows[row].label, result.rows[other].label));
  }
  return grids;
}

std::vector<std::string> warnings(const ExperimentResult& result) {
  std::vector<std::string> warnings{order_blind(result)};
  for (const MetricSpec& metric : headlines(result.metrics)) warnings.push_back(few_targets(result, metric));
  std::erase(warnings, "");
  return warnings;
}

std::vector<std::string> too_few_seeds(const ExperimentResult& result, Index seeds, Index of_claims) {
  const Index rows = std::ssize(result.rows);
  const Index pairs = rows * (rows - 1) / 2 * std::ssize(headlines(result.metrics));
  std::vector<std::string> lines;
  for (const auto& [count, what] : {std::pair(pairs, "rows"), {of_claims, "a claim"}}) {
    if (count == 0 || seeds >= seeds_to_decide(count)) continue;
    lines.push_back(fmt::format("{}: {} comparison of {} can be decided; {} are enough for {}{}.",
                                counted(seeds, "seed"), seeds < seeds_to_decide(1) ? "no" : "not every", what,
                                seeds_to_decide(count),
                                count == 1 ? "it" : fmt::format("all, at most {}", count),
                                result.can_add_seeds ? " (experiment.seeds)" : ""));
  }
  return lines;
}

}  // namespace ordinal::experiments
