// Writes the results of an experiment as tables, pictures and one HTML page. The driver calls write_report;
// everything else in this folder supports it. Start here.
#pragma once

#include <filesystem>
#include <vector>

#include "experiments/process/folder_lock.h"
#include "experiments/report/html.h"
#include "experiments/results/result.h"

namespace ordinal::experiments {

/// Writes table.md, table.csv, seeds.csv, references.csv, curves.svg (curves-METRIC.svg for further headline metrics),
/// training.svg, by_position.svg, the pictures of `figures` and report.html into `out`, creating it if needed, and returns the path of
/// the page. Files without data are not written; a picture that an earlier run left there is removed. Throws if the folder
/// cannot be written.
std::filesystem::path write_report(const ExperimentResult& result, const LockedPath& out,
                                   const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
