// A line chart as data, and its renderings: SVG for a file, JSON for a page. plots.h makes the charts of an experiment.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/report/svg.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// One line. Non-finite points are left out. A field that is unknown for its points is empty.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low = {};  // the band around it
  std::vector<double> high = {};
  std::string note = {};  // next to the name, in parentheses
  std::vector<std::vector<double>> values =
      {};  // for each point, the value of every seed; drawn as dots if fewer than three
};

/// More bands than this would overlap, so none are drawn.
inline constexpr std::size_t most_bands = 7;

struct Chart {
  std::string title;
  std::string subtitle;  // explains the band, in grey under the title
  std::string x_label;
  std::string y_label;
  bool log2_x = false;
  bool points = false;                    // mark each point, for a few exact numbers
  std::vector<Tick> x_ticks;              // empty: round numbers
  std::optional<double> training_length;  // the region to its right is shaded and named
  std::optional<double> y_low;
  std::optional<double> y_high;
  std::vector<Series> series;      // series i gets colour i, even if it has no points
  std::vector<Series> references;  // thin grey lines behind the series; those far away are not drawn
};

/// Whether at least one series has a finite point. A chart without one has no picture.
bool has_data(const Chart& chart);

/// Empty without data.
std::string svg(const Chart& chart);

/// The chart for a page, with fields named as in the structs; `past` is the training length, `low` and `high` are y_low and
/// y_high. Omitted are an x equal to that of the first series, empty or zero fields, and a band equal to y. Values of y are
/// multiples of `unit`, which gives the largest four digits. Marked points and single values appear only in files.
nlohmann::ordered_json numbers(const Chart& chart);

}  // namespace ordinal::experiments
