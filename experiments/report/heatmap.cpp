// The pixels are one embedded image, so the SVG of any matrix is only a few kilobytes.
#include "experiments/report/heatmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ordinal::experiments {
namespace {

/// Mean over the block of the matrix that pixel (r, c) of a `rows` x `cols` picture covers; NaN if any part
/// is.
double block_mean(View<const double> matrix, Index r, Index c, Index rows, Index cols) {
  const Index first_row = r * matrix.rows / rows;
  const Index first_col = c * matrix.cols / cols;
  const Index end_row = (r + 1) * matrix.rows / rows;
  const Index end_col = (c + 1) * matrix.cols / cols;
  double sum = 0.0;
  for (Index i = first_row; i < end_row; ++i) {
    for (Index j = first_col; j < end_col; ++j) sum += matrix(i, j);
  }
  return sum / static_cast<double>((end_row - first_row) * (end_col - first_col));
}

Tensor<double> shrink(View<const double> matrix, Index longest_side) {
  const Index rows = std::min(matrix.rows, longest_side);
  const Index cols = std::min(matrix.cols, longest_side);
  Tensor<double> small({rows, cols});
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) small(r, c) = block_mean(matrix, r, c, rows, cols);
  }
  return small;
}

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

const char* palette_command(Palette palette) {
  return palette == Palette::diverging ? "set palette defined (0 '#2166ac', 1 '#67a9cf', 2 '#d1e5f0', 3 "
                                         "'#ffffff', 4 '#fddbc7', 5 '#ef8a62', "
                                         "6 '#b2182b')\n"
                                       : "set palette defined (0 '#ffffff', 1 '#deebf7', 2 '#9ecae1', 3 "
                                         "'#4292c6', 4 '#08519c', 5 '#08306b')\n";
}

/// Width and height of the picture: square pixels unless the matrix is too long, plus space for the labels.
std::pair<int, int> picture_size(View<const double> matrix) {
  const double aspect =
      std::clamp(static_cast<double>(matrix.rows) / static_cast<double>(matrix.cols), 0.35, 1.2);
  return {640, static_cast<int>(std::lround(500.0 * aspect)) + 100};
}

// "set xtics ('the' 0, 'cat' 1)"; empty for the indices, which gnuplot writes itself.
std::string tick_command(char axis, const std::vector<HeatmapTick>& ticks) {
  if (ticks.empty()) return "";
  constexpr std::size_t fits_across = 60;  // letters; more are turned
  std::string labels;
  std::size_t letters = 0;
  for (const HeatmapTick& tick : ticks) {
    labels += fmt::format("{}{} {:.6g}", labels.empty() ? "" : ", ", gnuplot_string(tick.text), tick.at);
    letters += tick.text.size() + 2;
  }
  const bool turned = axis == 'x' && letters > fits_across;
  return fmt::format("set {}tics {}({})\n", axis, turned ? "rotate by -45 " : "", labels);
}

std::string values_block(const Tensor<double>& values) {
  std::string script = "$m << END\n";
  for (Index r = 0; r < values.shape()[0]; ++r) {
    for (Index c = 0; c < values.shape()[1]; ++c) {
      const double value = values(r, c);
      script += std::isfinite(value) ? fmt::format("{:.5g} ", value) : "NaN ";
    }
    script += '\n';
  }
  return script + "END\n";
}

void check(View<const double> matrix, const HeatmapOptions& options) {
  if (!(options.span > 0.0 && options.span <= 1.0)) {
    throw std::invalid_argument(fmt::format("heatmap '{}': got span {}, expected a share above 0 and up to 1",
                                            options.title, options.span));
  }
  if (matrix.rows < 1 || matrix.cols < 1) {
    throw std::invalid_argument(fmt::format("heatmap '{}': got a {} x {} matrix, expected at least 1 x 1",
                                            options.title, matrix.rows, matrix.cols));
  }
}

// A row of heatmap_numbers: `levels` are 0 to 62, -1 where there is no value.
std::string letters(const std::vector<int>& levels) {
  std::string text;
  for (auto at = levels.begin(); at != levels.end();) {
    const auto end = std::find_if(at, levels.end(), [&](int level) { return level != *at; });
    if (end == levels.end() && *at == 0) break;
    const std::string letter(1, *at < 0 ? '!' : static_cast<char>('?' + *at));
    text += end - at < 3 ? letter + (end - at > 1 ? letter : "") : letter + std::to_string(end - at);
    at = end;
  }
  return text;
}

}  // namespace

std::string heatmap_script(View<const double> matrix, const HeatmapOptions& options) {
  check(matrix, options);
  const Tensor<double> values = shrink(matrix, options.longest_side);
  const auto [low, high] = colour_range(values, options);
  const auto [width, height] = picture_size(matrix);
  const double row_step = static_cast<double>(matrix.rows) / static_cast<double>(values.shape()[0]);
  const double col_step = static_cast<double>(matrix.cols) / static_cast<double>(values.shape()[1]);
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font 'Helvetica,14' background '#ffffff'\n"
      "set encoding utf8\nunset key\nset border linecolor '#999999'\n"
      "set tics out nomirror scale 0.5 textcolor '#333333'\n"
      "set title {} offset 0,-0.2 font 'Helvetica,17'\n"
      "set xlabel {} textcolor '#222222'\nset ylabel {} textcolor '#222222'\n",
      width, height, gnuplot_string(options.title), gnuplot_string(options.x_label),
      gnuplot_string(options.y_label));
  script += palette_command(options.palette);
  script += "set palette maxcolors 32\n";  // more would only make the file larger
  script +=
      fmt::format("set cbrange [{:.6g}:{:.6g}]\nset cbtics scale 0.3\nset colorbox noborder\n", low, high);
  if (options.span < 1.0) {
    script += fmt::format("set cblabel 'the largest {:.3g} % take the last colour' textcolor '#666666'\n",
                          100.0 * (1.0 - options.span));
  }
  script += fmt::format("set xrange [-0.5:{}]\nset yrange [{}:-0.5]\n",
                        static_cast<double>(matrix.cols) - 0.5, static_cast<double>(matrix.rows) - 0.5);
  script += tick_command('x', options.x_ticks) + tick_command('y', options.y_ticks);
  script += values_block(values);
  return script + fmt::format("plot $m matrix using ($1*{1}+{3}):($2*{0}+{2}):3 with image notitle\n",
                              row_step, col_step, (row_step - 1.0) / 2.0, (col_step - 1.0) / 2.0);
}

std::string heatmap_numbers(View<const double> matrix, const HeatmapOptions& options) {
  check(matrix, options);
  constexpr double last_level = 62.0;
  const Tensor<double> values = shrink(matrix, options.page_side);
  const auto [low, high] = colour_range(values, options);
  const Index columns = values.shape()[1];
  nlohmann::ordered_json json = {{"x_label", options.x_label},
                                 {"y_label", options.y_label},
                                 {"matrix", {matrix.rows, matrix.cols}},
                                 {"low", low},
                                 {"high", high},
                                 {"columns", columns}};
  for (Index r = 0; r < values.shape()[0]; ++r) {
    std::vector<int> levels;
    for (Index c = 0; c < columns; ++c) {
      const double share = std::clamp((values(r, c) - low) / (high - low), 0.0, 1.0);
      levels.push_back(std::isfinite(share) ? static_cast<int>(std::lround(last_level * share)) : -1);
    }
    json["cells"].push_back(letters(levels));
  }
  return json.dump();
}

DrawOutcome draw_heatmap(View<const double> matrix, const HeatmapOptions& options, const LockedPath& svg,
                         const std::string& program) {
  return draw_svg(heatmap_script(matrix, options), svg, options.title, program);
}

}  // namespace ordinal::experiments
