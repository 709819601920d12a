#include "experiments/report/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "framework/math/vector_math.h"

namespace ordinal::experiments {
namespace {

using Colour = std::array<double, 3>;

const std::vector<Colour>& colours_of(Palette palette) {
  static const std::vector<Colour> diverging = {{33, 102, 172},  {103, 169, 207}, {209, 229, 240},
                                                {255, 255, 255}, {253, 219, 199}, {239, 138, 98},
                                                {178, 24, 43}};
  static const std::vector<Colour> sequential = {{255, 255, 255}, {222, 235, 247}, {158, 202, 225},
                                                 {66, 146, 198},  {8, 81, 156},    {8, 48, 107}};
  return palette == Palette::diverging ? diverging : sequential;
}

std::string colour_of(int level, Palette palette) {
  if (level < 0) return "#ffffff";
  const std::vector<Colour>& stops = colours_of(palette);
  const double at = static_cast<double>(level) / most_level * static_cast<double>(stops.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const auto channel = [&](std::size_t c) {
    return std::lround(std::lerp(stops[i][c], stops[i + 1][c], at - static_cast<double>(i)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

// A side of `length` elements is drawn as `cells` equal blocks: where a block starts, and which one holds an element.
Index start_of(Index block, Index cells, Index length) { return block * length / cells; }
Index block_of(Index element, Index cells, Index length) { return ((element + 1) * cells - 1) / length; }

/// Largest magnitude of the values of one sign, after leaving out the (1 - span) largest.
double magnitude(const Tensor<double>& values, double sign, double span) {
  std::vector<double> sizes;
  for (const double value : values.span()) {
    if (std::isfinite(value) && sign * value > 0.0) sizes.push_back(sign * value);
  }
  if (sizes.empty()) return 0.0;
  const auto last = static_cast<double>(sizes.size() - 1);
  const auto at = sizes.begin() + static_cast<Index>(std::lround(span * last));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

/// Range of the colours: symmetric for diverging, so that white is exactly zero.
std::pair<double, double> colour_range(const Tensor<double>& values, const HeatmapOptions& options) {
  double low = 0.0 - magnitude(values, -1.0, options.span);  // 0 and not -0
  double high = magnitude(values, 1.0, options.span);
  if (options.palette == Palette::diverging) {
    high = std::max(high, -low);
    low = -high;
  }
  return low == high ? std::pair{low, low + 1.0} : std::pair{low, high};
}

using Cells = std::vector<std::vector<int>>;

// Draws a line one cell wide for each run of equal levels; the most frequent level is the background.
std::string cells_svg(const Cells& cells, Palette palette, const Box& box) {
  std::map<int, std::string> paths;
  std::map<int, Index> covered;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    const std::vector<int>& line = cells[r];
    for (auto at = line.begin(), end = at; at != line.end(); at = end) {
      end = std::find_if(at, line.end(), [&](int level) { return level != *at; });
      paths[*at] += fmt::format("M{} {}h{}", at - line.begin(), r, end - at);
      covered[*at] += end - at;
    }
  }
  const int ground = std::ranges::max_element(covered, {}, &std::pair<const int, Index>::second)->first;
  const auto [rows, cols] = std::pair(cells.size(), cells.front().size());
  std::string svg = fmt::format(
      "<g transform=\"translate({:.5g} {:.5g}) scale({:.5g} {:.5g})\" shape-rendering=\"crispEdges\">\n"
      "<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n<g transform=\"translate(0 .5)\">\n",
      box.left, box.top, (box.right - box.left) / static_cast<double>(cols),
      (box.bottom - box.top) / static_cast<double>(rows), cols, rows, colour_of(ground, palette));
  for (const auto& [level, path] : paths) {
    if (level != ground)
      svg += fmt::format("<path stroke=\"{}\" d=\"{}\"/>\n", colour_of(level, palette), path);
  }
  return svg + "</g></g>";
}

void colour_bar(Svg& svg, const Heatmap& map, const Box& box) {
  svg.extend(box.right + 92, 0);
  Cells levels;
  for (int level = most_level; level >= 0; --level) levels.push_back({level});
  const double left = box.right + 16;
  svg.add(cells_svg(levels, map.options.palette, {left, left + 14, box.top, box.bottom}));
  svg.rectangle(left, box.top, 14, box.bottom - box.top, "fill=\"none\" stroke=\"#bbb\"");
  const Axis y{map.low, map.high, box.bottom, box.top};
  for (const Tick& tick : round_ticks(map.low, map.high, 7))
    svg.text(left + 20, y(tick.at) + 5, tick.text, "font-size=\".86em\" fill=\"#444\"");
}

std::vector<Tick> ticks_of(const std::vector<Tick>& named, Index count, int most) {
  return named.empty() ? round_ticks(0.0, static_cast<double>(count - 1), most, 1.0) : named;
}

// Cells are square unless the matrix is too long.
Svg drawn(const Heatmap& map) {
  constexpr double width = 360.0;
  const double aspect = std::clamp(static_cast<double>(map.rows) / static_cast<double>(map.cols), 0.35, 1.2);
  const std::vector<Tick> x_ticks = ticks_of(map.options.x_ticks, map.cols, 8);
  const std::vector<Tick> y_ticks = ticks_of(map.options.y_ticks, map.rows, static_cast<int>(8 * aspect) + 1);
  const double left = 44.0 + 8.5 * std::max(3.0, longest_of(y_ticks));
  const Box box{left, left + width, 48, 48 + std::round(aspect * width)};
  Svg svg(map.options.title, box);
  svg.add(cells_svg(map.cells, map.options.palette, box));
  svg.rectangle(box.left, box.top, width, box.bottom - box.top, "fill=\"none\" stroke=\"#999\"");
  svg.x_axis({-0.5, static_cast<double>(map.cols) - 0.5, box.left, box.right}, x_ticks, map.options.x_label);
  svg.y_axis({-0.5, static_cast<double>(map.rows) - 0.5, box.top, box.bottom}, y_ticks, map.options.y_label);
  colour_bar(svg, map, box);
  return svg;
}

}  // namespace

HeatmapBuilder::HeatmapBuilder(Index rows, Index cols, HeatmapOptions options)
    : options_(std::move(options)),
      rows_(rows),
      cols_(cols),
      sums_({std::min(rows, options_.longest_side), std::min(cols, options_.longest_side)}) {}

template <typename T>
void HeatmapBuilder::add(Index row, Index col, std::span<const T> values, double share) {
  const Index cells = sums_.shape()[1];
  double* sums = sums_.view().row(block_of(row, sums_.shape()[0], rows_));
  const Index end = col + std::ssize(values);
  for (Index c = block_of(col, cells, cols_), at = col; at < end; ++c) {
    const Index next = std::min(end, start_of(c + 1, cells, cols_));
    sums[c] += share * static_cast<double>(vmath::sum(values.data() + (at - col), next - at));
    at = next;
  }
}

template void HeatmapBuilder::add(Index, Index, std::span<const float>, double);
template void HeatmapBuilder::add(Index, Index, std::span<const double>, double);

Heatmap HeatmapBuilder::heatmap() const {
  Tensor<double> values = sums_;
  const auto [rows, cols] = std::pair(values.shape()[0], values.shape()[1]);
  const auto size_of = [](Index block, Index cells, Index length) {
    return start_of(block + 1, cells, length) - start_of(block, cells, length);
  };
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c)
      values(r, c) /= static_cast<double>(size_of(r, rows, rows_) * size_of(c, cols, cols_));
  }
  const auto [low, high] = colour_range(values, options_);
  Heatmap map{options_, rows_, cols_, low, high, {}};
  for (Index r = 0; r < rows; ++r) {
    std::vector<int>& levels = map.cells.emplace_back();
    for (Index c = 0; c < cols; ++c) {
      const double share = std::clamp((values(r, c) - low) / (high - low), 0.0, 1.0);
      levels.push_back(std::isfinite(share) ? static_cast<int>(std::lround(most_level * share)) : -1);
    }
  }
  return map;
}

Heatmap heatmap(View<const double> matrix, HeatmapOptions options) {
  HeatmapBuilder builder(matrix.rows, matrix.cols, std::move(options));
  for (Index r = 0; r < matrix.rows; ++r)
    builder.add(r, 0, std::span(matrix.row(r), static_cast<std::size_t>(matrix.cols)));
  return builder.heatmap();
}

std::string svg(const Heatmap& map) { return drawn(map).file(); }

std::string inside_page(const Heatmap& map) { return drawn(map).inside_page(); }

}  // namespace ordinal::experiments
