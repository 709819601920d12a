// Checkpoints as table rows. Those that differ only in their seeds form one row, named by what distinguishes it.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment/cell.h"

namespace ordinal::experiments {

/// The settings to test the checkpoint at `path`. The checkpoint sets whatever its trained weights fix. The task,
/// the positions and evaluate.… are those given, or else the checkpoint's. The model and the positions of config
/// files are ignored, because they describe trainings. Throws CheckpointError as fine_tuning_settings() does.
Settings evaluation_settings(const Settings& given, const std::string& path);

struct CheckpointRows {
  std::vector<Entrant> rows;  // in the order of their first checkpoints
  std::vector<Cell> cells;    // of these rows, one per checkpoint, without folders; by row and seed

  /// Settings of an experiment with these rows and the seeds of the models.
  Settings experiment() const;
};

/// The rows of the checkpoints at `paths`; `makers` builds their tasks. Throws ConfigError with one line
/// per checkpoint that cannot be tested with these settings. Also throws it for two with the same settings
/// and seed, for given settings that none of them reads, and for tasks scored by different metrics.
CheckpointRows checkpoint_rows(const Settings& given, const std::vector<std::string>& paths,
                               Entrants& makers);

}  // namespace ordinal::experiments
