// A matrix as a picture: encodings (L x d), learned tables, attention maps, Gram matrices.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/report/gnuplot.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// diverging: blue, white, red around zero, for values of both signs. sequential: white to dark blue, from
/// zero (or the smallest value, if that is negative), for weights such as attention.
enum class Palette { diverging, sequential };

/// A label of a row or column.
struct HeatmapTick {
  double at = 0.0;  // its index; 0.5 lies between the first two
  std::string text;
};

struct HeatmapOptions {
  std::string title = {};
  std::string x_label = {};  // of the columns
  std::string y_label = {};  // of the rows; row 0 is on top
  Palette palette = Palette::diverging;
  /// Share of the values other than zero that the colours span; larger ones take the last colour. 0.99 keeps
  /// an attention map readable, whose first rows attend mostly to themselves.
  double span = 1.0;
  Index longest_side = 256;               // in pixels; see heatmap_script
  Index page_side = 256;                  // the same for heatmap_numbers
  std::vector<HeatmapTick> x_ticks = {};  // of columns and rows, instead of their indices; empty: indices
  std::vector<HeatmapTick> y_ticks = {};
};

/// The gnuplot script. A side longer than `longest_side` is averaged down in equal blocks, and the axes still count the
/// original rows and columns. Values that are not finite are left blank. Throws std::invalid_argument for an
/// empty matrix.
std::string heatmap_script(View<const double> matrix, const HeatmapOptions& options);

/// The same picture for the page as JSON: x_label, y_label, matrix (its rows and columns), low and high (the ends of the
/// colours), columns and cells: a string for each row, with a character for each of its `columns` cells: the 63 from '?' to
/// '}' are the values from low to high, '!' is none. A number is how often the character before it stands there; what is left
/// out at the end is low.
std::string heatmap_numbers(View<const double> matrix, const HeatmapOptions& options);

/// Draws it; see draw_svg.
DrawOutcome draw_heatmap(View<const double> matrix, const HeatmapOptions& options, const LockedPath& svg,
                         const std::string& program = gnuplot_program);

}  // namespace ordinal::experiments
