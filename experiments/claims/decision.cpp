#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "experiments/report/grid.h"

namespace ordinal::experiments {
namespace {

using Form = Statement::Form;

Group side_of(const Quantity& quantity, const std::vector<Score>& scores,
              const std::vector<std::uint64_t>& seeds) {
  std::vector<const Score*> found;
  for (const std::uint64_t seed : seeds) {
    const auto score = std::ranges::find_if(scores, [&](const Score& one) {
      return !one.of_reader && one.row == quantity.row && one.seed == seed && one.length == quantity.at &&
             one.condition == quantity.condition && one.metric.id == quantity.metric.id;
    });
    if (score != scores.end()) found.push_back(&*score);
  }
  return grouped(found);
}

// The differences of a claim in its seeds, without the margin, and in how many it is ahead with the margin.
Comparison compared(const Claim& claim, const std::vector<Group>& sides) {
  const auto& [form, quantities, number] = claim.statement;
  std::vector<double> differences = sides.front().values;
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] -= form == Form::at_least ? number : sides.back().values[i];
  Comparison comparison = compare(differences, form == Form::above ? number : 0.0);
  if (form == Form::within) {
    for (double& difference : differences) difference = std::abs(difference);
    const Comparison outside = compare(differences, number);
    comparison.ahead = outside.behind;
    comparison.behind = outside.ahead;
  }
  comparison.looks = claim.looks;
  return comparison;
}

// Why a claim is not run or undecided whatever its differences are; empty if they decide.
std::string obstacle(const ClaimResult& result, const std::vector<Score>& scores, Index seeds) {
  const std::vector<Quantity>& quantities = result.claim.statement.sides;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Group& side = result.sides[i];
    const std::string what = fmt::format("{} of {} at {} ({})", quantities[i].metric.id, quantities[i].row,
                                         quantities[i].length, quantities[i].condition);
    if (side.summary.n < seeds)
      return fmt::format("{} has a value in {} of {} seeds", what, side.summary.n, seeds);
    if (side.is_few())
      return fmt::format("{} has {} in a seed, fewer than {}", what, counted(side.targets, "target"),
                         fewest_targets);
    if (!side.learning.most())
      return fmt::format("{} of the seeds of {} learned",
                         side.learning.known() == 0 ? "it is unknown how many" : "fewer than three quarters",
                         quantities[i].row);
  }
  std::string floor;
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const Quantity& side = quantities[i];
    const Score* reader = best_reader(scores, side.task, side.at, side.metric);
    if (reader == nullptr || !reader->metric.reached(reader->value, compare(result.sides[i].values).median()))
      return "";
    if (floor.empty())
      floor = fmt::format("at the floor: {} has {}", reader->row, format_value(reader->value));
  }
  return floor;
}

}  // namespace

std::string to_string(Verdict verdict) {
  constexpr const char* names[] = {"holds", "fails", "undecided", "not run yet"};
  return names[static_cast<int>(verdict)];
}

std::string ClaimResult::measured() const {
  if (comparison.n() == 0) return why;
  const auto& [form, quantities, number] = claim.statement;
  std::string text;
  for (const Group& side : sides) text += (text.empty() ? "" : " against ") + format_value(side.summary.mean);
  const std::string how = form == Form::at_least ? fmt::format("above {}", number)
                          : form == Form::within ? fmt::format("within {}", number)
                          : number > 0.0         ? fmt::format("ahead by more than {}", number)
                                                 : "ahead";
  text += fmt::format(", {} in {} of {} seeds, by {}", how, comparison.ahead, comparison.n(),
                      format_effect(comparison.median()));
  if (!std::isnan(comparison.interval.low))
    text += fmt::format(" ({} to {})", format_effect(comparison.interval.low),
                        format_effect(comparison.interval.high));
  std::vector<std::string> learned;
  for (const Group& side : sides)
    learned.push_back(fmt::format("{}/{}", side.learning.learned, side.learning.seeds));
  text += "; learned " + joined(learned);
  if (claim.looks > 1) text += fmt::format("; look {}", claim.looks);
  if (why.empty() && verdict == Verdict::undecided) {
    const Index enough = seeds_to_decide(comparison, family);
    text += fmt::format("; {} seeds would decide it at this share",
                        enough > 0 ? std::to_string(enough) : "more than 1,000");
  }
  return why.empty() ? text : text + "; " + why;
}

std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const std::vector<Score>& scores,
                                const std::vector<std::uint64_t>& seeds) {
  std::vector<ClaimResult> results;
  for (const Claim& claim : claims) {
    ClaimResult& result = results.emplace_back(ClaimResult{.claim = claim, .family = std::ssize(claims)});
    const auto n = std::ssize(seeds);
    bool is_complete = true;
    for (const Quantity& quantity : claim.statement.sides) {
      const Group& side = result.sides.emplace_back(side_of(quantity, scores, seeds));
      if (side.learning.seeds < n) result.verdict = Verdict::not_run;
      is_complete = is_complete && side.summary.n == n;
    }
    if (is_complete) result.comparison = compared(claim, result.sides);
    result.why = obstacle(result, scores, n);
  }
  std::vector<Comparison*> family;
  for (ClaimResult& result : results) family.push_back(&result.comparison);
  decide(family);
  for (ClaimResult& result : results)
    if (result.why.empty()) result.verdict = static_cast<Verdict>(result.comparison.decision);
  return results;
}

std::vector<Score> kept_scores(const std::vector<Claim>& claims, const ExperimentResult& result) {
  std::vector<Quantity> used;
  for (const Claim& claim : claims) std::ranges::copy(claim.statement.sides, std::back_inserter(used));
  const auto is_headline = [&](const std::string& id) {
    const auto metric = std::ranges::find(result.metrics, id, &MetricSpec::id);
    return metric != result.metrics.end() && metric->headline;
  };
  std::vector<Score> scores = all_scores(result);
  std::erase_if(scores, [&](const Score& score) {
    const bool trained = score.condition == trained_condition;
    if (is_headline(score.metric.id) || (trained && is_headline(score.metric.band_of))) return false;
    return std::ranges::none_of(used, [&](const Quantity& quantity) {
      return quantity.metric.id == score.metric.id && (quantity.condition == score.condition || trained);
    });
  });
  return scores;
}

}  // namespace ordinal::experiments
