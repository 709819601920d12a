// Generates text with a model, token by token, with a cache, so that each costs one token's work.
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

  /// All but the positions, under the names of their config keys.
  void visit(OptionVisitor& v);
};

/// A token drawn from softmax(logits / temperature), restricted to the top_k likeliest. Among equals the
/// lowest token comes first.
template <typename T>
Token sample_token(std::span<const T> logits, const GenerationOptions& options, Random& random);

/// Continues `prompt` by options.length tokens and returns them; calls `on_token` for each as it is
/// generated. If a further token changes the encoding of earlier ones (dynamic_ntk; learned, interpolated
/// past its table), or a part of the model cannot continue from a cache, the whole text is read again for
/// each token. Throws std::invalid_argument for an empty prompt or a model that is not causal, and whatever
/// the positional encoding throws for unsupported positions.
template <typename T>
std::vector<Token> generate(
    const Model<T>& model, const Parameters<T>& values, std::span<const Token> prompt,
    const GenerationOptions& options, const std::function<void(Token)>& on_token = [](Token) {});

}  // namespace ordinal
