#include "experiments/experiment/work_order.h"

#include <algorithm>
#include <map>
#include <numeric>

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

}  // namespace ordinal::experiments
