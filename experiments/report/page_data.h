// The numbers of report.html as JSON, for page.js: what its curves and all tables but the first ones show.
#pragma once

#include <string>

#include "experiments/report/html.h"

namespace ordinal::experiments {

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

}  // namespace ordinal::experiments
