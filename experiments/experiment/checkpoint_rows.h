// Checkpoints as rows of a table: those that differ only in their seeds are one row, named by what tells it from the others.
#pragma once

#include <string>
#include <vector>

#include "experiments/experiment/cell.h"

namespace ordinal::experiments {

/// The settings of the checkpoint at `path` for a test: what trained weights fix comes from it; the task, the positions and
/// evaluate.… are those given, and else the checkpoint's. Of config files, the model and the positions are not read,
/// because there they are those of trainings. Throws CheckpointError as fine_tuning_settings() does.
Settings evaluation_settings(const Settings& given, const std::string& path);

struct CheckpointRows {
  std::vector<Entrant> rows;  // in the order of their first checkpoints
  std::vector<Cell> cells;    // of these rows, one for each checkpoint, without folders; by row and seed

  /// Settings of which the rows are those of an experiment, with the seeds of the models.
  Settings experiment() const;
};

/// Of the checkpoints at `paths`, whose tasks `makers` builds. Throws ConfigError with a line for each
/// checkpoint that cannot be tested with these settings, for two with the same settings and seed, for given settings that
/// none of them reads, and for tasks that are scored by different metrics.
CheckpointRows checkpoint_rows(const Settings& given, const std::vector<std::string>& paths,
                               Entrants& makers);

}  // namespace ordinal::experiments
