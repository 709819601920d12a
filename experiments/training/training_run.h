// Training one model on one task from settings: batches, log, checkpoints, resuming.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/process/interrupt.h"
#include "experiments/process/progress.h"
#include "experiments/settings/plan.h"
#include "experiments/training/training_log.h"
#include "framework/core/errors.h"
#include "framework/core/threads.h"
#include "framework/training/checkpoint.h"
#include "framework/training/trainer.h"
#include "models/transformer.h"

namespace ordinal::experiments {

/// The loss, a gradient or a parameter became infinite or NaN, or the loss exceeded Trainer::largest_loss().
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The path of the checkpoint in the folder of a training.
LockedPath checkpoint_in(const LockedPath& folder);

/// Called with the share of a training that is done of what its run had to do. Returns the time left for progress to show, such as
/// "about 12 s left".
using TimeLeftText = std::function<std::string(double share)>;

/// A stage of training. Its folder is called <hash>-<steps>, where the hash is of everything else that its weights depend on, so that
/// whoever needs this training finds it.
struct Training {
  LockedPath folder;
  const Plan* plan = nullptr;
  std::filesystem::path initial = {};  // the checkpoint with whose parameters it starts; empty: from scratch

  /// The folder whose checkpoint it continues: its own, or that of the same training with the most steps below its own, if these are
  /// its beginning. Empty if it begins.
  LockedPath begun() const;
};

class TrainingRun {
 public:
  /// Reads and checks what the folder holds, and writes nothing. Continues from its checkpoint, or else from that of the same
  /// training with fewer steps beside it, or else begins. Throws CheckpointError, ConfigError or DataError if a checkpoint or its log
  /// is damaged or of another training, or `initial` does not fit.
  TrainingRun(Training training, std::uint64_t seed, Threads& threads);

  /// Trains to the last step, and writes checkpoints and metrics.jsonl along the way; `label` starts the
  /// lines of progress. Returns false if it was interrupted: then the checkpoint is that of the last finished step.
  bool train(const std::string& label, Progress& progress, const InterruptGuard& interrupt,
             const TimeLeftText& time_left);

  bool finished() const { return is_stopped_ || trainer_.steps() >= total_steps_; }
  Index steps() const { return trainer_.steps(); }
  LockedPath checkpoint_path() const { return checkpoint_in(training_.folder); }
  const TrainingLog& log() const { return log_; }

 private:
  std::vector<Batch> next_batches() const;
  bool is_logged(Index step) const;
  void resume(const LockedPath& folder);
  void begin();
  void save();
  std::string stop_early();
  std::string divergence(const StepResult& result, const std::vector<Batch>& batches);
  std::string skip(const StepResult& result, const std::vector<Batch>& batches);

  const Training training_;
  const Plan& plan_;
  Threads& threads_;
  std::uint64_t validation_seed_;
  std::uint64_t data_seed_;
  Index total_steps_;
  LengthScheme lengths_;
  Transformer<float> model_;
  Trainer<float> trainer_;
  Metadata metadata_;
  bool is_stopped_ = false;  // before the last step; see early_stop.h
  std::string note_;         // where it begins, for train() to say; empty if from scratch
  TrainingLog log_;
};

}  // namespace ordinal::experiments
