// Generates text with a model, token by token. With a cache, each step does the work of one token.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "framework/core/random.h"
#include "framework/positional/position_scheme.h"
#include "framework/training/model.h"

namespace ordinal {

struct GenerationOptions {
  Index length = 200;        // tokens to generate
  double temperature = 1.0;  // logits are divided by it; 0: always the likeliest token (greedy)
  Index top_k = 0;           // draw from the k likeliest tokens only; 0: from all
  Index seed = 1;
  PositionScheme positions = {};  // of the whole text

  /// Visits all options except `positions`, under their config keys.
  void visit(OptionVisitor& v);
};

/// Draws a token from softmax(logits / temperature), restricted to the top_k likeliest. Ties go to the
/// lowest token. Throws std::invalid_argument for logits that are not finite, ConfigError for options out of range.
template <typename T>
Token sample_token(std::span<const T> logits, const GenerationOptions& options, Random& random);

/// Continues `prompt` by options.length tokens and returns them; calls `on_token` for each as it is
/// generated. If a new token changes the encoding of earlier ones (dynamic_ntk; learned, interpolated
/// past its table), or a part of the model cannot continue from a cache, it rereads the whole text for
/// each token. Throws std::invalid_argument for an empty prompt or a model that is not causal, ConfigError for options out of
/// range, CheckpointError if a number becomes infinite or NaN, and whatever the positional encoding throws for unsupported
/// positions.
template <typename T>
std::vector<Token> generate(
    const Model<T>& model, const Parameters<T>& values, std::span<const Token> prompt,
    const GenerationOptions& options, const std::function<void(Token)>& on_token = [](Token) {});

}  // namespace ordinal
