#include "experiments/claims/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "experiments/report/grid.h"
#include "experiments/tasks/reader.h"

namespace ordinal::experiments {
namespace {

using Form = Statement::Form;

Side read_side(const Quantity& quantity, const StoredScores& stored,
               const std::vector<std::uint64_t>& seeds) {
  Side side{quantity};
  for (const std::uint64_t number : seeds) {
    const std::string seed = std::to_string(number);
    const auto value = stored.values.find(
        {quantity.row, seed, std::to_string(quantity.at), quantity.condition, quantity.metric});
    if (value == stored.values.end()) continue;
    side.values.push_back(value->second);
    side.numbers += std::isnan(value->second) ? 0 : 1;
    const auto learned = stored.learned.find({quantity.row, seed});
    if (learned == stored.learned.end()) continue;
    ++side.known;
    side.learned += learned->second ? 1 : 0;
  }
  return side;
}

// The differences of a claim in its seeds, without the margin, and in how many it is ahead with the margin.
Comparison compared(const Claim& claim, const std::vector<Side>& sides) {
  const auto& [form, quantities, number] = claim.statement;
  std::vector<double> differences = sides.front().values;
  for (std::size_t i = 0; i < differences.size(); ++i)
    differences[i] -= form == Form::at_least ? number : sides.back().values[i];
  Comparison comparison = compare(differences, form == Form::above ? number : 0.0);
  if (form == Form::within) {
    const Comparison over_lowest = compare(differences, -number);
    const Comparison over_highest = compare(differences, number);
    comparison.ahead = std::min(over_lowest.ahead, over_highest.behind);
    comparison.behind = std::max(over_lowest.behind, over_highest.ahead);
  }
  comparison.looks = claim.looks;
  return comparison;
}

// The reader that has the best score of a quantity, and its score, negated if less is better. Readers that know where the answer
// stands do not count.
std::pair<std::string, double> best_reader(const Quantity& quantity, const StoredScores& stored) {
  const double sign = lower_is_better(quantity.metric) ? -1.0 : 1.0;
  std::pair<std::string, double> best = {"", -INFINITY};
  for (const auto& [score, value] : stored.values) {
    const Reader* reader = score[1].empty() ? reader_of(score[0]) : nullptr;
    const bool counts =
        reader != nullptr && reader->knows != Knows::sources && is_about(score[0], quantity.task);
    if (counts && score[2] == std::to_string(quantity.at) && score[4] == quantity.metric &&
        sign * value > best.second)
      best = {score[0], sign * value};
  }
  return best;
}

// Why a claim is not run or undecided whatever its differences are; empty if they decide.
std::string obstacle(const std::vector<Side>& sides, const StoredScores& stored, std::size_t seeds) {
  for (const auto& [quantity, values, numbers, learned, known] : sides) {
    if (numbers < seeds)
      return fmt::format("{} of {} at {} ({}) has a value in {} of {} seeds", quantity.metric, quantity.row,
                         quantity.length, quantity.condition, numbers, seeds);
    if (4 * learned < 3 * known)
      return fmt::format("fewer than three quarters of the seeds of {} learned", quantity.row);
  }
  std::string floor;
  for (const Side& side : sides) {
    const double sign = lower_is_better(side.quantity.metric) ? -1.0 : 1.0;
    const auto [reader, best] = best_reader(side.quantity, stored);
    if (sign * compare(side.values).median() > best) return "";
    if (floor.empty()) floor = fmt::format("at the floor: {} has {}", reader, format_value(sign * best));
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
  for (const Side& side : sides)
    text += (text.empty() ? "" : " against ") + format_value(summarize(side.values).mean);
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
  for (const Side& side : sides) learned.push_back(fmt::format("{}/{}", side.learned, side.known));
  if (sides.front().known > 0) text += "; learned " + joined(learned);
  if (claim.looks > 1) text += fmt::format("; look {}", claim.looks);
  if (why.empty() && verdict == Verdict::undecided) {
    const Index enough = seeds_to_decide(comparison, family);
    text += fmt::format("; {} seeds would decide it at this share",
                        enough > 0 ? std::to_string(enough) : "more than 1,000");
  }
  return why.empty() ? text : text + "; " + why;
}

std::vector<ClaimResult> decide(const std::vector<Claim>& claims, const StoredScores& scores,
                                const std::vector<std::uint64_t>& seeds) {
  std::vector<ClaimResult> results;
  for (const Claim& claim : claims) {
    ClaimResult& result = results.emplace_back(ClaimResult{.claim = claim, .family = std::ssize(claims)});
    bool is_complete = true;
    for (const Quantity& quantity : claim.statement.sides) {
      const Side& side = result.sides.emplace_back(read_side(quantity, scores, seeds));
      if (side.values.size() < seeds.size()) result.verdict = Verdict::not_run;
      is_complete = is_complete && side.numbers == seeds.size();
    }
    if (is_complete) result.comparison = compared(claim, result.sides);
    result.why = obstacle(result.sides, scores, seeds.size());
  }
  std::vector<Comparison*> family;
  for (ClaimResult& result : results) family.push_back(&result.comparison);
  decide(family);
  for (ClaimResult& result : results)
    if (result.why.empty()) result.verdict = static_cast<Verdict>(result.comparison.decision);
  return results;
}

std::string scores_csv(const std::vector<Claim>& claims, const ExperimentResult& result) {
  std::vector<Quantity> used;
  for (const MetricSpec& metric : result.metrics)
    if (metric.headline) used.push_back({.metric = metric.id});
  for (const Claim& claim : claims) std::ranges::copy(claim.statement.sides, std::back_inserter(used));
  return scores_csv(result, [&](const Score& score) {
    return std::ranges::any_of(used, [&](const Quantity& quantity) {
      return quantity.metric == score.metric &&
             (quantity.condition == score.condition || score.condition == trained_condition);
    });
  });
}

bool lower_is_better(const std::string& metric) {
  return metric.find("bits") != std::string::npos || metric.find("perplexity") != std::string::npos;
}

}  // namespace ordinal::experiments
