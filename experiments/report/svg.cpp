#include "experiments/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/report/html.h"

namespace ordinal::experiments {

bool are_turned(const std::vector<Tick>& ticks) {
  std::size_t letters = 0;
  for (const Tick& tick : ticks) letters += tick.text.size() + 2;
  return letters > 60;
}

std::vector<Tick> round_ticks(double low, double high, int most, double least_step) {
  const double least_range =
      1e-9 * std::max(std::abs(low), std::abs(high));  // below this, rounded multiples of a step coincide
  if (!(high - low > least_range)) return {{low, fmt::format("{:.6g}", low)}};
  const double rough = std::max((high - low) / most, least_step);
  const double power = std::pow(10.0, std::floor(std::log10(rough) + 1e-9));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step < rough * (1.0 - 1e-9)) step = factor * power;
  }
  std::vector<Tick> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    const double at = i * step + 0.0;  // 0 and not -0
    ticks.push_back({at, (at < 0.0 ? "−" : "") + fmt::format("{:.6g}", std::abs(at))});
  }
  return ticks;
}

double Axis::operator()(double value) const {
  const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return start + share * (end - start);
}

double longest_of(const std::vector<Tick>& ticks) {
  std::size_t longest = 0;
  for (const Tick& tick : ticks) longest = std::max(longest, tick.text.size());
  return static_cast<double>(longest);
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  add(fmt::format("<path d=\"M{:.5g} {:.5g}L{:.5g} {:.5g}\" {}/>", x1, y1, x2, y2, attributes));
}

void Svg::rectangle(double x, double y, double width, double height, const std::string& attributes) {
  add(fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\" {}/>", x, y, width,
                  height, attributes));
}

void Svg::text(double x, double y, const std::string& text, const std::string& attributes) {
  add(fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\"{}{}>{}</text>", x, y, attributes.empty() ? "" : " ",
                  attributes, escape_html(text)));
}

void Svg::x_axis(const Axis& axis, const std::vector<Tick>& ticks, const std::string& name) {
  const bool turned = are_turned(ticks);
  const double below = turned ? 60.0 + 5.5 * longest_of(ticks) : 60.0;
  for (const Tick& tick : ticks) {
    const double x = axis(tick.at);
    line(x, box_.bottom, x, box_.bottom + 4, "stroke=\"#999\"");
    text(x, box_.bottom + 20, tick.text,
         turned ? fmt::format("fill=\"#444\" transform=\"rotate(45 {:.5g} {:.5g})\"", x, box_.bottom + 14)
                : "fill=\"#444\" text-anchor=\"middle\"");
  }
  extend(box_.right, box_.bottom + below);
  text((box_.left + box_.right) / 2.0, box_.bottom + below - 16, name, "text-anchor=\"middle\"");
}

void Svg::y_axis(const Axis& axis, const std::vector<Tick>& ticks, const std::string& name) {
  for (const Tick& tick : ticks)
    text(box_.left - 8, axis(tick.at) + 5, tick.text, "fill=\"#444\" text-anchor=\"end\"");
  const double middle = (box_.top + box_.bottom) / 2.0;
  text(22, middle, name, fmt::format("transform=\"rotate(-90 22 {:.5g})\" text-anchor=\"middle\"", middle));
}

void Svg::extend(double right, double bottom) {
  width_ = std::max(width_, right);
  height_ = std::max(height_, bottom);
}

std::string Svg::file() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.5g} {1:.5g}\" width=\"{0:.5g}\" "
      "height=\"{1:.5g}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"#222\">\n"
      "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{3:.5g}\" y=\"28\" font-size=\"18\">{2}</text>\n{4}</svg>\n",
      std::max(width_, box_.left + 9.0 * static_cast<double>(title_.size())), height_, escape_html(title_),
      box_.left, elements_);
}

std::string Svg::inside_page() const {
  const double top = box_.top - 26.0;  // leaves a line above the box
  return fmt::format(
      "<svg viewBox=\"0 {:.5g} {:.5g} {:.5g}\" role=\"img\" aria-label=\"{}\" fill=\"#222\">\n{}</svg>\n",
      top, width_, height_ - top, escape_html(title_), elements_);
}

}  // namespace ordinal::experiments
