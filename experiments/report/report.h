// From the results of an experiment to the files that a person opens: tables, plots and one page. The driver
// calls write_report; everything else in this folder is a part of it. Start here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/gnuplot.h"
#include "experiments/report/result.h"

namespace ordinal::experiments {

/// Something that the driver adds to the page: an SVG file (see heatmap.h), or a text where `svg` is empty.
/// An SVG that does not exist, because it could not be drawn, is said to be missing.
struct ExtraFigure {
  std::string title;
  std::string caption;
  std::filesystem::path svg;
  std::string text;
};

struct ReportFiles {
  std::vector<std::filesystem::path> paths;  // all that were written; the page is the last
  bool gnuplot_missing = false;
  std::string plot_error;  // one line for a person, empty if all plots that have data were drawn
};

/// Writes table.md, table.csv, seeds.csv, curves.svg, training.svg, by_position.svg and report.html into
/// `out`, making it if need be. Without gnuplot, or if it fails, all but the SVGs still come. A picture
/// without data is not drawn. Throws if the folder cannot be written.
ReportFiles write_report(const ExperimentResult& result, const std::filesystem::path& out,
                         const std::vector<ExtraFigure>& extra = {},
                         const std::string& program = gnuplot_program);

}  // namespace ordinal::experiments
