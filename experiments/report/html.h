// The report as one self-contained page: text, tables, and the SVGs inside it. It loads nothing from
// anywhere. Which files it is made from is in report.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/report/result.h"

namespace ordinal::experiments {

/// A picture or a text for the page: what stands in the SVG file, or `text` where there is no SVG. Both may
/// be empty: then the page says that the picture was not drawn.
struct PageFigure {
  std::string title = {};
  std::string caption = {};
  std::string svg = {};
  std::string text = {};
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

/// An SVG file as an element of a page: without its XML prolog, and with `prefix` before each of its ids,
/// which would otherwise clash with those of the next picture.
std::string embed_svg(const std::string& svg, const std::string& prefix);

/// The whole page.
std::string report_page(const ExperimentResult& result, const PagePictures& pictures);

}  // namespace ordinal::experiments
