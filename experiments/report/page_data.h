// The numbers of report.html as JSON, for page.js: the curves that it draws, and what it shows when the mouse is over them.
#pragma once

#include <string>

#include "experiments/report/html.h"

namespace ordinal::experiments {

/// One JSON object, to be put inside a <script> element: < and & are written as escapes.
///   seeds, lengths, train_length, conditions
///   metrics      id, name, lower (is better), fraction
///   rows         label, learned, scores[metric][condition][length]: mean, sd, low, high, values (one for each seed), failed,
///                diverged, not_learned; what is zero, empty or NaN is left out
///   references   label, scores[metric][length]
///   pictures     by name: training, by_position, and the figures by their number, each as numbers() writes it
/// Numbers of the tables are rounded to seven digits.
std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
