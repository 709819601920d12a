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

/// A picture of models, or a text in its place.
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

/// The beginning of a page, up to <body>, with the style of all pages and that of this one.
std::string page_start(const std::string& title, const std::string& style = "");

/// A list; `kind` is its class.
std::string html_list(std::span<const std::string> sentences, const char* kind);

/// A table that scrolls by itself if it is wider than the page.
std::string html_table(const Grid& grid, const std::string& legend = "");

/// One JSON object, to be put inside a <script> element: < and & are written as escapes.
///   seeds, lengths, train_length, conditions
///   rows         name, whether it is ranked, and how many seeds did not learn; in the order of all pictures of rows
///   metrics      name, title of its table, better (lower or higher), fraction, references (name, a value for each length) and, for each
///                condition, scores:
///                  n     most seeds of an entry
///                  rows  for each row and length [mean, sd, low, high, value of each seed], multiples of `unit` that have the
///                        decimals of the tables, more below 0.01; or a text without a number
///                  best  for each length the rows that are bold
///                  notes by row, beside its name
///   titles       of a table of the headline under all conditions, for each length
///   pictures     by name: training, by_position, and the figures by their number, each as numbers() writes it, but for x
///   x            lists of x, of which the series of pictures name the index
std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures = {});

/// The whole page. Text and tables are there without JavaScript; page.js draws the pictures and makes it react.
std::string report_page(const ExperimentResult& result, const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
