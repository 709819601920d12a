// train: trains one model on one task from a config, and writes a checkpoint and a report of its scores. Run it again to
// resume.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "experiments/experiment/outline.h"
#include "experiments/experiment/results_folder.h"
#include "experiments/experiment/run_cells.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/report/terminal_table.h"
#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/rows.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"
#include "models/summary.h"

namespace ordinal::experiments {
namespace {

// Treats a training as the only row of a table.
Entrant only_row(const Settings& settings, Entrants& makers) {
  Row row;
  row.settings = settings;
  row.settings.set("finetune.steps", "0", "train");
  Entrant entrant = makers.make(row);
  entrant.row.label = entry_text(entrant.first().plan);
  entrant.row.folder = folder_of(entrant.row.label);
  entrant.row.factors = {{"model.encoding", entrant.row.label}};
  return entrant;
}

// The model, the cost of the whole run, and the positions of its tokens.
std::string plan_text(const Stage& stage, int threads) {
  const Workload& work = stage.work;
  return fmt::format(
      "{}{}\ntraining: {} steps, {:.2f} TFLOPs, about {:.1f} MB of memory, and {:.1f} MB more to score {} "
      "tokens\n",
      summary(Transformer<float>(stage.plan.model), work.seq_len), work.positions, work.steps,
      work.flops / 1e12, work.training.bytes(threads) / 1e6, work.scoring.bytes(threads) / 1e6,
      work.scoring.seq_len);
}

// Returns nothing if it was interrupted.
std::optional<CellResult> train_and_score(const Cell& cell, TrainingRun& run, const Settings& settings,
                                          Threads& threads, Progress& progress) {
  const InterruptGuard interrupt;
  const bool finished = run.train(settings.text("model.encoding"), progress, interrupt);
  progress.finish_line();
  if (!finished) return std::nullopt;
  try {
    CellResult result = score_cell(cell, &run, threads, progress, interrupt);
    progress.finish_line();
    return result;
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

int train(const CommandLine& command) {
  const Settings& settings = command.settings;
  Threads threads(command.threads);
  Progress progress(command.quiet);
  Entrants makers;
  const std::vector<Entrant> row = {only_row(settings, makers)};
  const Stage& stage = row.front().first();
  const std::string plan = plan_text(stage, threads.count());
  if (command.dry_run) {
    say_on_stdout(plan);
    return 0;
  }
  stage.work.check_memory(1, 1, threads.count());
  const std::filesystem::path out = command.out.empty() ? "results/train" : command.out;
  const auto seed = static_cast<std::uint64_t>(settings.integer("train.seed"));
  const auto cell_at = [&](const LockedPath& place) {
    return Cell{row.front(), settings, seed, place, {place}, place / "checkpoint.safetensors"};
  };
  const auto run_at = [&](const LockedPath& place) {
    check_out(place, Holds::training);
    auto checked = std::make_unique<TrainingRun>(stage.plan, seed, place, threads, command.model);
    finished_result(cell_at(place));
    return checked;
  };
  run_at(out);  // throws before it writes the lock
  const FolderLock lock(out);
  const LockedPath place = lock.path();
  const Cell cell = cell_at(place);
  const std::unique_ptr<TrainingRun> run = run_at(place);
  const std::string resolved = settings.resolved_config();
  write_file_atomically(place / "resolved.cfg", resolved);
  progress.say(startup_line(threads.count()));
  progress.say(plan);
  if (!run->adoption().empty()) progress.say(run->adoption());
  if (run->steps() > 0) progress.say(fmt::format("continues at step {}", run->steps()));
  if (!run->machine_warning().empty()) progress.say(run->machine_warning());
  const std::optional<CellResult> result = train_and_score(cell, *run, settings, threads, progress);
  if (!result) return say_interrupted(command.invocation);
  const auto [table, page] = write_models(row, makers, {&cell, 1}, {*result}, place, resolved,
                                          "./experiments/run train " + command.arguments);
  draw_on_stdout(terminal_table(table, terminal_of(STDOUT_FILENO)));
  say_on_stdout(fmt::format("checkpoint: {}\nreport: {}\n", cell.checkpoint.string(), page.string()));
  return 0;
}

}  // namespace
DriverDescription train_driver() {
  return {
      .name = "train",
      .summary =
          "Trains one model on one task, and writes its checkpoint (safetensors), its scores at longer "
          "lengths and a report. Run it again with the same settings to resume. With --model it starts from "
          "the parameters of a checkpoint and takes all task, model and position settings that are not given "
          "from it: use this to fine-tune at another length, on another text, with other positions, or with "
          "another encoding (finetune.encoding).",
      .examples =
          {"train --task.name=text --task.file=book.txt --model.encoding=sinusoidal --out results/book",
           "train --model results/book/checkpoint.safetensors --task.train_length=256 "
           "--model.encoding=sinusoidal@interpolated --train.steps=200 --out results/longer"},
      .sections = {"task", "model", "train", "evaluate"},
      .keys = {"finetune.encoding"},
      .unread = {"train.score_step"},
      .options = {"out", "model"},
      .builds = Builds::model,
      .over_checkpoint = fine_tuning_settings,
      .body = train};
}

}  // namespace ordinal::experiments
