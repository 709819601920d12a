// Writes SVG: the elements of a picture, and what the axes of all pictures have in common. chart.h and heatmap.h draw with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ordinal::experiments {

/// A label at a value on an axis.
struct Tick {
  double at = 0.0;
  std::string text;
};

/// Round numbers from `low` to `high`, about `most` of them and at least `least_step` apart.
std::vector<Tick> round_ticks(double low, double high, int most, double least_step = 0.0);

/// The plotting area of a picture, in pixels.
struct Box {
  double left = 0.0;
  double right = 0.0;
  double top = 0.0;
  double bottom = 0.0;
};

/// Maps numbers to pixels.
struct Axis {
  double low = 0.0;
  double high = 1.0;
  double start = 0.0;
  double end = 1.0;
  bool log = false;
  double operator()(double value) const;
};

/// Whether the labels of an x axis are too long to stand side by side, so that they are rotated.
bool are_turned(const std::vector<Tick>& ticks);

/// The number of letters in the longest label.
double longest_of(const std::vector<Tick>& ticks);

class Svg {
 public:
  Svg(std::string title, const Box& box) : title_(std::move(title)), box_(box) {}

  void line(double x1, double y1, double x2, double y2, const std::string& attributes);
  void rectangle(double x, double y, double width, double height, const std::string& attributes);
  void text(double x, double y, const std::string& text, const std::string& attributes = "");
  /// Any element.
  void add(const std::string& element) { elements_ += element + '\n'; }

  /// Numbers and names below and to the left of the box.
  void x_axis(const Axis& axis, const std::vector<Tick>& ticks, const std::string& name);
  void y_axis(const Axis& axis, const std::vector<Tick>& ticks, const std::string& name);

  /// Makes the picture reach at least to here.
  void extend(double right, double bottom);

  /// A file: on white, with the title above the box. Browsers and screen readers show the title, too.
  std::string file() const;
  /// The same without title and background, for a page, which scales it and has its own words.
  std::string inside_page() const;

 private:
  std::string title_;
  Box box_;
  double width_ = 0.0;
  double height_ = 0.0;
  std::string elements_;
};

}  // namespace ordinal::experiments
