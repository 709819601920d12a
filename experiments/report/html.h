// The report as one self-contained page: text and tables, and numbers that page.js draws. It loads no other resources.
// report.h lists the files of a report.
#pragma once

#include <span>
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

/// JSON as the content of a <script> element: < and & become escapes.
std::string inside_script(const std::string& json);

/// The beginning of a page, up to <body>, with the style of all pages and the style of this page.
std::string page_start(const std::string& title, const std::string& style = "");

/// A list; `kind` is its class.
std::string html_list(std::span<const std::string> sentences, const char* kind);

/// A table that scrolls separately if it is wider than the page.
std::string html_table(const Grid& grid, const std::string& legend = "");

/// One JSON object, to be put inside a <script> element: < and & are written as escapes.
///   seeds, lengths, train_length, conditions
///   rows         name, whether it is ranked, and how many seeds did not learn; in the order of rows in all pictures
///   metrics      name, title of its table, better (lower or higher), fraction, references (name, a value for each length) and, for each
///                condition, scores:
///                  n     largest number of seeds of any entry
///                  rows  for each row and length [mean, sd, low, high, value of each seed] in multiples of `unit`, with the
///                        decimals of the tables, more below 0.01; or text if there is no number
///                  best  for each length, the rows in bold
///                  notes by row, shown next to its name
///   titles       for each length, the title of the table of the headline metric under all conditions
///   pictures     by name: training, by_position, over_training, and the figures by their number, each as numbers() writes it, except x
///   x            lists of x values; the series of pictures refer to them by index
std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures = {});

/// The whole page. Text and tables need no JavaScript; page.js draws the pictures and makes the page interactive.
std::string report_page(const ExperimentResult& result, const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
