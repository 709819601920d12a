// A model with parameters, and tokens for it: for the tests of whole models.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "framework/core/decode_cache.h"
#include "framework/core/random.h"
#include "framework/layers/cross_entropy.h"
#include "framework/layers/gradient_check.h"
#include "models/transformer.h"
#include "tests/framework/largest_difference.h"

namespace ordinal::testing {

inline std::vector<Token> random_tokens(Index count, Index vocab_size, std::uint32_t purpose = 1) {
  std::vector<Token> tokens;
  Random random({.seed = 3, .purpose = purpose});
  for (Index i = 0; i < count; ++i)
    tokens.push_back(static_cast<Token>(random.below(static_cast<std::uint32_t>(vocab_size))));
  return tokens;
}

/// A model whose parameters are away from their initial values, so that none is zero or one.
template <typename T = double>
struct ModelRig {
  explicit ModelRig(const ModelConfig& config) : model(config), values(model.layout()) {
    initialize(values, 1);
    Random random({.seed = 4});
    for (T& value : values.flat()) value += static_cast<T>(0.2 * random.normal());
  }

  /// (tokens, vocab_size), row by row.
  std::vector<T> logits(std::span<const Token> tokens, Run<T> run) const {
    Pass<T> pass(values);
    pass.begin(std::move(run));
    const View<const T> z = model.logits(model.hidden(tokens, pass), pass);
    return {z.data, z.data + z.size()};
  }
  std::vector<T> logits(std::span<const Token> tokens) const {
    return logits(tokens, {.positions = Positions::contiguous(1, std::ssize(tokens))});
  }
  /// Adds the gradient of the mean loss.
  void backward(std::span<const Token> tokens, std::span<const Token> targets, const Positions& positions,
                Parameters<T>& gradients) const {
    Pass<T> pass(values, &gradients);
    pass.begin({.positions = positions, .record = true});
    const View<const T> z = model.logits(model.hidden(tokens, pass), pass);
    const View<T> d_z = pass.allocate(z.rows, z.cols);
    cross_entropy_backward(z, targets, static_cast<T>(1.0 / static_cast<double>(targets.size())), d_z);
    model.backward(tokens, d_z, pass);
    pass.finish();
  }

  Transformer<T> model;
  Parameters<T> values;
};

/// The rows of tokens first, …, first + count - 1 of each of the sequences.
template <typename T>
std::vector<T> part_of(const std::vector<T>& text, Index sequences, Index first, Index count, Index width) {
  const Index whole = std::ssize(text) / sequences;
  std::vector<T> part;
  for (Index b = 0; b < sequences; ++b) {
    const auto begin = text.begin() + b * whole + first * width;
    part.insert(part.end(), begin, begin + count * width);
  }
  return part;
}

/// Reads random sequences in runs of `step` tokens with a cache; the largest difference of the logits from those of one run.
template <typename T>
double difference_in_steps(const ModelRig<T>& rig, Index sequences, Index length, Index step,
                           double start = 0.0) {
  const Index vocab_size = rig.model.vocab_size();
  const std::vector<Token> text = random_tokens(sequences * length, vocab_size);
  const std::vector<T> whole =
      rig.logits(text, {.positions = Positions::contiguous(sequences, length, start)});
  DecodeCache<T> cache(rig.model.layout(), sequences, length);
  double largest = 0.0;
  for (Index first = 0; first < length; first += step) {
    const Index count = std::min(step, length - first);
    const auto positions = Positions::contiguous(sequences, count, start + static_cast<double>(first));
    const std::vector<T> part =
        rig.logits(part_of(text, sequences, first, count, 1), {.positions = positions, .cache = &cache});
    largest =
        larger_error(largest, largest_difference(part, part_of(whole, sequences, first, count, vocab_size)));
  }
  return largest;
}

/// Compares backward of a whole model with finite differences of its mean loss, for random tokens and targets.
inline GradientReport check_model(const ModelConfig& config, const Positions& positions) {
  ModelRig<double> rig(config);
  const Index count = positions.batch() * positions.seq_len();
  const std::vector<Token> tokens = random_tokens(count, config.vocab_size, 1);
  const std::vector<Token> targets = random_tokens(count, config.vocab_size, 2);
  const double weight = 1.0 / static_cast<double>(count);
  const auto loss = [&](const Parameters<double>& values) {
    Pass<double> pass(values);
    pass.begin({.positions = positions});
    std::vector<double> losses(targets.size());
    cross_entropy(rig.model.logits(rig.model.hidden(tokens, pass), pass), targets, losses);
    double total = 0.0;
    for (const double one : losses) total += one * weight;
    return total;
  };
  const auto gradient = [&](const Parameters<double>& /*values*/, Parameters<double>& gradients) {
    rig.backward(tokens, targets, positions, gradients);
  };
  return check_parameters(rig.values, loss, gradient);
}

}  // namespace ordinal::testing
