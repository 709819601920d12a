// Does attention notice the order of words? One layer of attention with random weights reads the same words
// in two orders, without an encoding and with one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/encoding/study.h"
#include "framework/core/model_shape.h"

namespace ordinal::experiments {

/// A sentence and its words in another order.
struct TwoOrders {
  std::vector<std::string> sentence;
  std::vector<std::string> reordered;
  /// For each word of the sentence its index in `reordered`. A word that is there several times is one token;
  /// its first occurrence is paired with the first, its second with the second.
  std::vector<Index> partner = {};

  Index size() const { return std::ssize(sentence); }
  /// "cat", or "the (2)" for the second of several.
  std::string label(Index word) const;
  /// The words of the sentence that have another index in `reordered`.
  std::vector<Index> moved() const;
};

/// Splits encoding.sentence and encoding.reordered at white space; nothing if both are empty. Throws ConfigError if one
/// is, for fewer than two words, other words, or the same order.
std::optional<TwoOrders> two_orders(const std::string& sentence, const std::string& reordered);

/// What one model computes for the two orders. Rows, columns and elements are the words of `sentence`, for
/// `reordered` too.
struct OrderComparison {
  std::string encoding;
  bool causal = true;
  Tensor<double> attention;         // (n, n): of word i on word j in the sentence, mean over the heads
  Tensor<double> reordered;         // and in the other order
  std::vector<double> differences;  // for each word, the largest difference of its output in the two orders
};

/// Of a Transformer<double> of one attention layer without and with `encoding`, bidirectional and causal
/// (an encoding that needs a causal model: only that). The words are at positions 0, 1, 2, …. Each different
/// word has a random embedding with entries N(0, 1); projections have entries N(0, 1/d_model), and the
/// encoding its initial parameters. All are the same for the same seed. Throws PositionError if the encoding
/// cannot serve that many words.
std::vector<OrderComparison> compare_orders(const TwoOrders& orders, const std::string& encoding,
                                            const ModelShape& shape, std::uint64_t seed);

/// Writes:
///   sentences.csv           encoding, model, query, key, attention in the sentence and in the other order
///   sentence_outputs.csv    encoding, model, word, largest difference of its output
///   sentence-<encoding>-<model>.svg    both attention maps side by side, words in the order of the sentence
/// The text is a table with a line for each model.
void study_sentences(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons,
                     StudyFiles& files);

}  // namespace ordinal::experiments
