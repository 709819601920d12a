// The report as one self-contained page: text, tables and pictures. It loads no other resources. With page.js, readers choose
// tables and pictures, hide rows and sort tables. report.h lists the files of a report.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/report/chart.h"
#include "experiments/report/grid.h"
#include "experiments/report/heatmap.h"

namespace ordinal::experiments {

/// A picture of models, or text in its place.
struct Figure {
  std::string title;
  std::string caption = {};
  std::variant<std::string, Chart, Heatmap> picture = {};
  std::string file = {};  // of a picture: figures/<file>.svg
  /// What it shows, as names and values: row, picture, layer, length. The page has a chooser for each name.
  std::vector<std::pair<std::string, std::string>> tags = {};
};

/// Makes any text safe inside an element and inside a quoted attribute.
std::string escape_html(const std::string& text);

/// The beginning of a page, up to <body>, with the style of all pages and the style of this page.
std::string page_start(const std::string& title, const std::string& style = "");

/// A picture and its caption, both HTML, with attributes by which page.js lets readers choose; empty without a picture.
std::string html_figure(const std::string& picture, const std::string& caption,
                        const decltype(Figure::tags)& tags = {});

/// A table that scrolls separately if it is wider than the page.
std::string html_table(const Grid& grid, const std::string& legend = "");

/// The whole page, of which everything is visible without JavaScript.
std::string report_page(const ExperimentResult& result, const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
