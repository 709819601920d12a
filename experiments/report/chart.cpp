// The palette is Okabe and Ito's (2008), safe for colour-blind readers, without its yellow, which is too pale
// for lines on white. After seven lines the colours repeat with a different dash and point.
#include "experiments/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/report/gnuplot.h"

namespace ordinal::experiments {
namespace {

constexpr std::array<const char*, 7> colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                "#E69F00", "#56B4E9", "#4D4D4D"};
constexpr std::array<const char*, 4> dashes = {"solid", "'-'", "'.'", "'-.'"};
constexpr std::array<int, 7> point_types = {7,  5, 9, 11,
                                            13, 6, 4};  // disc, square, triangles, diamond, rings

/// The picture in pixels; gnuplot itself uses fractions of the screen.
constexpr int least_width = 900;
constexpr int plot_left = 88;
constexpr int plot_right = 656;
constexpr int plot_top = 82;
constexpr int plot_bottom_margin = 62;
constexpr int key_row = 28;
constexpr int key_letters = 24;  // that fit into least_width
constexpr int letter = 8;        // more than the mean width of one

// The key fits in one column only if the plot is as tall.
int picture_height(const Chart& chart) {
  const int key = key_row * (static_cast<int>(chart.series.size() + chart.references.size()) + 2);
  return std::max(460, plot_top + key + plot_bottom_margin);
}

// Long names widen the picture, not the plot.
int picture_width(const Chart& chart) {
  std::size_t longest = 0;
  for (const Series& series : chart.series) longest = std::max(longest, series.name.size());
  for (const Series& series : chart.references) longest = std::max(longest, series.name.size());
  return least_width + letter * std::max(0, static_cast<int>(longest) - key_letters);
}

double from_top(int pixels, int height) { return 1.0 - static_cast<double>(pixels) / height; }

std::string frame(const Chart& chart) {
  const int height = picture_height(chart);
  const int width = picture_width(chart);
  const auto across = [&](int pixels) { return static_cast<double>(pixels) / width; };
  std::string script = fmt::format(
      "set terminal svg size {},{} dynamic noenhanced font 'Helvetica,14' background '#ffffff'\n"
      "set encoding utf8\n"
      "set border 3 linecolor '#999999'\n"
      "set tics nomirror scale 0.5 textcolor '#333333'\n"
      "set grid ytics linecolor '#e3e3e3' linetype 1 linewidth 1\n"
      "set xlabel {} textcolor '#222222'\nset ylabel {} textcolor '#222222'\n",
      width, height, gnuplot_string(chart.x_label), gnuplot_string(chart.y_label));
  script += fmt::format(
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n"
      "set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n",
      across(plot_left), across(plot_right), from_top(plot_top, height),
      from_top(height - plot_bottom_margin, height));
  script += fmt::format(
      "set key at screen {:.4f}, screen {:.4f} left top vertical Left reverse maxrows {} samplen 2.5 spacing "
      "1.3 "
      "textcolor '#222222'\n",
      across(plot_right + 12), from_top(plot_top - 8, height), chart.series.size() + chart.references.size());
  script += fmt::format(
      "set label 1 {} at screen {:.4f}, screen {:.4f} left font 'Helvetica,18'\n"
      "set label 2 {} at screen {:.4f}, screen {:.4f} left textcolor '#666666' font 'Helvetica,13'\n",
      gnuplot_string(chart.title), across(plot_left), from_top(22, height), gnuplot_string(chart.subtitle),
      across(plot_left), from_top(44, height));
  if (chart.log2_x) script += "set logscale x 2\n";
  return script;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

/// Smallest and largest x of all series, so that lines reach both ends of the frame.
std::pair<double, double> x_extent(const Chart& chart) {
  double low = INFINITY;
  double high = -INFINITY;
  for (const Series& series : chart.series) {
    for (const double x : series.x) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  return {low, high};
}

/// A margin of 3 % on both sides when points are marked, so that no mark is cut off.
std::string x_axis(const Chart& chart) {
  auto [low, high] = x_extent(chart);
  if (!std::isfinite(low)) return "";
  if (chart.log2_x) {
    const double margin = chart.points ? std::pow(std::max(high / low, 2.0), 0.03) : 1.0;
    low /= margin;
    high *= margin;
  } else if (chart.points) {
    const double margin = 0.03 * (high - low);
    low -= margin;
    high += margin;
  }
  if (low == high) high = low * 2.0 + 1.0;
  std::string script = fmt::format("set xrange [{}:{}]\n", number(low), number(high));
  if (chart.x_ticks.empty()) return script;
  script += "set xtics (";
  for (std::size_t i = 0; i < chart.x_ticks.size(); ++i) {
    script += fmt::format("{}{} {}", i > 0 ? ", " : "", gnuplot_string(chart.x_ticks[i].second),
                          number(chart.x_ticks[i].first));
  }
  return script + ")\n";
}

std::string y_axis(const Chart& chart) {
  if (!chart.y_low && !chart.y_high) return "set offsets graph 0, graph 0, graph 0.05, graph 0.05\n";
  return fmt::format("set yrange [{}:{}]\n", chart.y_low ? number(*chart.y_low) : "*",
                     chart.y_high ? number(*chart.y_high) : "*");
}

std::string training_region(const Chart& chart) {
  if (!chart.training_length) return "";
  const std::string x = number(*chart.training_length);
  std::string script = fmt::format(
      "set arrow 1 from {0}, graph 0 to {0}, graph 1.02 nohead linecolor '#777777' linewidth 1.2 dashtype "
      "'-'\n",
      x);
  if (x_extent(chart).second <= *chart.training_length) return script;
  return script +
         fmt::format(
             "set object 1 rectangle from {0}, graph 0 to graph 1, graph 1 behind fillstyle solid noborder "
             "fillcolor '#f5f5f2'\n"
             "set label 3 'past the training length →' at {0}, graph 1.03 left offset 0.6,0 "
             "textcolor '#777777' font 'Helvetica,12'\n",
             x);
}

bool has_band(const Series& series) { return !series.low.empty(); }

/// One block of numbers per series, `x y` or `x y low high`.
std::string data_blocks(const char* name, const std::vector<Series>& all) {
  std::string script;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Series& series = all[i];
    script += fmt::format("${}{} << END\n", name, i);
    for (std::size_t p = 0; p < series.x.size(); ++p) {
      if (!std::isfinite(series.y[p])) continue;
      script += number(series.x[p]) + ' ' + number(series.y[p]);
      if (has_band(series)) script += ' ' + number(series.low[p]) + ' ' + number(series.high[p]);
      script += '\n';
    }
    script += "END\n";
    if (series.dots.empty()) continue;
    script += fmt::format("${}{}_dots << END\n", name, i);
    for (const auto& [x, y] : series.dots) script += number(x) + ' ' + number(y) + '\n';
    script += "END\n";
  }
  return script;
}

bool drawable(const Series& series) {
  for (const double y : series.y) {
    if (std::isfinite(y)) return true;
  }
  return false;
}

std::string line_style(const Chart& chart, std::size_t i) {
  const std::size_t n = colours.size();
  const std::string points =
      chart.points ? fmt::format(" pointtype {} pointsize 0.75", point_types[(i + i / n) % n]) : "";
  return fmt::format("linecolor '{}' linewidth 2.2 dashtype {}{}", colours[i % n],
                     dashes[i / n % dashes.size()], points);
}

/// Bands first, so that every line is on top of every band.
std::string plot_command(const Chart& chart) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const Series& series = chart.series[i];
    if (!has_band(series) || !drawable(series)) continue;
    parts.push_back(
        fmt::format("$s{} using 1:3:4 with filledcurves fillcolor '{}' fillstyle transparent solid "
                    "0.16 noborder notitle",
                    i, colours[i % colours.size()]));
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string title = gnuplot_string(chart.series[i].name);
    const std::string style = line_style(chart, i);
    const char* with = chart.points ? "linespoints" : "lines";
    parts.push_back(drawable(chart.series[i])
                        ? fmt::format("$s{} using 1:2 with {} {} title {}", i, with, style, title)
                        : fmt::format("keyentry with {} {} title {}", with, style, title));
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    if (chart.series[i].dots.empty()) continue;
    parts.push_back(
        fmt::format("$s{}_dots using 1:2 with points linecolor '{}' pointtype 7 pointsize 0.4 notitle", i,
                    colours[i % colours.size()]));
  }
  for (std::size_t i = 0; i < chart.references.size(); ++i) {
    parts.push_back(
        fmt::format("$r{} using 1:2 with lines linecolor '#999999' linewidth 1.5 dashtype {} title {}", i,
                    i + 2, gnuplot_string(chart.references[i].name)));
  }
  std::string command = "plot ";
  for (std::size_t i = 0; i < parts.size(); ++i) command += (i > 0 ? ", \\\n     " : "") + parts[i];
  return command + "\n";
}

}  // namespace

std::string chart_script(const Chart& chart) {
  return frame(chart) + x_axis(chart) + y_axis(chart) + training_region(chart) +
         data_blocks("s", chart.series) + data_blocks("r", chart.references) + plot_command(chart);
}

}  // namespace ordinal::experiments
