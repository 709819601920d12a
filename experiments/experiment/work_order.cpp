#include "experiments/experiment/work_order.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

namespace ordinal::experiments {

std::vector<Index> rounds_of(const std::vector<Cell>& cells) {
  std::map<const Entrant*, Index> seen;
  std::vector<Index> rounds;
  for (const Cell& cell : cells) rounds.push_back(seen[&cell.entrant]++);
  return rounds;
}

std::vector<std::size_t> seed_by_seed(const std::vector<Index>& rounds) {
  std::vector<std::size_t> order(rounds.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rounds[i]; });
  return order;
}

std::map<std::size_t, ForecastCell> forecast(const std::vector<Cell>& cells,
                                             const std::vector<std::size_t>& some) {
  std::map<std::size_t, ForecastCell> costs;
  std::map<const Entrant*, std::size_t> rows;
  std::set<std::filesystem::path> counted;
  for (const std::size_t i : some) {
    const Cell& cell = cells[i];
    ForecastCell& of = costs[i];
    of.row = rows.emplace(&cell.entrant, rows.size()).first->second;
    for (std::size_t s = 0; s < cell.trainings.size(); ++s)
      if (counted.insert(cell.trainings[s].folder).second) of.cost += cell.entrant.stages[s].work.flops;
    if (cell.trainings.empty()) of.cost = cell.entrant.last().work.flops;  // scoring costs in proportion
  }
  return costs;
}

}  // namespace ordinal::experiments
