#include "experiments/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ordinal::experiments {
namespace {

// Those of the page (page.css): safe for colour-blind readers, and dark enough for lines on white. After seven lines they
// repeat with other dashes and hollow points.
constexpr std::array<const char*, 7> colours = {"#0072b2", "#d55e00", "#00845f", "#b4528c",
                                                "#a87300", "#2492c2", "#4d4d4d"};
constexpr std::array<const char*, 5> dashes = {"", "7 4", "2 3", "8 3 2 3", "14 4"};

constexpr double legend_row = 24.0;
constexpr double legend_letters = 24.0;  // that fit into least_width
constexpr double letter = 8.0;           // more than the mean width of one
constexpr double least_width = 900.0;    // of a picture
constexpr double plot_top = 82.0;

struct Extent {
  double low = INFINITY;
  double high = -INFINITY;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// What can be drawn of a series, and how.
struct Line {
  const Series* series;
  std::string stroke;  // attributes of its line
  const char* colour;
  const char* fill;  // of its points
};

std::vector<Line> lines_of(const Chart& chart) {
  std::vector<Line> lines;
  for (const Series& series : chart.series) {
    const std::size_t i = lines.size();
    const char* colour = colours[i % colours.size()];
    const char* dash = dashes[i / colours.size() % dashes.size()];
    lines.push_back({&series,
                     fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" stroke-linejoin=\"round\" "
                                 "stroke-dasharray=\"{}\"",
                                 colour, dash),
                     colour, i < colours.size() ? colour : "#fff"});
  }
  return lines;
}

std::vector<Line> references_of(const Chart& chart) {
  std::vector<Line> lines;
  for (const Series& series : chart.references) {
    const char* dash = dashes[1 + lines.size() % (dashes.size() - 1)];
    lines.push_back(
        {&series,
         fmt::format("fill=\"none\" stroke=\"#999\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"", dash),
         "#999", nullptr});
  }
  return lines;
}

class ChartPicture {
 public:
  explicit ChartPicture(const Chart& chart)
      : chart_(chart),
        lines_(lines_of(chart)),
        references_(references_of(chart)),
        box_{.left = 88, .right = 656, .top = plot_top, .bottom = bottom()},
        svg_(width(), box_.bottom + 62, chart.title, box_),
        x_(x_axis()),
        y_(y_axis()) {}

  std::string draw() {
    svg_.text(box_.left, 50, chart_.subtitle, "font-size=\"13\" fill=\"#666\"");
    training_region();
    axes();
    for (const Line& line : references_) curve(line);
    for (const Line& line : lines_) band(line);
    for (const Line& line : lines_) curve(line);
    for (const Line& line : lines_) marks(line);
    legend();
    return svg_.str();
  }

 private:
  // The legend fits in one column only if the plot is as tall.
  double bottom() const {
    return std::max(398.0,
                    plot_top + legend_row * static_cast<double>(lines_.size() + references_.size() + 1));
  }

  // Long names widen the picture, not the plot.
  double width() const {
    std::size_t longest = 0;
    for (const auto* lines : {&lines_, &references_}) {
      for (const Line& line : *lines) longest = std::max(longest, line.series->name.size());
    }
    return least_width + letter * std::max(0.0, static_cast<double>(longest) - legend_letters);
  }

  // From the smallest to the largest x, so that lines reach both ends of the frame; marks get a margin.
  Axis x_axis() const {
    Extent range;
    for (const Series& series : chart_.series)
      std::ranges::for_each(series.x, [&](double x) { range.add(x); });
    if (!(range.low < range.high)) range.high = range.low * 2.0 + 1.0;
    const double margin = chart_.points ? 16.0 : 0.0;
    return {range.low, range.high, box_.left + margin, box_.right - margin, chart_.log2_x};
  }

  Axis y_axis() const {
    Extent range;
    for (const auto* all : {&chart_.series, &chart_.references}) {
      for (const Series& series : *all) {
        for (const auto* values : {&series.y, &series.low, &series.high})
          std::ranges::for_each(*values, [&](double y) { range.add(y); });
        for (const auto& dot : series.dots) range.add(dot.second);
      }
    }
    if (!(range.low < range.high)) {
      range.low -= 0.5;
      range.high += 0.5;
    }
    const double room = 0.05 * (range.high - range.low);
    return {chart_.y_low.value_or(range.low - room), chart_.y_high.value_or(range.high + room), box_.bottom,
            box_.top};
  }

  double y(double value) const { return y_(std::clamp(value, y_.low, y_.high)); }

  void training_region() {
    if (!chart_.training_length) return;
    const double x = x_(std::clamp(*chart_.training_length, x_.low, x_.high));
    if (*chart_.training_length < x_.high) {
      svg_.rectangle(x, box_.top, box_.right - x, box_.bottom - box_.top, "fill=\"#f5f5f2\"");
      svg_.text(x + 6, box_.top - 8, "past the training length →", "font-size=\"12\" fill=\"#777\"");
    }
    svg_.line(x, box_.top - 6, x, box_.bottom,
              "stroke=\"#777\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"");
  }

  std::vector<Tick> x_ticks() const {
    if (!chart_.x_ticks.empty()) return chart_.x_ticks;
    if (!chart_.log2_x) return round_ticks(x_.low, x_.high, 8);
    constexpr double least_gap = 46.0;  // pixels
    std::vector<Tick> ticks;
    for (double at = std::exp2(std::ceil(std::log2(x_.low))); at <= x_.high; at *= 2.0) {
      if (ticks.empty() || x_(at) - x_(ticks.back().at) >= least_gap)
        ticks.push_back({at, fmt::format("{:.6g}", at)});
    }
    return ticks;
  }

  void axes() {
    const std::vector<Tick> levels = round_ticks(y_.low, y_.high, 8);
    for (const Tick& level : levels)
      svg_.line(box_.left, y_(level.at), box_.right, y_(level.at), "stroke=\"#e3e3e3\"");
    svg_.line(box_.left, box_.bottom, box_.right, box_.bottom, "stroke=\"#999\"");
    svg_.line(box_.left, box_.top, box_.left, box_.bottom, "stroke=\"#999\"");
    svg_.x_axis(x_, x_ticks(), chart_.x_label);
    svg_.y_axis(y_, levels, chart_.y_label);
  }

  std::string path(const Series& series, const std::vector<double>& values) const {
    std::string path;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (std::isfinite(series.y[i]))
        path += fmt::format("{}{:.4g} {:.4g}", path.empty() ? 'M' : 'L', x_(series.x[i]), y(values[i]));
    }
    return path;
  }

  void curve(const Line& line) {
    const std::string points = path(*line.series, line.series->y);
    if (!points.empty()) svg_.add(fmt::format("<path d=\"{}\" {}/>", points, line.stroke));
  }

  // Along the upper ends, and back along the lower ones.
  void band(const Line& line) {
    const Series& series = *line.series;
    if (series.low.empty()) return;
    Series back = series;
    for (auto* values : {&back.x, &back.y, &back.low}) std::ranges::reverse(*values);
    std::string lower = path(back, back.low);
    if (lower.empty()) return;
    lower.front() = 'L';
    svg_.add(fmt::format("<path d=\"{}{}Z\" fill=\"{}\" opacity=\".16\"/>", path(series, series.high), lower,
                         line.colour));
  }

  void mark(double x, double y, double radius, const Line& line) {
    svg_.add(fmt::format(
        "<circle cx=\"{:.4g}\" cy=\"{:.4g}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.6\"/>", x, y,
        radius, line.fill, line.colour));
  }

  void marks(const Line& line) {
    const Series& series = *line.series;
    for (std::size_t i = 0; chart_.points && i < series.x.size(); ++i) {
      if (std::isfinite(series.y[i])) mark(x_(series.x[i]), y(series.y[i]), 3.6, line);
    }
    for (const auto& [at, value] : series.dots) mark(x_(at), y(value), 1.4, line);
  }

  void legend() {
    const double left = box_.right + 14;
    double middle = box_.top + 6;
    for (const auto* lines : {&lines_, &references_}) {
      for (const Line& line : *lines) {
        svg_.line(left, middle, left + 30, middle, line.stroke);
        if (chart_.points && line.fill != nullptr) mark(left + 15, middle, 3.6, line);
        svg_.text(left + 38, middle + 5, line.series->name);
        middle += legend_row;
      }
    }
  }

  const Chart& chart_;
  std::vector<Line> lines_;
  std::vector<Line> references_;
  Box box_;
  Svg svg_;
  Axis x_;
  Axis y_;
};

}  // namespace

bool has_data(const Chart& chart) {
  return std::ranges::any_of(chart.series, [](const Series& series) {
    return std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); });
  });
}

std::string svg(const Chart& chart) { return ChartPicture(chart).draw(); }

nlohmann::ordered_json numbers(const Chart& chart) {
  using Json = nlohmann::ordered_json;
  Extent range;
  for (const Series& series : chart.series)
    std::ranges::for_each(series.y, [&](double y) { range.add(std::abs(y)); });
  // A thousandth of the power of ten of the largest number.
  const double unit = range.high > 0.0 ? std::pow(10.0, std::floor(std::log10(range.high)) - 3.0) : 1.0;
  const auto multiples = [&](const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values)
      list.push_back(std::isfinite(value) ? Json(std::llround(value / unit)) : Json());
    return list;
  };
  Json json = {{"x_label", chart.x_label}, {"y_label", chart.y_label}, {"log2_x", chart.log2_x}};
  if (chart.training_length) json["past"] = *chart.training_length;
  if (chart.y_low) json["low"] = *chart.y_low;
  json["unit"] = unit;
  json["series"] = Json::array();
  for (const Series& series : chart.series) {
    Json line = {{"name", series.name}};
    if (series.x != chart.series.front().x || json["series"].empty()) {
      line["x"] = Json::array();
      for (const double x : series.x) line["x"].push_back(std::stod(fmt::format("{:.7g}", x)));
    }
    line["y"] = multiples(series.y);
    if (!series.low.empty()) {
      line["low"] = multiples(series.low);
      line["high"] = multiples(series.high);
    }
    json["series"].push_back(std::move(line));
  }
  return json;
}

std::string svg(const Bars& bars) {
  constexpr double row_height = 34.0;
  constexpr double share = 0.64;  // of it, for bars
  std::size_t longest = 0;
  Extent range{0.0, 0.0};
  for (const std::string& row : bars.rows) longest = std::max(longest, row.size());
  for (const Bars::Part& part : bars.parts)
    std::ranges::for_each(part.values, [&](double value) { range.add(value); });
  if (range.low == range.high) range.high = 1.0;
  const double left = 24.0 + letter * static_cast<double>(longest);
  const double rows = static_cast<double>(bars.rows.size());
  const double height = row_height * share / static_cast<double>(bars.parts.size());
  const Box box{left, left + 560, 50, 60 + row_height * rows};
  const double room = 0.03 * (range.high - range.low);
  const Axis x{range.low < 0.0 ? range.low - room : 0.0, range.high > 0.0 ? range.high + room : 0.0, box.left,
               box.right};
  Svg svg(box.right + 200,
          std::max(box.bottom, box.top + legend_row * static_cast<double>(bars.parts.size())) + 62,
          bars.title, box);
  const std::vector<Tick> ticks = round_ticks(x.low, x.high, 8);
  for (const Tick& tick : ticks) svg.line(x(tick.at), box.top, x(tick.at), box.bottom, "stroke=\"#e3e3e3\"");
  std::vector<Tick> names;
  for (const std::string& row : bars.rows) {
    const auto r = static_cast<double>(names.size());
    const double top = box.top + 5 + row_height * (r + (1.0 - share) / 2.0);
    names.push_back({top + row_height * share / 2.0, row});
    for (std::size_t p = 0; p < bars.parts.size(); ++p) {
      const double value = bars.parts[p].values[names.size() - 1];
      svg.rectangle(x(std::min(0.0, value)), top + height * static_cast<double>(p),
                    x(std::abs(value)) - x(0.0), height, fmt::format("fill=\"{}\"", bars.parts[p].colour));
    }
  }
  svg.line(x(0.0), box.top, x(0.0), box.bottom, "stroke=\"#333\"");
  svg.x_axis(x, ticks, bars.x_label);
  svg.y_axis({}, names, "");
  for (std::size_t p = 0; p < bars.parts.size(); ++p) {
    const double top = box.top + legend_row * static_cast<double>(p);
    svg.rectangle(box.right + 16, top, 13, 13, fmt::format("fill=\"{}\"", bars.parts[p].colour));
    svg.text(box.right + 37, top + 12, bars.parts[p].name);
  }
  return svg.str();
}

}  // namespace ordinal::experiments
