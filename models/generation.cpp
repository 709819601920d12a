#include "models/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/training/finite_probe.h"

namespace ordinal {
namespace {

// The `count` most likely tokens, from the most to the least likely.
template <typename T>
std::vector<Token> likeliest(std::span<const T> logits, std::size_t count) {
  std::vector<Token> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), Token{0});
  const auto before = [&](Token a, Token b) {
    const T za = logits[static_cast<std::size_t>(a)];
    const T zb = logits[static_cast<std::size_t>(b)];
    return za != zb ? za > zb : a < b;
  };
  std::partial_sort(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count), tokens.end(),
                    before);
  tokens.resize(count);
  return tokens;
}

Positions part_of(const Positions& positions, Index first, Index count) {
  const auto part = subspan<const double>(positions.of(0), first, count);
  return Positions::shared(1, {part.begin(), part.end()}).stretched(positions.stretch());
}

}  // namespace

void GenerationOptions::visit(OptionVisitor& v) {
  v.integer("length", length, between(0, largest_count), "tokens to generate", Binds::nothing);
  v.number("temperature", temperature, at_least(0), "0: always the likeliest token", Binds::nothing);
  v.integer("top_k", top_k, between(0, largest_count), "draw from the k likeliest tokens; 0: from all",
            Binds::nothing);
  v.integer("seed", seed, between(0, 9e15), "seed of the draws", Binds::nothing);
}

template <typename T>
Token sample_token(std::span<const T> logits, const GenerationOptions& options, Random& random) {
  check_options("generate", options);
  if (!std::ranges::all_of(logits, [](T z) { return std::isfinite(z); }))
    throw std::invalid_argument("sample_token: got infinite logits or NaN, expected finite ones");
  const std::size_t kept =
      options.top_k > 0 ? std::min(logits.size(), static_cast<std::size_t>(options.top_k)) : logits.size();
  if (options.temperature == 0.0 || kept == 1) return likeliest(logits, 1).front();
  const std::vector<Token> tokens = likeliest(logits, kept);
  const auto logit = [&](Token token) {
    return static_cast<double>(logits[static_cast<std::size_t>(token)]);
  };
  std::vector<double> cumulative;
  double total = 0.0;
  for (const Token token : tokens) {
    total += std::exp((logit(token) - logit(tokens.front())) / options.temperature);
    cumulative.push_back(total);
  }
  const auto drawn = std::ranges::upper_bound(cumulative, random.uniform() * total);
  const auto index = std::min<std::ptrdiff_t>(drawn - cumulative.begin(), std::ssize(tokens) - 1);
  return tokens[static_cast<std::size_t>(index)];
}

template <typename T>
std::vector<Token> generate(const Model<T>& model, const Parameters<T>& values, std::span<const Token> prompt,
                            const GenerationOptions& options, const std::function<void(Token)>& on_token) {
  check_options("generate", options);
  check_options(options.positions.name(), options.positions);
  if (prompt.empty())
    throw std::invalid_argument("generate: the prompt is empty, expected at least one token");
  if (!model.is_causal()) {
    throw std::invalid_argument(
        "generate: the model is bidirectional, expected a causal one (model.causal = true)");
  }
  const Index total = std::ssize(prompt) + options.length;
  const bool turns_again = options.positions.entry().is_dynamic;
  const bool cached = !turns_again && model.can_continue();
  const Positions positions =
      make_positions(options.positions, 1, total, {.seed = static_cast<std::uint64_t>(options.seed)});
  DecodeCache<T> cache(model.layout(), 1, cached ? total : 0);
  Pass<T> pass(values);
  Random random({.seed = static_cast<std::uint64_t>(options.seed), .purpose = hash_name("generate")});
  std::vector<Token> text(prompt.begin(), prompt.end());
  while (std::ssize(text) < total) {
    const Index read = cached ? cache.length() : 0;
    const auto incoming = subspan<const Token>(text, read, std::ssize(text) - read);
    FiniteProbe<T> finite;
    pass.begin({.positions = turns_again ? make_positions(options.positions, 1, std::ssize(text))
                                         : part_of(positions, read, std::ssize(incoming)),
                .cache = cached ? &cache : nullptr,
                .observer = &finite});
    const View<const T> hidden = model.hidden(incoming, pass);
    const View<const T> logits = model.logits(hidden.row_range(hidden.rows - 1, 1), pass);
    pass.computed("output", Direction::forward, logits);
    if (finite.found()) {
      throw CheckpointError(
          fmt::format("{} at length {}; the weights are too large: use another checkpoint, or "
                      "train again with a smaller train.learning_rate",
                      finite.describe(), text.size()));
    }
    const std::span<const T> row(logits.data, static_cast<std::size_t>(logits.cols));
    text.push_back(sample_token(row, options, random));
    on_token(text.back());
  }
  return {text.begin() + std::ssize(prompt), text.end()};
}

template Token sample_token<float>(std::span<const float>, const GenerationOptions&, Random&);
template Token sample_token<double>(std::span<const double>, const GenerationOptions&, Random&);
template std::vector<Token> generate<float>(const Model<float>&, const Parameters<float>&,
                                            std::span<const Token>, const GenerationOptions&,
                                            const std::function<void(Token)>&);
template std::vector<Token> generate<double>(const Model<double>&, const Parameters<double>&,
                                             std::span<const Token>, const GenerationOptions&,
                                             const std::function<void(Token)>&);

}  // namespace ordinal
