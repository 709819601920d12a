// The main experiment: trained up to this length, how well does each row do at longer lengths? Expands
// a config into cells (rows × seeds), trains and scores each, skips finished cells, resumes interrupted
// ones, and passes the results to the report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/claims/claim.h"
#include "experiments/experiment/run_cells.h"
#include "experiments/process/results_folder.h"
#include "experiments/report/report.h"
#include "experiments/results/result.h"
#include "experiments/settings/command_line.h"

namespace ordinal::experiments {

/// What an experiment runs. `train` and `evaluate` give their own rows.
struct Form {
  std::string holds = an_experiment;   // what its results folder holds
  std::string command = {};            // that repeats it; empty: a run of resolved.cfg
  std::string plan = {};               // before that of the trainings
  std::filesystem::path initial = {};  // the checkpoint from which a single training starts
  std::string resolved = {};           // resolved.cfg; empty: that of the settings
  std::vector<Entrant> rows = {};      // empty: those of the settings
  Entrants makers = {};                // of the rows
};

/// What a row is called whose files stand in this folder: "rope" for results/rope.
std::string name_by_folder(const std::filesystem::path& folder);

class Extrapolation {
 public:
  /// `out` is the results folder. Throws ConfigError or DataError if any cell or length is impossible; writes nothing.
  Extrapolation(const Settings& settings, std::filesystem::path out, const CellWorkers& workers,
                Form form = {});

  /// What would be run, and what the results will not be able to say.
  std::string plan();

  /// Throws what check_results_folder() and check_cells() throw.
  void check_folders();

  /// Locks the results folder: from now on only runs with these settings write there. Checks it again.
  /// Throws what FolderLock and check_folders() throw.
  void begin();
  const LockedPath& out() const { return out_; }
  const std::string& resolved_config() const { return frame_.settings; }

  /// Runs all cells; call begin() first. Returns nothing if it was interrupted; then the same call resumes it.
  std::optional<ExperimentResult> run(Progress& progress);

  /// Writes the manifest and the report, with pictures of the models. Returns its page.
  std::filesystem::path report(const ExperimentResult& result) const;

 private:
  bool trains() const { return form_.holds != scores_alone; }
  LockedPath folder_of_cell(const Row& row, std::uint64_t seed) const;
  /// Makes the cells and what of the experiment does not depend on results. Call it again when the folder or rows change.
  void prepare();
  void score_readers();  // once; sets the gate
  std::optional<std::vector<CellResult>> results(Progress& progress);
  ExperimentResult experiment(std::vector<CellResult> cells) const;
  /// Writes the report of the results so far. If it is the first of this run, shows its table, too.
  void report_so_far(std::vector<CellResult> cells, SeedsSoFar seeds, bool is_first,
                     Progress& progress) const;

  const Settings& settings_;
  LockedPath out_;
  std::optional<FolderLock> lock_;
  CellWorkers workers_;
  Form form_;
  std::vector<Entrant> candidates_;  // from which tuning chooses
  std::vector<Cell> cells_;
  std::vector<Claim> claims_;
  ExperimentResult frame_;  // without results
};

/// Runs the experiment of a command, or says what it would do, and prints its table, the verdicts on its claims and where the
/// report is. Returns the exit code. Throws PositionError or std::runtime_error if a single training failed or diverged.
int run_experiment(const CommandLine& command, const Settings& settings, const std::filesystem::path& out,
                   Form form = {});

}  // namespace ordinal::experiments
