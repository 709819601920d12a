// Does attention notice word order? One layer of random weights reads a sentence and the same words in another order, without an
// encoding and with one.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/report/grid.h"
#include "experiments/report/heatmap.h"
#include "framework/core/model_shape.h"

namespace ordinal::experiments {

/// The attention of words on each other, mean over the heads.
struct WordOrders {
  Grid table;  // for each model, that of one word that moves on another, and the largest change of any
  Heatmap
      picture;  // all of it, without (above) and with the encoding (below), in both orders (left and right)
};

/// Models are bidirectional and causal (only causal for an encoding that needs it; the picture shows the first of each). Words are
/// at positions 0, 1, 2, … Words and projections are random, the same for the same seed, and the encoding has its initial
/// parameters. Rows and columns follow the words of the sentence in both orders; a repeated word is one token, whose first
/// occurrence is compared with the first, and so on. Throws ConfigError unless both have the same words in different orders, and
/// PositionError if the encoding cannot serve that many.
WordOrders compare_word_orders(const std::string& sentence, const std::string& reordered,
                               const std::string& encoding, ModelShape shape, std::uint64_t seed);

}  // namespace ordinal::experiments
