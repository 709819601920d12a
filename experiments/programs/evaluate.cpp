// evaluate: scores checkpoints at any lengths, under any conditions and on any task that their tokens fit, and writes the
// report of an experiment.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "experiments/experiment/checkpoint_rows.h"
#include "experiments/experiment/results_folder.h"
#include "experiments/experiment/run_cells.h"
#include "experiments/process/interrupt.h"
#include "experiments/process/machine.h"
#include "experiments/process/memory.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/report/terminal_table.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

struct ModelCell {
  Cell cell;
  std::filesystem::path checkpoint;
};

std::vector<ModelCell> cells_of(const std::vector<ModelRow>& rows, const LockedPath& out) {
  std::vector<ModelCell> cells;
  for (const ModelRow& row : rows) {
    for (const auto& [seed, checkpoint] : row.models) {
      const auto folder = out / "cells" / row.entrant.row.folder / fmt::format("seed-{}", seed);
      cells.push_back({{row.entrant, seed, folder}, checkpoint});
    }
  }
  return cells;
}

// A line for each row and each of its checkpoints.
std::string plan_text(const std::vector<ModelRow>& rows, const Entrants& makers, int threads) {
  const Settings& first = rows.front().entrant.row.settings;
  std::string text;
  for (const ModelRow& row : rows) {
    const Workload& work = row.entrant.last().work;
    text += fmt::format("{}: {} parameters, {}; scoring {} tokens needs about {:.1f} MB\n",
                        row.entrant.row.label, row.entrant.last().parameters, work.positions(),
                        work.scoring.seq_len, work.scoring.bytes(threads) / 1e6);
    for (const SavedModel& model : row.models)
      text += fmt::format("  seed {}: {}\n", model.seed, model.checkpoint.string());
  }
  std::vector<std::string> lengths;
  for (const Index length : evaluation_lengths(first)) lengths.push_back(std::to_string(length));
  for (const auto& [name, task] : makers.tasks()) text += fmt::format("task {}\n", task->describe());
  return text + fmt::format("scored at lengths {} ({})\n", joined(lengths),
                            joined(first.list("evaluate.conditions")));
}

void check_scoring(const std::vector<ModelRow>& rows, int threads) {
  for (const ModelRow& row : rows) {
    const ScoringMemory& scoring = row.entrant.last().work.scoring;
    check_scoring_memory(0.0, scoring.bytes(threads), scoring.seq_len);
  }
}

// A checkpoint may be scored on another task than its own, or on other texts; one may also have forgotten to give it.
void warn_of_other_data(const ModelRow& row, Progress& progress) {
  const std::string checkpoint = row.models.front().checkpoint.string();
  const Metadata trained = SafetensorsFile(checkpoint).metadata();
  const auto data = trained.find("data_hash");
  const auto name = trained.find("task.name");
  if (data == trained.end() || name == trained.end() || data->second == row.entrant.task().data_hash())
    return;
  const std::string here = row.entrant.first().plan.full.at("task.name");
  const std::string scored_on = here == name->second ? "other data of that task" : here;
  progress.say(
      fmt::format("warning: {} was trained on {}, and is scored on {}", checkpoint, name->second, scored_on));
}

// Throws Stopped if it is interrupted.
CellResult scored(const ModelCell& one, const Settings& evaluation, Threads& threads, Progress& progress,
                  const InterruptGuard& interrupt) {
  const Entrant& entrant = one.cell.entrant;
  const SafetensorsFile file(one.checkpoint);
  const Transformer<float> model(entrant.first().plan.model);
  Parameters<float> values(model.layout());
  load_parameters(file, values);
  CellResult trained;
  const auto machines = file.metadata().find("machines");
  if (machines != file.metadata().end()) trained.machines = machines->second;
  return score_cell(one.cell,
                    {model, values, entrant.task(), entrant.first().plan, evaluation, one.cell.seed},
                    std::move(trained), threads, progress, interrupt);
}

// Returns nothing if it was interrupted.
std::optional<std::vector<CellResult>> score_cells(const std::vector<ModelCell>& cells, Threads& threads,
                                                   Progress& progress) {
  const InterruptGuard interrupt;
  const Settings& evaluation = cells.front().cell.entrant.row.settings;
  std::vector<CellResult> results;
  try {
    for (const ModelCell& one : cells)
      results.push_back(scored(one, evaluation, threads, progress, interrupt));
  } catch (const Stopped&) {
    progress.finish_line();
    return std::nullopt;
  }
  progress.finish_line();
  return results;
}

int evaluate(const CommandLine& command) {
  Threads threads(command.threads);
  Progress progress(command.quiet);
  Entrants makers;
  const std::vector<ModelRow> rows = checkpoint_rows(command.settings, command.several, makers);
  if (command.dry_run) {
    say_on_stdout(plan_text(rows, makers, threads.count()));
    return 0;
  }
  check_scoring(rows, threads.count());
  const std::filesystem::path out = command.out.empty() ? "results/evaluate" : command.out;
  const FolderLock lock(out);
  const std::vector<ModelCell> cells = cells_of(rows, lock.path());
  std::vector<std::filesystem::path> folders;
  for (const ModelCell& one : cells) folders.push_back(one.cell.folder);
  check_out(out, Holds::scores, folders);
  const std::string resolved = experiment_of(rows).resolved_config();
  write_file_atomically(lock.path() / "resolved.cfg", resolved);
  progress.say(startup_line(threads.count()));
  progress.say(plan_text(rows, makers, threads.count()));
  for (const ModelRow& row : rows) warn_of_other_data(row, progress);
  auto results = score_cells(cells, threads, progress);
  if (!results) return say_interrupted(command.invocation);
  const auto [result, page] =
      write_model_report(rows, makers, std::move(*results), rows.front().entrant.row.settings,
                         {lock.path(), resolved, "./experiments/run evaluate " + command.arguments});
  draw_on_stdout(terminal_table(result, terminal_of(STDOUT_FILENO)));
  say_on_stdout(fmt::format("report: {}\n", page.string()));
  return 0;
}

}  // namespace
DriverDescription evaluate_driver() {
  return {
      .name = "evaluate",
      .summary =
          "Scores checkpoints at any lengths and under any conditions, without training, and writes the "
          "tables, "
          "plots and report of an experiment. Checkpoints that differ only in their seeds are one row; rows "
          "are "
          "named by the settings in which they differ. Models come from the checkpoints, and so do the task "
          "and "
          "positions unless given. Every checkpoint is scored on as many examples as hold the tokens of a "
          "training "
          "batch of the first; with the evaluate.… of its training it gets the same bits.",
      .examples =
          {"evaluate --model results/quick/cells/*/seed-*/checkpoint.safetensors --evaluate.lengths=16x "
           "--out results/further",
           "evaluate --model results/rope/checkpoint.safetensors --positional.test_positions=yarn "
           "--evaluate.conditions='trained, window(size=64)' --out results/rope-yarn",
           "evaluate --model results/book/checkpoint.safetensors --task.file=other.txt --out results/other"},
      .sections = {"task", "positional", "evaluate"},
      .keys = {"train.batch"},
      .unread = {"positional.encodings", "positional.encoding", "positional.dropout", "task.lengths"},
      .options = {"out", "model"},
      .required = {"model"},
      .several = "model",
      .body = evaluate};
}

}  // namespace ordinal::experiments
