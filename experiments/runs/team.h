// Ranks in teams, each of which trains one model at a time.
#pragma once

#include <memory>

#include "experiments/runs/world.h"

namespace ordinal::experiments {

/// The team of this rank.
struct Team {
  std::unique_ptr<Ranks> ranks;
  int number = 0;
  int count = 1;  // teams of full size; ranks that are left over have nothing to do

  bool works() const { return number < count; }
  bool leads() const { return ranks->rank() == 0; }
};

/// How many ranks share one of several trainings: 1, or if there are more ranks than trainings the largest power of two
/// that leaves no training without ranks, up to the number of shards.
int ranks_per_training(int ranks, Index trainings, Index shards);

/// Splits all ranks into teams for that. All ranks call it.
Team make_team(World& world, Index trainings, Index shards);

}  // namespace ordinal::experiments
