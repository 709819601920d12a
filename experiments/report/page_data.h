// The numbers of report.html as JSON, for page.js: what its curves and all tables but the first ones show.
#pragma once

#include <string>

#include "experiments/report/html.h"

namespace ordinal::experiments {

/// "; small: 95 % interval of the mean; bold: …": what follows the title of a table of rows by lengths or conditions.
std::string table_legend(const ExperimentResult& result);

/// One JSON object, to be put inside a <script> element: < and & are written as escapes.
///   seeds, lengths, train_length, conditions
///   rows         name, whether it is ranked, and how many seeds did not learn; in the order of all pictures of rows
///   metrics      name, better (lower or higher), fraction, references (name, a value for each length) and, for each
///                condition, scores:
///                  n     most seeds of an entry
///                  rows  for each row and length [mean, sd, low, high, value of each seed], multiples of `unit` that have the
///                        decimals of the tables, at least three digits; or a text without a number
///                  best  for each length the rows that are bold
///                  notes by row, beside its name
///   why          by "condition row length": why a score has failed
///   tables       that page.js makes: name, title, and the metric or the length that they are about
///   legend       that of these tables
///   pictures     by name: training, by_position, and the figures by their number, each as numbers() writes it, but for x
///   x            lists of x, of which the series of pictures name the index
std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
