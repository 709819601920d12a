#include "experiments/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/report/html.h"

namespace ordinal::experiments {
namespace {

// They differ for colour-blind readers, too, on white and as page.css turns them in the dark. After six lines they repeat with other
// dashes. A line that is called none is black, wherever it stands.
constexpr const char* colour_of_none = "#222222";
constexpr std::array<const char*, 6> colours = {"#004a95", "#ec7000", "#22a980",
                                                "#a978b4", "#5178ff", "#645000"};
constexpr std::array<const char*, 7> dashes = {"", "7 4", "2 3", "8 3 2 3", "14 4", "1 5", "12 3 2 3 2 3"};

constexpr double legend_row = 24.0;
constexpr double letter = 8.0;  // more than the mean width of a letter

struct Extent {
  double low = INFINITY;
  double high = -INFINITY;

  void add(const std::vector<double>& values) {
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

// A baseline far from all lines would compress the scale, so it must lie within half the lines' height of them.
bool is_near(const Series& reference, const std::vector<Series>& series) {
  Extent of_lines;
  Extent own;
  for (const Series& one : series) of_lines.add(one.y);
  own.add(reference.y);
  const double margin = 0.5 * (of_lines.high - of_lines.low);
  return own.low <= own.high && own.low >= of_lines.low - margin && own.high <= of_lines.high + margin;
}

// A series and how it is drawn.
struct Line {
  const Series* series;
  const char* colour;
  const char* dash;
  double width = 2.2;
  bool reference = false;

  std::string label() const {
    return series->note.empty() ? series->name : fmt::format("{} ({})", series->name, series->note);
  }
};

std::vector<Line> lines_of(const Chart& chart) {
  std::vector<Line> lines;
  std::size_t coloured = 0;
  for (const Series& series : chart.series) {
    const bool is_none = series.name == "none";
    const std::size_t i = is_none ? 0 : coloured++;
    lines.push_back({&series, is_none ? colour_of_none : colours[i % colours.size()],
                     dashes[i / colours.size() % dashes.size()]});
  }
  for (std::size_t i = 0; i < chart.references.size(); ++i)
    if (is_near(chart.references[i], chart.series))
      lines.push_back({&chart.references[i], "#888", dashes[(2 + i) % dashes.size()], 1.5, true});
  return lines;
}

class ChartPicture {
 public:
  explicit ChartPicture(const Chart& chart)
      : chart_(chart), lines_(lines_of(chart)), svg_(chart.title, box_), x_(x_axis()), y_(y_axis()) {}

  std::string file() {
    svg_.text(box_.left, 50, chart_.subtitle, "font-size=\".93em\" fill=\"#666\"");
    plot();
    legend();
    return svg_.file();
  }

  std::string page_part() {
    plot();
    return "<div class=\"chart\">\n" + svg_.inside_page() + legend_list() + "</div>\n";
  }

 private:
  void plot() {
    svg_.extend(box_.right + 12, 0);
    training_region();
    axes();
    std::for_each(lines_.rbegin(), lines_.rend(), [this](const Line& line) {
      svg_.add(fmt::format("<g data-row=\"{}\">", escape_html(line.series->name)));
      band(line);
      curve(line);
      points(line);
      svg_.add("</g>");
    });
  }

  bool has_band(const Line& line) const {
    return chart_.series.size() <= most_bands && line.series->low != line.series->high;
  }

  // From the smallest to the largest x, so that lines reach both ends of the frame, and to the training length; marks get a margin.
  Axis x_axis() const {
    Extent range;
    for (const Series& series : chart_.series) range.add(series.x);
    if (chart_.training_length) range.add({*chart_.training_length});
    if (!(range.low < range.high)) range.high = range.low * 2.0 + 1.0;
    const double margin = chart_.points ? 16.0 : 0.0;
    return {range.low, range.high, box_.left + margin, box_.right - margin, chart_.log2_x};
  }

  Axis y_axis() const {
    Extent range;
    for (const Line& line : lines_) {
      range.add(line.series->y);
      if (has_band(line)) range.add(line.series->low);
      if (has_band(line)) range.add(line.series->high);
    }
    if (!(range.low < range.high)) range = {range.low - 0.5, range.low + 0.5};
    const double room = 0.05 * (range.high - range.low);
    return {chart_.y_low.value_or(range.low - room), chart_.y_high.value_or(range.high + room), box_.bottom,
            box_.top};
  }

  double y(double value) const { return y_(std::clamp(value, y_.low, y_.high)); }

  void training_region() {
    if (!chart_.training_length) return;
    const double x = x_(*chart_.training_length);
    if (*chart_.training_length < x_.high) {
      svg_.rectangle(x, box_.top, box_.right - x, box_.bottom - box_.top, "fill=\"#f5f5f2\"");
      svg_.text(x + 6, box_.top - 8, "past the training length →", "font-size=\".86em\" fill=\"#777\"");
    }
    svg_.line(x, box_.top - 6, x, box_.bottom,
              "stroke=\"#777\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"");
  }

  // Of the chart's own ticks those on the axis that fit, or round numbers.
  std::vector<Tick> x_ticks() const {
    if (chart_.x_ticks.empty()) return round_ticks(x_.low, x_.high, 8);
    const std::vector<Tick> many = ticks_apart(0.0);
    return are_turned(many) ? many : ticks_apart(letter);
  }

  // Of the ticks on the axis the last, the first, and between them those with room for their text, `of_letter` wide for each.
  std::vector<Tick> ticks_apart(double of_letter) const {
    std::vector<Tick> inside = chart_.x_ticks;
    std::erase_if(inside, [&](const Tick& tick) { return tick.at < x_.low || tick.at > x_.high; });
    const auto fit = [&](const Tick& a, const Tick& b) {
      return x_(b.at) - x_(a.at) >=
             std::max(52.0, of_letter * static_cast<double>(std::max(a.text.size(), b.text.size())));
    };
    std::vector<Tick> ticks;
    for (auto tick = inside.rbegin(); tick != inside.rend(); ++tick) {
      const bool is_first = tick + 1 == inside.rend();
      if (ticks.empty() || (fit(*tick, ticks.back()) && (is_first || fit(inside.front(), *tick))))
        ticks.push_back(*tick);
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

  std::string stroke(const Line& line) const {
    return fmt::format(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-dasharray=\"{}\"",
        line.colour, line.width, line.dash);
  }

  void curve(const Line& line) {
    const std::string points = path(*line.series, line.series->y);
    if (!points.empty()) svg_.add(fmt::format("<path d=\"{}\" {}/>", points, stroke(line)));
  }

  // Runs along the upper bounds and back along the lower bounds.
  void band(const Line& line) {
    if (!has_band(line)) return;
    Series back = *line.series;
    for (auto* values : {&back.x, &back.y, &back.low}) std::ranges::reverse(*values);
    std::string lower = path(back, back.low);
    if (lower.empty()) return;
    lower.front() = 'L';
    svg_.add(fmt::format("<path d=\"{}{}Z\" fill=\"{}\" opacity=\".16\"/>",
                         path(*line.series, line.series->high), lower, line.colour));
  }

  static std::string point(double x, double y, const Line& line) {
    return fmt::format("<circle cx=\"{:.4g}\" cy=\"{:.4g}\" r=\"4.4\" fill=\"{}\"/>", x, y, line.colour);
  }

  void points(const Line& line) {
    if (!chart_.points || line.reference) return;
    const Series& series = *line.series;
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (std::isfinite(series.y[i])) svg_.add(point(x_(series.x[i]), y(series.y[i]), line));
  }

  // How a line looks, 30 pixels wide.
  std::string sample(double x, double y, const Line& line) const {
    return fmt::format("<path d=\"M{:.5g} {:.5g}h30\" {}/>", x, y, stroke(line)) +
           (chart_.points && !line.reference ? point(x + 15, y, line) : "");
  }

  // Beside the plot. Long names widen the picture, not the plot.
  void legend() {
    double middle = box_.top + 6;
    std::size_t longest = 24;
    for (const Line& line : lines_) {
      svg_.add(sample(box_.right + 14, middle, line));
      svg_.text(box_.right + 52, middle + 5, line.label());
      middle += legend_row;
      longest = std::max(longest, line.label().size());
    }
    svg_.extend(box_.right + 52 + letter * static_cast<double>(longest), middle);
  }

  std::string legend_list() const {
    std::string html = "<ul class=\"legend\">\n";
    for (const Line& line : lines_) {
      html += fmt::format(
          "<li data-row=\"{}\"><svg viewBox=\"0 0 30 10\" aria-hidden=\"true\">{}</svg> {}</li>\n",
          escape_html(line.series->name), sample(0, 5, line), escape_html(line.label()));
    }
    return html + fmt::format("<li class=\"note\">{}</li>\n</ul>\n", escape_html(chart_.subtitle));
  }

  const Chart& chart_;
  std::vector<Line> lines_;
  Box box_{.left = 88, .right = 656, .top = 82, .bottom = 398};
  Svg svg_;
  Axis x_;
  Axis y_;
};

bool has_data(const Chart& chart) {
  return std::ranges::any_of(chart.series, [](const Series& series) {
    return std::ranges::any_of(series.y, [](double y) { return std::isfinite(y); });
  });
}

}  // namespace

std::string svg(const Chart& chart) { return has_data(chart) ? ChartPicture(chart).file() : ""; }

std::string inside_page(const Chart& chart) { return has_data(chart) ? ChartPicture(chart).page_part() : ""; }

}  // namespace ordinal::experiments
