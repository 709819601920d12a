// A line chart as data, and the gnuplot script that draws it. All charts of the project use it; plots.h makes
// the charts of an experiment.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ordinal::experiments {

/// One line. `low` and `high` make the band around it; both are empty for a line without one. Points that are
/// not finite are left out.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<std::pair<double, double>> dots = {};  // small, of single seeds
};

struct Chart {
  std::string title;
  std::string subtitle;  // what the band is, in grey under the title
  std::string x_label;
  std::string y_label;
  bool log2_x = false;
  bool points = false;                                  // mark each point: for few, exact x values
  std::vector<std::pair<double, std::string>> x_ticks;  // empty: gnuplot chooses
  std::optional<double> training_length;                // the region to its right is shaded and named
  std::optional<double> y_low;
  std::optional<double> y_high;
  std::vector<Series> series;      // the i-th has the i-th colour, whether it has points or not
  std::vector<Series> references;  // thin grey lines behind them
};

/// The script prints the SVG on standard output.
std::string chart_script(const Chart& chart);

}  // namespace ordinal::experiments
