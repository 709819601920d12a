// train: trains one model on one task from a config and writes a checkpoint. Run it again to resume.
#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "experiments/report/terminal_table.h"
#include "experiments/runs/checkpoint_settings.h"
#include "experiments/runs/configure.h"
#include "experiments/runs/machine.h"
#include "experiments/runs/memory.h"
#include "experiments/runs/scoring.h"
#include "experiments/runs/training_run.h"
#include "experiments/runs/workload.h"
#include "experiments/runs/world.h"
#include "experiments/settings/driver.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"
#include "models/summary.h"

namespace ordinal::experiments {
namespace {

// A line of the scores: length and condition, and one column per metric.
std::vector<GridCell> score_cells(const LengthScore& score, const std::vector<MetricSpec>& metrics) {
  std::vector<GridCell> cells = {{fmt::format("{}", score.length), score.failed ? "fails: " + score.why : ""},
                                 {score.condition}};
  for (const MetricSpec& metric : metrics) {
    const Measurement* measured = score.find(metric.id);
    cells.push_back({measured == nullptr ? "–" : fmt::format("{:.4f}", measured->value)});
  }
  return cells;
}

std::string score_line(const std::vector<GridCell>& cells, const std::vector<std::string>& headings) {
  std::string line = fmt::format("{:>8}", cells[0].text);
  for (std::size_t i = 2; i < cells.size(); ++i) {
    line += fmt::format("  {:>{}}", cells[i].text, headings[i].size());
  }
  if (!cells[0].note.empty()) line += "  " + cells[0].note;
  return line + (cells[1].text == trained_condition ? "" : "  " + cells[1].text) + "\n";
}

// A line as soon as it is scored; on a terminal a table that fits it. Throws Stopped if it is interrupted.
void print_scores(TrainingRun& run, const Settings& settings, const Task& task, Threads& threads,
                  Progress& progress, const InterruptGuard& interrupt) {
  const std::optional<Terminal> terminal = terminal_of(STDOUT_FILENO);
  const std::vector<MetricSpec> metrics = task.metrics();
  Grid grid{"", 2, {"length", "condition"}, {}};
  for (const MetricSpec& metric : metrics) grid.headings.push_back(metric.id);
  if (!terminal) {
    fmt::print("{:>8}", "length");
    for (const MetricSpec& metric : metrics) fmt::print("  {}", metric.id);
    fmt::print("\n");
  }
  for (const Index length : evaluation_lengths(settings)) {
    for (const std::string& condition : settings.list("evaluate.conditions")) {
      if (terminal) progress.update(fmt::format("scoring length {}, {}", length, condition));
      grid.lines.push_back(score_cells(
          score_length(run.subject(task, settings), length, condition, threads, interrupt.asked()), metrics));
      if (!terminal) fmt::print("{}", score_line(grid.lines.back(), grid.headings));
    }
  }
  progress.clear();
  if (terminal) fmt::print("{}", terminal_grid(grid, terminal));
}

// Cost of the whole run, and the positions its tokens get.
std::string cost_text(const Workload& work, int threads) {
  return fmt::format(
      "{}\ntraining: {} steps, {:.2f} TFLOPs, about {:.1f} MB of memory, and {:.1f} MB more to score {} "
      "tokens\n",
      work.positions(), work.steps, work.flops / 1e12, work.memory_bytes / 1e6,
      work.scoring.bytes(threads) / 1e6, work.scoring.seq_len);
}

int train(const CommandLine& command, World& world) {
  const Settings& settings = command.settings;
  Ranks& ranks = world.ranks();
  const bool is_first = ranks.rank() == 0;
  Threads threads(command.threads);
  Progress progress(command.quiet || !is_first);
  const auto task = make_task(task_part(settings));
  task->check_length(settings.integer("task.train_length"));
  for (const Index length : evaluation_lengths(settings)) task->check_length(length);
  const Index seq_len = task->seq_len(settings.integer("task.train_length"));
  const Transformer<float> model(model_config(settings, *task));
  const Workload work = workload(settings, *task, model);
  const std::string plan = summary(model, seq_len) + cost_text(work, threads.count());
  if (command.dry_run) {
    if (is_first) fmt::print("{}", plan);
    return 0;
  }
  const double memory = work.memory_bytes * world.ranks_here();
  check_memory(memory);
  check_scoring_memory(memory, work.scoring.bytes(threads.count()), work.scoring.seq_len);
  const std::filesystem::path out = command.out.empty() ? "results/train" : command.out;
  std::optional<FolderLock> lock;
  on_first(ranks, [&] { lock.emplace(out); });
  const auto seed = static_cast<std::uint64_t>(settings.integer("train.seed"));
  TrainingRun run(settings, *task, seed, out, threads, ranks, command.model);
  on_first(ranks, [&] { write_file_atomically(out / "resolved.cfg", settings.resolved_config()); });
  progress.say(startup_line(threads.count(), ranks.size()));
  progress.say(plan);
  if (!run.adoption().empty()) progress.say(run.adoption());
  if (run.steps() > 0) progress.say(fmt::format("continues at step {}", run.steps()));
  if (!run.machine_warning().empty()) progress.say(run.machine_warning());
  const InterruptGuard interrupt;
  const bool finished = run.train(settings.text("positional.encoding"), progress, interrupt);
  progress.finish_line();
  if (!finished) return say_interrupted(command.invocation, ranks);
  if (!is_first) return 0;
  try {
    print_scores(run, settings, *task, threads, progress, interrupt);
  } catch (const Stopped&) {
    return say_interrupted(command.invocation, ranks);
  }
  fmt::print("checkpoint: {}\n", run.checkpoint_path().string());
  return 0;
}

}  // namespace
DriverDescription train_driver() {
  return {
      .name = "train",
      .summary =
          "Trains one model on one task and writes its checkpoint (safetensors). Run it again with the same "
          "settings to resume. With --model it starts from the parameters of a checkpoint and takes all "
          "task, model and position settings that are not given from it: use this to fine-tune at another "
          "length, on another text, with other positions, or with another encoding (finetune.encoding).",
      .examples =
          {"train --task.name=text --task.file=book.txt --positional.encoding=sinusoidal --out results/book",
           "train --model results/book/checkpoint.safetensors --task.train_length=256 "
           "--positional.positions=interpolated --train.steps=200 --out results/longer"},
      .sections = {"task", "model", "positional", "train", "evaluate"},
      .keys = {"finetune.encoding"},
      .unread = {"positional.encodings"},
      .instead = {{"positional.encodings", "positional.encoding"},
                  {"encoding.name", "positional.encoding"},
                  {"experiment.seed", "train.seed"},
                  {"experiment.seeds", "train.seed"},
                  {"finetune.steps", "train.steps"},
                  {"finetune.length", "task.train_length"},
                  {"finetune.positions", "positional.positions"},
                  {"finetune.learning_rate", "train.learning_rate"},
                  {"finetune.file", "task.file"}},
      .options = {"out", "model"},
      .builds = Builds::model,
      .over_checkpoint = fine_tuning_settings,
      .body_of_rank = train};
}

}  // namespace ordinal::experiments
