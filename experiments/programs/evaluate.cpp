// evaluate: scores checkpoints at any lengths, under any conditions and on any task that their tokens fit, and writes the
// report of an experiment.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "experiments/experiment/checkpoint_rows.h"
#include "experiments/experiment/outline.h"
#include "experiments/experiment/results_folder.h"
#include "experiments/experiment/run_cells.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/report/terminal_table.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/folder_lock.h"

namespace ordinal::experiments {
namespace {

// A line for each row and each of its checkpoints.
std::string plan_text(const CheckpointRows& all, const Entrants& makers, int threads) {
  std::string text;
  for (const Entrant& row : all.rows) {
    const Workload& work = row.last().work;
    text +=
        fmt::format("{}: {} parameters, {}; scoring {} tokens needs about {:.1f} MB\n", row.row.label,
                    work.parameters, work.positions, work.scoring.seq_len, work.scoring.bytes(threads) / 1e6);
    for (const Cell& cell : all.cells) {
      if (&cell.entrant == &row) text += fmt::format("  seed {}: {}\n", cell.seed, cell.checkpoint.string());
    }
  }
  for (const auto& [name, task] : makers.tasks()) text += fmt::format("task {}\n", task->describe());
  const Settings& first = all.rows.front().row.settings;
  return text + fmt::format("scored at lengths {} ({})\n", fmt::join(evaluation_lengths(first), ", "),
                            joined(first.list("evaluate.conditions")));
}

// A checkpoint may be scored on a task or texts other than its own, but the user may also have forgotten to give them.
void warn_of_other_data(const Cell& cell, Progress& progress) {
  const Metadata trained = SafetensorsFile(cell.checkpoint).metadata();
  const auto data = trained.find("data_hash");
  const auto name = trained.find("task.name");
  if (data == trained.end() || name == trained.end() || data->second == cell.entrant.task().data_hash())
    return;
  const std::string here = cell.entrant.first().plan.full.at("task.name");
  progress.say(fmt::format("warning: {} was trained on {}, and is scored on {}", cell.checkpoint.string(),
                           name->second, here == name->second ? "other data of that task" : here));
}

// Gives the cells their folders, and checks what these hold.
void place_cells(std::vector<Cell>& cells, const LockedPath& out, const CellWorkers& workers) {
  std::vector<std::filesystem::path> folders;
  for (Cell& cell : cells) {
    cell.folder = cell_in(out, cell.entrant, cell.evaluation, cell.seed).folder;
    folders.push_back(cell.folder);
  }
  check_out(out, Holds::scores, folders);
  check_cells(cells, workers);
}

int evaluate(const CommandLine& command) {
  Threads threads(command.threads);
  Progress progress(command.quiet);
  Entrants makers;
  CheckpointRows all = checkpoint_rows(command.settings, command.several, makers);
  const std::string plan = plan_text(all, makers, threads.count());
  if (command.dry_run) {
    say_on_stdout(plan);
    return 0;
  }
  const CellWorkers workers{threads};
  const std::filesystem::path out = command.out.empty() ? "results/evaluate" : command.out;
  place_cells(all.cells, out, workers);  // before it writes the lock
  const FolderLock lock(out);
  place_cells(all.cells, lock.path(), workers);
  const std::string resolved = all.experiment().resolved_config();
  write_file_atomically(lock.path() / "resolved.cfg", resolved);
  progress.say(startup_line(threads.count()));
  progress.say(plan);
  for (const Entrant& row : all.rows)
    warn_of_other_data(*std::ranges::find(all.cells, &row, [](const Cell& cell) { return &cell.entrant; }),
                       progress);
  auto results = [&] {
    const InterruptGuard interrupt;
    return run_cells(all.cells, workers, progress, interrupt);
  }();
  progress.finish_line();
  if (!results) return say_interrupted(command.invocation);
  const auto [result, page] = write_models(all.rows, makers, all.cells, std::move(*results), lock.path(),
                                           resolved, "./experiments/run evaluate " + command.arguments);
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
          "tables, plots and report of an experiment. Checkpoints that differ only in their seeds are one "
          "row; rows are named by the settings in which they differ. Models come from the checkpoints, and "
          "so do the task and positions unless given. Every checkpoint is scored on as many examples as hold "
          "the tokens of a training batch of the first; with the evaluate.… of its training it gets the same "
          "bits.",
      .examples =
          {"evaluate --model results/quick/cells/*/seed-*/checkpoint.safetensors --evaluate.lengths=16x "
           "--out results/further",
           "evaluate --model results/rope/checkpoint.safetensors --model.encoding=rope@contiguous:yarn "
           "--evaluate.conditions='trained, window(size=64)' --out results/rope-yarn",
           "evaluate --model results/book/checkpoint.safetensors --task.file=other.txt --out results/other"},
      .sections = {"task", "evaluate"},
      .keys = {"train.batch", "model.encoding", "model.train_length"},
      .unread = {"task.lengths"},
      .options = {"out", "model"},
      .required = {"model"},
      .several = "model",
      .body = evaluate};
}

}  // namespace ordinal::experiments
