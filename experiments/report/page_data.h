// The numbers of report.html as JSON, for page.js: the curves that it draws, and what it shows when the mouse is over them.
#pragma once

#include <string>

#include "experiments/report/html.h"

namespace ordinal::experiments {

/// One JSON object, to be put inside a <script> element: < and & are written as escapes.
///   seeds, lengths, train_length, conditions
///   metrics      their names
///   rows         their labels, in the order of the series of all pictures of rows
///   pictures     by name: training, by_position, and the figures by their number, each as numbers() writes it; and main, a
///                list for each metric of length_curves under each condition
std::string page_data(const ExperimentResult& result, const std::vector<Figure>& figures = {});

}  // namespace ordinal::experiments
