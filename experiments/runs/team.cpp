#include "experiments/runs/team.h"

#include <algorithm>

namespace ordinal::experiments {

int ranks_per_training(int ranks, Index trainings, Index shards) {
  const Index most = std::min(ranks / std::max<Index>(1, trainings), shards);
  int size = 1;
  while (2 * size <= most) size *= 2;
  return size;
}

Team make_team(World& world, Index trainings, Index shards) {
  Ranks& all = world.ranks();
  const int size = ranks_per_training(all.size(), trainings, shards);
  const int number = all.rank() / size;
  return {world.split(number), number, all.size() / size};
}

}  // namespace ordinal::experiments
