// A line chart as data, and its renderings: SVG for a file, JSON for a page. plots.h makes the charts of an experiment.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/report/svg.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// One line. Points that are not finite are left out. What is not known of its points is empty.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low = {};  // the band around it
  std::vector<double> high = {};
  std::string note = {};  // beside the name, in parentheses
  std::vector<std::vector<double>> values =
      {};  // of each point those of all seeds; under three they are dots
};

/// More bands than these would overlap, and are not drawn.
inline constexpr std::size_t most_bands = 7;

struct Chart {
  std::string title;
  std::string subtitle;  // what the band is, in grey under the title
  std::string x_label;
  std::string y_label;
  bool log2_x = false;
  bool points = false;                    // mark each point: for few and exact numbers
  std::vector<Tick> x_ticks;              // empty: round numbers
  std::optional<double> training_length;  // the region to its right is shaded and named
  std::optional<double> y_low;
  std::optional<double> y_high;
  std::vector<Series> series;      // the i-th has the i-th colour, whether it has points or not
  std::vector<Series> references;  // thin grey lines behind them; one that is far away is not drawn
};

/// Whether at least one series has a finite point: a chart without any has no picture.
bool has_data(const Chart& chart);

/// Empty without data.
std::string svg(const Chart& chart);

/// The chart for a page, which describes it as the structs do: `past` is the training length, `low` and `high` are y_low and
/// y_high. x is left out where it is that of the first series, and so is what is empty, zero or nothing but y. Numbers are
/// multiples of `unit`, four digits of the largest. Points and single values are those of files alone.
nlohmann::ordered_json numbers(const Chart& chart);

}  // namespace ordinal::experiments
