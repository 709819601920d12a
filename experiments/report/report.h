// Writes the results of an experiment as tables, plots and one HTML page. The driver calls write_report;
// everything else in this folder supports it. Start here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/gnuplot.h"
#include "experiments/report/html.h"
#include "experiments/results/result.h"

namespace ordinal::experiments {

struct ReportFiles {
  std::vector<std::filesystem::path> paths;  // all that were written; the page is the last
  bool gnuplot_missing = false;
  std::string plot_error;  // one line for the user, empty if all plots that have data were drawn
};

/// Writes only report.html, without pictures of models, for an experiment that still runs. Throws if the folder cannot be written.
void write_page(const ExperimentResult& result, const LockedPath& out);

/// Writes table.md, table.csv, seeds.csv, curves.svg, training.svg, by_position.svg and report.html into
/// `out`, creating it if needed. Without gnuplot, or if it fails, all files but the SVGs are written. A
/// picture without data is not drawn. Throws if the folder cannot be written.
ReportFiles write_report(const ExperimentResult& result, const LockedPath& out,
                         const std::vector<Figure>& figures = {},
                         const std::string& program = gnuplot_program);

}  // namespace ordinal::experiments
