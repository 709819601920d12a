// The main experiment: trained up to this length on this task, how does each encoding do at longer lengths?
// Expands a config into cells (encodings × seeds), trains and scores each, skipping what is done and
// continuing what was interrupted, and hands the results to the report.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/report/report.h"
#include "experiments/report/result.h"
#include "experiments/runs/interrupt.h"
#include "experiments/runs/progress.h"
#include "experiments/settings/settings.h"
#include "experiments/tasks/task.h"
#include "framework/core/threads.h"

namespace ordinal {

class TrainingRun;

/// One model to train: it lives in <out>/cells/<encoding>/seed-<seed>.
struct Cell {
  std::string encoding;
  std::uint64_t seed = 0;
  std::filesystem::path folder;
};

class Extrapolation {
 public:
  /// `out` is the folder of results. Throws ConfigError or DataError if any cell or length is impossible,
  /// before anything is written.
  Extrapolation(const Settings& settings, std::filesystem::path out, Threads& threads);

  const std::vector<Cell>& cells() const { return cells_; }

  /// What would be run: cells, parameters, floating-point operations and memory of each.
  std::string plan() const;

  /// Runs all cells. Returns nothing if it was interrupted; then the same call goes on later.
  std::optional<ExperimentResult> run(Progress& progress, const InterruptGuard& interrupt);

  /// Heatmaps of the encodings and of the attention of the first seed's models.
  std::vector<ExtraFigure> figures() const;

 private:
  CellResult describe(const Cell& cell, TrainingRun& run) const;
  CellResult refused(const Cell& cell, TrainingRun& run, const std::string& why) const;
  CellResult score(const Cell& cell, TrainingRun& run, Progress& progress, const InterruptGuard& interrupt);
  std::optional<CellResult> run_cell(const Cell& cell, const std::string& label, Progress& progress,
                                     const InterruptGuard& interrupt);
  std::optional<CellResult> finished_result(const Cell& cell) const;
  void check_folder(const Cell& cell) const;
  std::string cell_settings(const Cell& cell) const;
  ExperimentResult experiment(std::vector<CellResult> results) const;
  void write_manifest(const ExperimentResult& result) const;

  const Settings& settings_;
  std::filesystem::path out_;
  Threads& threads_;
  std::unique_ptr<Task> task_;
  std::vector<Index> lengths_;
  std::vector<Cell> cells_;
};

}  // namespace ordinal
