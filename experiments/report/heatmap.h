// A matrix as a picture: encodings (L x d), learned tables, attention maps, Gram matrices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/report/svg.h"
#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// diverging: blue, white, red around zero, for values of both signs. sequential: white to dark blue, from
/// zero (or the smallest value, if that is negative), for weights such as attention.
enum class Palette { diverging, sequential };

struct HeatmapOptions {
  std::string title = {};
  std::string x_label = {};  // of the columns
  std::string y_label = {};  // of the rows; row 0 is on top
  Palette palette = Palette::diverging;
  /// Share of the nonzero values that the colours span, above 0; larger values take the last colour. 0.99 keeps an
  /// attention map readable: its first rows attend mostly to themselves.
  double span = 1.0;
  Index longest_side = 128;  // in cells; a longer side is averaged in equal blocks
  std::vector<Tick> x_ticks =
      {};  // at columns and rows, instead of their indices; 0.5 lies between the first two
  std::vector<Tick> y_ticks = {};
};

/// A matrix as it is drawn.
struct Heatmap {
  HeatmapOptions options;
  Index rows = 0;  // of the matrix; the axes show these
  Index cols = 0;
  double low = 0.0;  // the ends of the colours
  double high = 1.0;
  std::vector<std::vector<int>> cells;  // from 0 (low) to most_level (high); -1: not finite
};

inline constexpr int most_level = 32;

/// Draws a matrix that is never in memory as a whole.
class HeatmapBuilder {
 public:
  /// Of zeros. Requires at least one row and one column.
  HeatmapBuilder(Index rows, Index cols, HeatmapOptions options);

  /// Adds `values`, times `share`, to a row of the matrix, from column `col` on.
  template <typename T>
  void add(Index row, Index col, std::span<const T> values, double share = 1.0);
  Heatmap heatmap() const;

 private:
  HeatmapOptions options_;
  Index rows_;
  Index cols_;
  Tensor<double> sums_;  // of the elements of each cell; NaN if one of them is
};

/// Of a matrix that is in memory.
Heatmap heatmap(View<const double> matrix, HeatmapOptions options);

/// A file, and the same for a page.
std::string svg(const Heatmap& map);
std::string inside_page(const Heatmap& map);

}  // namespace ordinal::experiments
