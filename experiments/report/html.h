// The report as one self-contained page: text, tables, and the SVGs inside it. It loads no other resources.
// report.h lists the files of a report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/report/result.h"

namespace ordinal::experiments {

/// A picture or a text for the page: the contents of the SVG file, or `text` if there is no SVG. If both are
/// empty, the page notes that the picture was not drawn.
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

/// An SVG file as an element of a page: without its XML prolog, and with `prefix` added to each id, so that
/// ids of different pictures do not clash.
std::string embed_svg(const std::string& svg, const std::string& prefix);

/// The whole page.
std::string report_page(const ExperimentResult& result, const PagePictures& pictures);

}  // namespace ordinal::experiments
