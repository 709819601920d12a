// Models that are trained, as rows of a table: for train and evaluate, which score them and write a report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/experiment/entrant.h"
#include "experiments/experiment/figures.h"
#include "experiments/report/report.h"

namespace ordinal::experiments {

/// A row and its models, one for each seed.
struct ModelRow {
  Entrant entrant;
  std::vector<SavedModel> models;
};

std::vector<Entrant> entrants_of(const std::vector<ModelRow>& rows);

/// The folder of a report and what it says about the run.
struct ReportFrame {
  LockedPath out;
  std::string settings;  // resolved.cfg, verbatim
  std::string command;   // that repeats the run
};

struct ModelReport {
  ExperimentResult result;
  std::filesystem::path page;
};

/// Writes the manifest and the report of all models, whose results are `cells`. `evaluation` is as in Subject.
ModelReport write_model_report(const std::vector<ModelRow>& rows, const Entrants& makers,
                               std::vector<CellResult> cells, const Settings& evaluation,
                               const ReportFrame& frame);

}  // namespace ordinal::experiments
