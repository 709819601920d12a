#include "experiments/report/svg.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace ordinal::experiments {
namespace {

/// Of every group that gnuplot 5.4 writes.
constexpr std::string_view group =
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
    "stroke-linejoin=\"miter\">";

constexpr std::string_view points_attribute = " points='";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// The last symbols first, because they refer to earlier ones.
void drop_unused_symbols(std::string& svg) {
  const std::size_t start = svg.find("<defs>");
  const std::size_t end = svg.find("</defs>");
  if (start == std::string::npos || end == std::string::npos) return;
  for (std::size_t at = end; (at = svg.rfind(" id='", at)) != std::string::npos && at > start; --at) {
    const std::string id = svg.substr(at + 5, svg.find('\'', at + 5) - at - 5);
    if (svg.find('#' + id + '\'') != std::string::npos || svg.find('#' + id + ')') != std::string::npos)
      continue;
    const std::size_t open = svg.rfind('<', at);
    const bool is_filter = svg.compare(open, 7, "<filter") == 0;
    const std::string_view close = is_filter ? "</filter>" : "/>";
    svg.erase(open, svg.find(close, at) + close.size() - open);
    at = open;
  }
}

/// <g ...> without content; gnuplot sets the style of what it then does not draw.
void drop_empty_groups(std::string& svg) {
  constexpr std::string_view end = ">\n</g>\n";
  for (std::size_t at = 0; (at = svg.find(end, at)) != std::string::npos;) {
    const std::size_t open = svg.rfind('<', at);
    if (svg.compare(open, 3, "<g ") == 0) {
      svg.erase(open, at + end.size() - open);
      at = open - std::min<std::size_t>(open, 2);  // the group around it may be empty now
    } else {
      ++at;
    }
  }
}

/// Leaves one digit behind a point, in paths and lists of points.
void shorten_coordinates(std::string& svg, std::string_view attribute) {
  for (std::size_t at = 0; (at = svg.find(attribute, at)) != std::string::npos;) {
    at += attribute.size();
    const std::size_t end = svg.find(attribute.back(), at);
    if (end == std::string::npos) return;
    std::string shorter;
    int decimals = -1;  // none yet; 0 is the point itself
    for (const char c : std::string_view(svg).substr(at, end - at)) {
      const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
      decimals = c == '.' ? 0 : (digit && decimals >= 0 ? decimals + 1 : -1);
      if (decimals <= 1) shorter += c;
    }
    svg.replace(at, end - at, shorter);
    at += shorter.size();
  }
}

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// The corners of a polygon with four of them, in its order; zeros for another.
std::array<Point, 4> corners(const std::string& svg, std::size_t polygon) {
  std::array<Point, 4> points;
  auto& [a, b, c, d] = points;
  if (std::sscanf(svg.c_str() + svg.find(points_attribute, polygon) + points_attribute.size(),
                  "%lf,%lf %lf,%lf %lf,%lf %lf,%lf", &a.x, &a.y, &b.x, &b.y, &c.x, &c.y, &d.x, &d.y) != 8)
    return {};
  return points;
}

/// gnuplot draws the box of a palette as 128 polygons from the bottom to the top, most of them with the colour of the one
/// before: the lower edge of the first and the upper edge of the last are left of each colour.
void merge_colour_steps(std::string& svg) {
  constexpr std::string_view start = "<polygon fill='";
  const auto upper_edge = [&](std::size_t polygon) {
    const std::size_t second = svg.find(' ', svg.find(points_attribute, polygon) + points_attribute.size());
    return svg.find(' ', second + 1) + 1;
  };
  const auto is_on_top = [](const std::array<Point, 4>& lower, const std::array<Point, 4>& upper) {
    return lower[2].x == upper[1].x && lower[3].x == upper[0].x && std::abs(lower[3].y - upper[0].y) < 0.05;
  };
  std::size_t last = svg.find(start);
  while (last != std::string::npos) {
    const std::size_t next = svg.find(start, last + 1);
    const std::size_t colour = svg.find(points_attribute, last) - last;
    if (next == svg.find('\n', last) + 1 && svg.compare(next, colour, svg, last, colour) == 0 &&
        is_on_top(corners(svg, last), corners(svg, next))) {
      svg.erase(upper_edge(last), upper_edge(next) - upper_edge(last));
    } else {
      last = next;
    }
  }
}

void drop_blank_space(std::string& svg) {
  std::string kept;
  for (const char c : svg) {
    const char plain = c == '\t' ? ' ' : c;
    const bool blank = plain == ' ' || plain == '\n';
    if (!blank || (!kept.empty() && kept.back() != ' ' && kept.back() != '\n')) kept += plain;
  }
  svg = std::move(kept);
}

}  // namespace

std::string embed_svg(const std::string& svg, const std::string& prefix) {
  const std::size_t start = svg.find("<svg");
  if (start == std::string::npos) return "";
  std::string element = svg.substr(start);
  drop_unused_symbols(element);
  drop_blank_space(element);
  drop_empty_groups(element);
  replace_all(element, " = '", "='");
  replace_all(element, group, "<g class=\"k\">");
  replace_all(element, " font-family=\"Helvetica, Arial, sans-serif\"", "");
  replace_all(element, " stroke=\"none\" fill=\"rgb(51,51,51)\" font-size=\"14.00\"", " class=\"t\"");
  merge_colour_steps(element);
  shorten_coordinates(element, " d='");
  shorten_coordinates(element, points_attribute);
  for (const char* mark : {" id=\"", " id='", "href=\"#", "href='#", "url(#"}) {
    replace_all(element, mark, mark + prefix);
  }
  return element;
}

}  // namespace ordinal::experiments
