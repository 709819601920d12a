// The report as one self-contained page: text, tables, and the SVGs inside it. It loads no other resources.
// report.h lists the files of a report.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/grid.h"

namespace ordinal::experiments {

/// What a picture shows, as names and values: row, picture, layer, length. The page has a chooser for each name.
using FigureTags = std::vector<std::pair<std::string, std::string>>;

/// A picture or a text for the page: the contents of the SVG file, or `text` if there is no SVG. If both are
/// empty, the page notes that the picture was not drawn.
struct PageFigure {
  std::string title = {};
  std::string caption = {};
  std::string svg = {};
  std::string text = {};
  FigureTags tags = {};
};

struct PagePictures {
  PageFigure curves;
  std::optional<PageFigure> causes;
  PageFigure training;
  PageFigure by_position;
  std::vector<PageFigure> extra;
};

/// Makes any text safe inside an element and inside a quoted attribute.
std::string escape_html(const std::string& text);

/// JSON as the content of a <script> element: < and & become escapes.
std::string inside_script(const std::string& json);

/// The beginning of a page, up to <body>, with the style of all pages and that of this one.
std::string page_start(const std::string& title, const std::string& style = "");

/// A table that scrolls by itself if it is wider than the page.
std::string html_table(const Grid& grid, const std::string& legend = "");

/// The whole page. Everything is there without JavaScript; page.js makes it react.
std::string report_page(const ExperimentResult& result, const PagePictures& pictures);

}  // namespace ordinal::experiments
