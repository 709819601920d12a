// A line chart as data, and its renderings: SVG for a file, JSON for a page. plots.h makes the charts of an experiment.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/svg.h"

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
  bool points = false;                    // mark each point: for few, exact x values
  std::vector<Tick> x_ticks;              // empty: round numbers
  std::optional<double> training_length;  // the region to its right is shaded and named
  std::optional<double> y_low;
  std::optional<double> y_high;
  std::vector<Series> series;      // the i-th has the i-th colour, whether it has points or not
  std::vector<Series> references;  // thin grey lines behind them
};

/// Whether at least one series has a finite point: a chart without any has no picture.
bool has_data(const Chart& chart);

std::string svg(const Chart& chart);

/// x_label, y_label, log2_x, past (the training length), low (of y), unit, and series of name, x (unless it is that of the
/// first), y, low and high, which are multiples of `unit`: four digits of the largest.
nlohmann::ordered_json numbers(const Chart& chart);

/// Bars from zero, side by side for each row: costs to the right, gains to the left. The i-th part has a number for each row.
struct Bars {
  struct Part {
    std::string name;
    std::string colour;
    std::vector<double> values;
  };
  std::string title;
  std::string x_label;
  std::vector<std::string> rows;
  std::vector<Part> parts;
};

std::string svg(const Bars& bars);

}  // namespace ordinal::experiments
