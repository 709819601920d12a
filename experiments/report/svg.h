// Writes SVG: the elements of a picture, and what the axes of all pictures have in common. chart.h and heatmap.h draw with it.
#pragma once

#include <string>
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

/// The number of letters in the longest label.
double longest_of(const std::vector<Tick>& ticks);

/// Upper bound on the width of an axis name.
double width_of(const std::string& text);

/// Height below the box; labels are rotated if they have many letters.
double x_axis_height(const std::vector<Tick>& ticks);

class Svg {
 public:
  /// White, with `title` above `box`. Browsers and screen readers show the title, too.
  Svg(double width, double height, const std::string& title, const Box& box);

  void line(double x1, double y1, double x2, double y2, const std::string& attributes);
  void rectangle(double x, double y, double width, double height, const std::string& attributes);
  void text(double x, double y, const std::string& text, const std::string& attributes = "");
  /// Any element.
  void add(const std::string& element) { elements_ += element + '\n'; }

  /// Numbers and names below and to the left of the box.
  void x_axis(const Axis& axis, const std::vector<Tick>& ticks, const std::string& name);
  void y_axis(const Axis& axis, const std::vector<Tick>& ticks, const std::string& name);

  std::string str() const { return elements_ + "</svg>\n"; }

 private:
  Box box_;
  std::string elements_;
};

}  // namespace ordinal::experiments
