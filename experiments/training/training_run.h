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

/// A stage of training in the folder that holds it, possibly that of another row.
struct Training {
  LockedPath folder;
  const Plan* plan = nullptr;  // of the row in whose folder it is, which its checkpoints hold
};

class TrainingRun {
 public:
  /// Reads and checks what the folder holds, and writes nothing. Continues from its checkpoint, if there is one; else starts
  /// from the parameters of the checkpoint `initial`, if given (fine-tuning), or from scratch. Throws CheckpointError,
  /// ConfigError or DataError if the checkpoint, the log or `initial` is missing or of another training.
  TrainingRun(Training training, std::uint64_t seed, Threads& threads,
              const std::filesystem::path& initial = {});

  /// Trains to the last step, and writes checkpoints and metrics.jsonl along the way; `label` starts the
  /// lines of progress. Returns false if it was interrupted: then the checkpoint is that of the last finished step.
  bool train(const std::string& label, Progress& progress, const InterruptGuard& interrupt,
             const TimeLeftText& time_left);

  /// Throws CheckpointError if a file is not the checkpoint of this training, or of a shorter one that it continues, after
  /// `first` to `last` steps. Names the first setting that differs.
  void check(const SafetensorsFile& file, const std::filesystem::path& path, Index first, Index last) const;

  bool finished() const { return trainer_.steps() >= total_steps_; }
  /// Whether the checkpoint ended a training of fewer steps, which this run continues.
  bool goes_past_end() const { return !finished() && trainer_.steps() == ended_; }
  Index steps() const { return trainer_.steps(); }
  LockedPath checkpoint_path() const { return checkpoint_in(training_.folder); }
  const TrainingLog& log() const { return log_; }

 private:
  std::vector<Batch> next_batches() const;
  bool is_logged(Index step) const;
  void start_from(const std::filesystem::path& initial);
  void resume();
  void save();
  std::string divergence(const StepResult& result, const std::vector<Batch>& batches);
  std::string skip(const StepResult& result, const std::vector<Batch>& batches);

  const Training training_;
  const Plan& plan_;
  std::uint64_t data_seed_;
  Index total_steps_;
  Index ended_ = -1;  // the last step of the training that wrote the checkpoint; -1 if there is none
  LengthScheme lengths_;
  Transformer<float> model_;
  Trainer<float> trainer_;
  Metadata metadata_;
  std::string note_;  // where it begins, for train() to say; empty if from scratch
  TrainingLog log_;
};

}  // namespace ordinal::experiments
