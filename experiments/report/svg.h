// SVG files of gnuplot as elements of a page.
#pragma once

#include <string>

namespace ordinal::experiments {

/// The picture without its XML prolog, with `prefix` added to each id, so that ids of different pictures do not clash, and
/// without what it does not need: symbols that it does not use, attributes that page.css sets for <g class="k"> and <g
/// class="t">, and digits under a tenth of a pixel. Empty if there is no picture.
std::string embed_svg(const std::string& svg, const std::string& prefix);

}  // namespace ordinal::experiments
