#include "experiments/training/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/process/hash.h"
#include "experiments/process/machine.h"
#include "experiments/training/adoption.h"
#include "experiments/training/early_stop.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

double bits(double nats) { return nats / std::numbers::ln2; }

// Fine-tuning must draw different examples than the first stage, which may have had the same seed.
constexpr std::uint64_t fine_tuning_stream = hash_name("fine-tuning");

constexpr Index most_skipped = 10;  // consecutive steps, before training ends
constexpr Index most_shown = 20;    // steps, about, whose mean loss progress shows

// What progress shows of a run of this training.
class ProgressLine {
 public:
  ProgressLine(Index first, Index last) : first_(first), last_(last) {}

  void add(const StepResult& result, const std::vector<Batch>& batches) {
    for (const Batch& batch : batches) tokens_ += std::ssize(batch.tokens);
    if (std::isfinite(result.loss) && result.targets > 0)
      recent_ += (bits(result.loss) - recent_) / static_cast<double>(std::min(++losses_, most_shown));
  }

  double seconds() const { return pace_.seconds(); }

  // "  step 120/1500  about 12 s left  loss 3.210 bits  151000 tokens/s"
  std::string text(Index step, const TimeLeftText& time_left) const {
    const std::string left =
        time_left(static_cast<double>(step - first_) / static_cast<double>(last_ - first_));
    const std::string loss = losses_ > 0 ? fmt::format("loss {:.3f} bits  ", recent_) : "";
    return fmt::format("  step {}/{}  {}  {}{:.0f} tokens/s", step, last_, left, loss,
                       static_cast<double>(tokens_) / seconds());
  }

 private:
  Index first_;
  Index last_;
  Pace pace_;
  double recent_ = 0.0;
  Index losses_ = 0;
  Index tokens_ = 0;
};

}  // namespace

LockedPath checkpoint_in(const LockedPath& folder) { return folder / "checkpoint.safetensors"; }

LockedPath Training::begun() const {
  checkpoint_in(folder).check();
  if (std::filesystem::exists(checkpoint_in(folder))) return folder;
  if (plan->depends_on_steps()) return {};
  const std::string hash = folder.filename().string().substr(0, folder.filename().string().find('-') + 1);
  const Index last = plan->settings->train.steps;
  LockedPath best;
  Index most = -1;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder.parent_path(), none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(hash)) continue;
    const Index steps = parse_integer(name.substr(hash.size())).value_or(last);
    const LockedPath other(entry.path(), folder.lock());
    if (steps <= most || steps >= last || !std::filesystem::exists(checkpoint_in(other))) continue;
    best = other;
    most = steps;
  }
  return best;
}

TrainingRun::TrainingRun(Training training, std::uint64_t seed, Threads& threads)
    : training_(std::move(training)),
      plan_(*training_.plan),
      threads_(threads),
      validation_seed_(seed),
      data_seed_(training_.initial.empty() ? seed : seed + fine_tuning_stream),
      total_steps_(plan_.settings->train.steps),
      lengths_(training_lengths(plan_.settings)),
      model_(plan_.model),
      trainer_(model_, plan_.trainer(seed), threads),
      metadata_(plan_.metadata(seed, Binds::training)),
      log_(training_.folder / "metrics.jsonl") {
  metadata_["builds"] = builds_with_this("");
  if (const LockedPath folder = training_.begun(); !folder.empty()) {
    resume(folder);
  } else if (!training_.initial.empty()) {
    note_ = adopt_parameters(SafetensorsFile(training_.initial), model_, trainer_.values());
    metadata_["initial_model"] = fnv1a64_hex(std::as_bytes(trainer_.values().flat()));
  }
  metadata_["training"] = training_.folder.filename();
}

void TrainingRun::resume(const LockedPath& folder) {
  const SafetensorsFile file(checkpoint_in(folder));
  Metadata written = file.metadata();
  const Index step = checkpoint_step(file, checkpoint_in(folder));
  if (written["training"] != folder.filename() || step > total_steps_)
    throw CheckpointError(fmt::format(
        "{}: it is step {} of the training {}, expected at most step {} of {}; put the file back, or remove "
        "it",
        checkpoint_in(folder).string(), step, written["training"], total_steps_, folder.filename().string()));
  load_checkpoint(file, checkpoint_in(folder), trainer_);
  log_.restore(folder / "metrics.jsonl", steps(), written["log_hash"]);
  is_stopped_ = written.contains("stopped");
  if (is_stopped_) metadata_["stopped"] = written["stopped"];
  if (folder != training_.folder && !is_logged(steps()) && !is_stopped_) log_.forget(steps());
  const std::string builds = finished() ? written["builds"] : builds_with_this(written["builds"]);
  metadata_["builds"] = builds;
  if (written.contains("initial_model")) metadata_["initial_model"] = written["initial_model"];
  note_ = fmt::format("continues at step {}", steps());
  if (builds != written["builds"])
    note_ += fmt::format(
        "; warning: it was begun with another version or other products, so its bits are those of neither "
        "({})",
        builds);
}

std::vector<Batch> TrainingRun::next_batches() const {
  const Index accumulate = plan_.settings->train.accumulate;
  std::vector<Batch> batches;
  for (Index micro = 0; micro < accumulate; ++micro) {
    const auto number = static_cast<std::uint32_t>(trainer_.steps() * accumulate + micro);
    Batch batch = make_batch(*plan_.task, Split::training, data_seed_, number, plan_.settings->train.batch,
                             lengths_.at(*plan_.task, data_seed_, number));
    batches.push_back(with_positions(std::move(batch), *plan_.task, trainer_.positions()));
  }
  return batches;
}

// Whether the step is logged, wherever training ends; the last step is logged, too.
bool TrainingRun::is_logged(Index step) const {
  return step == 1 || step % plan_.settings->train.log_every == 0;
}

bool TrainingRun::train(const std::string& label, Progress& progress, const InterruptGuard& interrupt,
                        const TimeLeftText& time_left) {
  if (steps() > 0 && finished() && std::filesystem::exists(checkpoint_path())) return true;
  if (!note_.empty()) progress.say(label + "  " + note_);
  begin();
  const double seconds_before = log_.seconds();
  ProgressLine line(steps(), total_steps_);
  while (!finished()) {
    const std::vector<Batch> batches = next_batches();
    const StepResult result = trainer_.step(batches);
    if (!result.taken || !result.finite) progress.say(label + ": " + skip(result, batches));
    if (may_stop_at(plan_.settings, steps()))
      if (const std::string why = stop_early(); !why.empty()) progress.say(label + ": " + why);
    if (!result.taken || is_logged(steps()) || finished())
      log_.append(steps(), result, seconds_before + line.seconds());
    line.add(result, batches);
    progress.update(label + line.text(steps(), time_left));
    const bool stop = interrupt.requested();
    if (stop || finished() || steps() % plan_.settings->train.checkpoint_every == 0) save();
    if (stop && !finished()) return false;
  }
  return true;
}

// It fails on an unwritable folder before the work; 0 steps also write a model.
void TrainingRun::begin() {
  checkpoint_path().check();
  std::filesystem::create_directories(training_.folder);
  log_.begin();
  if (!std::filesystem::exists(checkpoint_path())) save();
}

// Ends the training if the model is good enough. Returns the line that says so.
std::string TrainingRun::stop_early() {
  const double share = exact_share(plan_, model_, trainer_.values(), validation_seed_, threads_);
  is_stopped_ = share >= plan_.settings->train.stop_at;
  if (!is_stopped_) return "";
  metadata_["stopped"] = fmt::format("{:.4f} of the examples exact", share);
  return fmt::format("stops at step {}, {}", steps(), metadata_["stopped"]);
}

// Why the result of a step shows that training has diverged.
std::string TrainingRun::divergence(const StepResult& result, const std::vector<Batch>& batches) {
  if (result.taken)
    return first_not_finite(trainer_.values()) + ": the optimizer's step makes it infinite or NaN";
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm))
    return trainer_.find_non_finite(batches);
  if (result.loss <= trainer_.largest_loss())
    return fmt::format("the gradient has a norm of {:.3g}, and its square is infinite", result.gradient_norm);
  return fmt::format("the loss is {:.3g} bits per token, over 100 times that of a model that knows nothing",
                     bits(result.loss));
}

// Skips the batch and returns the line that says so, or throws Diverged: that depends on nothing but the settings.
std::string TrainingRun::skip(const StepResult& result, const std::vector<Batch>& batches) {
  const std::string what = fmt::format("diverged at step {}: {}", trainer_.steps() + (result.taken ? 0 : 1),
                                       divergence(result, batches));
  const std::string& answer = plan_.settings->train.on_divergence;
  const bool is_last = trainer_.steps() + 1 >= total_steps_;
  if (answer == "skip" && !result.taken && !is_last && log_.skipped(trainer_.steps()) < most_skipped) {
    trainer_.skip_step();
    return what + "; the batch is skipped";
  }
  throw Diverged(what + (answer == "stop"
                             ? "; try a smaller train.learning_rate, or set train.on_divergence = skip"
                             : "; skipping batches does not help; try a smaller train.learning_rate"));
}

void TrainingRun::save() {
  metadata_["log_hash"] = log_.hash();
  const LockedPath path = checkpoint_path();
  save_checkpoint(path, trainer_, metadata_, path.write_check());
}

}  // namespace ordinal::experiments
