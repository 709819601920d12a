// A line chart as data, and its two renderings: a file, and a part of a page. plots.h makes the charts of an experiment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/report/svg.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// One line. Non-finite points are left out. A field that is unknown for its points is empty.
struct Series {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> low = {};  // the band around it
  std::vector<double> high = {};
  std::string note = {};  // next to the name, in parentheses
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
  std::vector<Tick> x_ticks = {};         // as many of these as fit; empty: round numbers
  std::optional<double> training_length;  // on the axis; the region to its right is shaded and named
  std::optional<double> y_low;
  std::optional<double> y_high;
  std::vector<Series> series;  // each has the colour of its place, even if it has no points; none is black
  std::vector<Series> references;  // thin grey lines, each with its own dashes; those far away are not drawn
};

/// A file; empty without a finite point.
std::string svg(const Chart& chart);

/// For a page: the plot as SVG, and below or beside it the legend as a list. page.js hides a series and its entry, which
/// have its name in `data-row`. Empty without a finite point.
std::string inside_page(const Chart& chart);

}  // namespace ordinal::experiments
