// Does attention notice word order? One layer of attention with random weights reads the same words in
// two orders, without an encoding and with one.
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
  /// For each word of the sentence, its index in `reordered`. A repeated word is one token; its first
  /// occurrence is paired with the first, its second with the second.
  std::vector<Index> partner = {};

  Index size() const { return std::ssize(sentence); }
  /// "cat", or "the (2)" for the second of several.
  std::string label(Index word) const;
  /// The words of the sentence whose index in `reordered` differs.
  std::vector<Index> moved() const;
};

/// Splits encoding.sentence and encoding.reordered at whitespace; empty if both are empty. Throws
/// ConfigError if only one is empty, for fewer than two words, for different words, or for the same order.
std::optional<TwoOrders> two_orders(const std::string& sentence, const std::string& reordered);

/// What one model computes for the two orders. Rows, columns and elements follow the words of
/// `sentence`, even in `reordered`.
struct OrderComparison {
  std::string encoding;
  bool causal = true;
  Tensor<double> attention;         // (n, n): of word i on word j in the sentence, mean over the heads
  Tensor<double> reordered;         // the same in the other order
  std::vector<double> differences;  // for each word, the largest difference of its output between the orders
};

/// Compares the orders in a Transformer<double> of one attention layer, without and with `encoding`,
/// bidirectional and causal (only causal for an encoding that needs a causal model). The words are at
/// positions 0, 1, 2, …. Each distinct word has a random embedding with entries N(0, 1); projections
/// have entries N(0, 1/d_model), and the encoding has its initial parameters. All are the same for the
/// same seed. Throws PositionError if the encoding cannot serve that many words.
std::vector<OrderComparison> compare_orders(const TwoOrders& orders, const std::string& encoding,
                                            const ModelShape& shape, std::uint64_t seed);

/// Writes:
///   sentences.csv           encoding, model, query, key, attention in the sentence and in the other order
///   sentence_outputs.csv    encoding, model, word, largest difference of its output
///   sentence-<encoding>-<model>.svg    both attention maps side by side, words in the order of the sentence
/// The text is a table with one line per model.
void study_sentences(const TwoOrders& orders, const std::vector<OrderComparison>& comparisons,
                     StudyFiles& files);

}  // namespace ordinal::experiments
