#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/report/grid.h"
#include "framework/core/part.h"

namespace ordinal::experiments {
namespace {

using Form = Statement::Form;

// Reads the scores of a quantity. Sets `why` to the first that is missing, if it is empty.
Side read_side(const Quantity& quantity, const StoredScores& stored, const std::vector<std::uint64_t>& seeds,
               std::string& why) {
  Side side;
  for (const std::uint64_t seed : seeds) {
    const auto cell = stored.cells.find({quantity.row, seed});
    const Score* score = cell == stored.cells.end() ? nullptr
                                                    : score_at(cell->second.scores, quantity.metric,
                                                               quantity.at, quantity.condition);
    if (score == nullptr) {
      if (why.empty()) why = fmt::format("no {} of seed {} is stored", quantity.text(), seed);
      continue;
    }
    side.values.push_back(score->value);
    side.learned += cell->second.learned.value_or(false) ? 1 : 0;
    side.known += cell->second.learned ? 1 : 0;
  }
  return side;
}

// The differences of a claim in its seeds, without the margin, and in how many it is ahead.
Comparison compared(const Claim& claim, const std::vector<Side>& sides) {
  const Statement& statement = claim.statement;
  std::vector<double> differences;
  for (std::size_t i = 0; i < sides.front().values.size(); ++i) {
    const double other = statement.right ? sides.back().values[i] : statement.number;
    differences.push_back(sides.front().values[i] - other);
  }
  const auto moved = [&](double sign, double by) {
    std::vector<double> all = differences;
    for (double& difference : all) difference = sign * difference + by;
    return compare(std::move(all));
  };
  Comparison comparison = moved(1.0, 0.0);
  if (statement.form == Form::above) {
    const Comparison above = moved(1.0, -statement.number);
    comparison.ahead = above.ahead;
    comparison.behind = above.behind;
  } else if (statement.form == Form::within) {
    const Comparison above = moved(1.0, statement.number);
    const Comparison below = moved(-1.0, statement.number);
    comparison.ahead = std::min(above.ahead, below.ahead);
    comparison.behind = std::max(above.behind, below.behind);
  }
  comparison.looks = claim.looks;
  return comparison;
}

bool is_better(const std::string& metric, double value, double other) {
  return lower_is_better(metric) ? value < other : value > other;
}

// The reader without a model that does best, but for those that know the answer: the oracle, and that of the last tokens.
const Score* best_reader(const Quantity& quantity, const std::vector<Score>& readers) {
  const Score* best = nullptr;
  for (const Score& reader : readers) {
    if (reader.row == "oracle" || reader.row.starts_with("last ")) continue;
    if (reader.metric != quantity.metric || reader.length != quantity.at) continue;
    if (best == nullptr || is_better(quantity.metric, reader.value, best->value)) best = &reader;
  }
  return best;
}

// Empty if the median of a row is better than every reader, or if no reader was scored.
std::string at_floor(const Claim& claim, const std::vector<Side>& sides, const std::vector<Score>& readers) {
  const std::vector<Quantity> quantities = claim.quantities();
  std::string text;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Score* reader = best_reader(quantities[i], readers);
    const double median = compare(sides[i].values).median();
    if (reader == nullptr || is_better(quantities[i].metric, median, reader->value)) return "";
    if (text.empty()) text = fmt::format("at the floor: {} has {}", reader->row, format_value(reader->value));
  }
  return text;
}

// Which row cannot run or diverged; empty if none.
std::string without_value(const Claim& claim, const std::vector<Side>& sides) {
  const std::vector<Quantity> quantities = claim.quantities();
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const std::vector<double>& values = sides[i].values;
    const auto failed = std::ranges::count_if(values, [](double value) { return std::isnan(value); });
    if (failed > 0)
      return fmt::format("{} has no value in {} of {} seeds", quantities[i].text(), failed, values.size());
  }
  return "";
}

// Why a claim is undecided whatever its differences are; empty if they decide.
std::string obstacle(const Claim& claim, const std::vector<Side>& sides, const StoredScores& stored) {
  const std::vector<Quantity> quantities = claim.quantities();
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    if (4 * sides[i].learned < 3 * sides[i].known)
      return fmt::format("fewer than three quarters of the seeds of {} learned", quantities[i].row);
  }
  return at_floor(claim, sides, stored.readers);
}

std::string mean_of(const Side& side) { return format_value(summarize(side.values).mean); }

}  // namespace

std::string to_string(Verdict verdict) {
  constexpr const char* names[] = {"holds", "fails", "undecided", "not run yet"};
  return names[static_cast<int>(verdict)];
}

std::string ClaimResult::measured() const {
  if (comparison.n() == 0) return why;
  const Statement& statement = claim.statement;
  std::string text = mean_of(sides.front());
  if (statement.right) text += " against " + mean_of(sides.back());
  const std::string how = statement.form == Form::at_least ? fmt::format("above {}", statement.number)
                          : statement.form == Form::within ? fmt::format("within {}", statement.number)
                          : statement.number > 0.0 ? fmt::format("ahead by more than {}", statement.number)
                                                   : "ahead";
  text += fmt::format(", {} in {} of {} seeds, by {}", how, comparison.ahead, comparison.n(),
                      format_effect(comparison.median()));
  if (!std::isnan(comparison.interval.low))
    text += fmt::format(" ({} to {})", format_effect(comparison.interval.low),
                        format_effect(comparison.interval.high));
  std::vector<std::string> learned;
  for (const Side& side : sides) learned.push_back(fmt::format("{}/{}", side.learned, side.known));
  if (sides.front().known > 0) text += "; learned " + joined(learned);
  if (claim.looks > 1) text += fmt::format("; look {}", claim.looks);
  return why.empty() ? text : text + "; " + why;
}

std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const StoredScores& scores,
                                const std::vector<std::uint64_t>& seeds) {
  std::vector<ClaimResult> results;
  for (const Claim& claim : claims) {
    ClaimResult& result = results.emplace_back(ClaimResult{.claim = claim});
    for (const Quantity& quantity : claim.quantities())
      result.sides.push_back(read_side(quantity, scores, seeds, result.why));
    if (!result.why.empty()) {
      result.verdict = Verdict::not_run;
      continue;
    }
    result.why = without_value(claim, result.sides);
    if (!result.why.empty()) continue;
    result.comparison = compared(claim, result.sides);
    result.why = obstacle(claim, result.sides, scores);
  }
  std::vector<Comparison*> family;
  for (ClaimResult& result : results) family.push_back(&result.comparison);
  decide(family);
  for (ClaimResult& result : results)
    if (result.why.empty()) result.verdict = static_cast<Verdict>(result.comparison.decision);
  return results;
}

std::string scores_csv(const std::vector<Claim>& claims, const ExperimentResult& result) {
  std::set<std::string> metrics;
  for (const Claim& claim : claims)
    for (const Quantity& quantity : claim.quantities()) metrics.insert(quantity.metric);
  return scores_csv(result, metrics);
}

}  // namespace ordinal::experiments
