#include "models/transformer.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "framework/core/errors.h"
#include "framework/layers/feed_forward.h"
#include "framework/layers/registry.h"
#include "framework/layers/residual.h"

namespace ordinal {
namespace {

NormPlacement placement_of(const std::string& name) {
  if (name == "pre") return NormPlacement::pre;
  if (name == "post") return NormPlacement::post;
  throw ConfigError(fmt::format("model.norm_placement: got '{}', expected pre or post", name));
}

const ModelConfig& checked(const ModelConfig& config) {
  const auto require_positive = [](const char* name, Index value) {
    if (value < 1)
      throw std::invalid_argument(fmt::format("Transformer: {} is {}, expected at least 1", name, value));
  };
  require_positive("vocab_size", config.vocab_size);
  require_positive("d_model", config.d_model);
  require_positive("layers", config.layers);
  require_positive("heads", config.heads);
  require_positive("ff", config.hidden_units());
  return config;
}

}  // namespace

EncodingConfig encoding_for(const ModelConfig& model) {
  EncodingConfig encoding = model.encoding;
  encoding.d_model = model.d_model;
  encoding.heads = model.heads;
  encoding.n_kv_heads = model.kv_heads();
  encoding.layers = model.layers;
  encoding.causal = model.causal;
  return encoding;
}

template <typename T>
Transformer<T>::Transformer(const ModelConfig& config)
    : config_(checked(config)),
      token_embedding_(config.vocab_size, config.d_model, Scope(layout_, "token_embedding"),
                       config.scale_embedding ? std::sqrt(static_cast<double>(config.d_model)) : 1.0),
      encoding_(make_positional_encoding<T>(encoding_for(config), Scope(layout_, "positional"))),
      input_dropout_(config.positional_dropout, config.d_model, Scope(layout_, "positional")) {
  for (Index number = 0; number < config.layers; ++number) {
    blocks_.push_back(make_block(number, Scope(layout_, fmt::format("block.{}", number))));
  }
  if (placement_of(config.norm_placement) == NormPlacement::pre) {
    final_norm_ = make_layer<T>(LayerKind::norm, config.norm, config.d_model, Scope(layout_, "final_norm"));
  }
  if (!config.tied_output) {
    output_ = std::make_unique<Linear<T>>(
        typename Linear<T>::Options{.in = config.d_model, .out = config.vocab_size, .bias = false},
        Scope(layout_, "output"));
  }
}

template <typename T>
typename Transformer<T>::Block Transformer<T>::make_block(Index number, const Scope& scope) const {
  const NormPlacement placement = placement_of(config_.norm_placement);
  const double output_scale = 0.02 / std::sqrt(2.0 * static_cast<double>(config_.layers));
  const auto norm = [&](const char* name) {
    return make_layer<T>(LayerKind::norm, config_.norm, config_.d_model, scope.nested(name));
  };
  auto attention_norm = norm("attention_norm");
  auto attention =
      std::make_unique<SelfAttention<T>>(typename SelfAttention<T>::Options{.d_model = config_.d_model,
                                                                            .heads = config_.heads,
                                                                            .n_kv_heads = config_.kv_heads(),
                                                                            .causal = config_.causal,
                                                                            .bias = config_.bias,
                                                                            .output_scale = output_scale,
                                                                            .layer = number},
                                         *encoding_, scope.nested("attention"));
  auto feed_forward_norm = norm("feed_forward_norm");
  auto feed_forward =
      std::make_unique<FeedForward<T>>(typename FeedForward<T>::Options{.d_model = config_.d_model,
                                                                        .hidden = config_.hidden_units(),
                                                                        .activation = config_.activation,
                                                                        .bias = config_.bias,
                                                                        .output_scale = output_scale},
                                       scope.nested("feed_forward"));
  Block block;
  block.attention = attention.get();
  block.attention_norm = attention_norm.get();
  block.attention_residual = std::make_unique<Residual<T>>(
      placement, std::move(attention_norm), std::move(attention), config_.dropout, scope.nested("attention"));
  block.feed_forward_residual =
      std::make_unique<Residual<T>>(placement, std::move(feed_forward_norm), std::move(feed_forward),
                                    config_.dropout, scope.nested("feed_forward"));
  return block;
}

template <typename T>
View<const T> Transformer<T>::embed(std::span<const Token> tokens, Pass<T>& pass) const {
  if (std::ssize(tokens) != pass.batch() * pass.seq_len()) {
    throw std::invalid_argument(fmt::format("Transformer: got {} tokens, expected batch {} times seq_len {}",
                                            tokens.size(), pass.batch(), pass.seq_len()));
  }
  return input_dropout_.forward(encoding_->encode_input(token_embedding_.forward(tokens, pass), pass), pass);
}

template <typename T>
View<const T> Transformer<T>::hidden(std::span<const Token> tokens, Pass<T>& pass) const {
  KeyValueCache<T>* cache = pass.run().cache;
  if (cache != nullptr) cache->begin_run(pass.run().positions);
  View<const T> x = embed(tokens, pass);
  for (const Block& block : blocks_) {
    x = block.attention_residual->forward(x, pass);
    x = block.feed_forward_residual->forward(x, pass);
  }
  if (final_norm_) x = final_norm_->forward(x, pass);
  if (cache != nullptr) cache->end_run();
  return x;
}

template <typename T>
View<const T> Transformer<T>::logits(View<const T> hidden, Pass<T>& pass) const {
  return output_ ? output_->forward(hidden, pass) : token_embedding_.logits(hidden, pass);
}

template <typename T>
void Transformer<T>::backward(std::span<const Token> tokens, View<const T> d_logits, Pass<T>& pass) const {
  View<const T> dx =
      output_ ? output_->backward(d_logits, pass) : token_embedding_.logits_backward(d_logits, pass);
  if (final_norm_) dx = final_norm_->backward(dx, pass);
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    dx = block->feed_forward_residual->backward(dx, pass);
    dx = block->attention_residual->backward(dx, pass);
  }
  dx = encoding_->encode_input_backward(input_dropout_.backward(dx, pass), pass);
  token_embedding_.backward(tokens, dx, pass);
}

template <typename T>
KeyValueCache<T> Transformer<T>::make_cache(Index batch, Index capacity) const {
  return KeyValueCache<T>(config_.layers, batch, capacity,
                          config_.kv_heads() * (config_.d_model / config_.heads));
}

template <typename T>
Tensor<T> Transformer<T>::attention_map(std::span<const Token> tokens, Index block, Index head,
                                        Pass<T>& pass) const {
  if (block < 0 || block >= config_.layers || head < 0 || head >= config_.heads) {
    throw std::out_of_range(fmt::format("attention_map: block {} head {}, expected below {} and {}", block,
                                        head, config_.layers, config_.heads));
  }
  View<const T> x = embed(tokens, pass);
  for (Index b = 0; b < block; ++b) {
    const Block& earlier = blocks_[static_cast<std::size_t>(b)];
    x = earlier.feed_forward_residual->forward(earlier.attention_residual->forward(x, pass), pass);
  }
  const Block& shown = blocks_[static_cast<std::size_t>(block)];
  if (final_norm_) x = shown.attention_norm->forward(x, pass);  // pre-norm: attention reads the normed input
  return shown.attention->probabilities(x, 0, head, pass);
}

template class Transformer<float>;
template class Transformer<double>;

}  // namespace ordinal
