#include "models/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "framework/core/decode_cache.h"
#include "framework/core/errors.h"
#include "framework/core/initial_weights.h"
#include "framework/layers/layer_registry.h"
#include "framework/layers/residual.h"

namespace ordinal {
namespace {

// make_positional_encoding() checks the lengths.
const ModelConfig& checked(const ModelConfig& config) {
  check_options("model", config);
  if (config.vocab_size > 0) return config;
  throw ConfigError(
      "model: vocab_size: got 0, expected at least 1 (0 is for the programs, which know the task)");
}

// In all blocks.
Index branches_of(const ModelConfig& config) { return std::ssize(block_parts(config.block)) * config.layers; }

// A rotation or a bias has no effect in a model without queries, keys and scores.
void check_encoding_used(const ModelConfig& config) {
  std::string rotating;  // a branch that accepts only rotations
  for (const Part& branch : block_parts(config.block)) {
    if (layers(LayerKind::branch).find(branch.name).only_rotates) rotating = branch.name;
  }
  for (const EncodingEntry& entry : find_encodings(config.encoding)) {
    const bool on_input = std::ranges::find(entry.acts_on, Place::input) != entry.acts_on.end();
    const bool rotates = entry.positions == PositionUse::rotary;
    if (entry.acts_on.empty() || on_input || (rotates && !rotating.empty())) continue;
    if (rotating.empty() && shape_of(config).layers > 0) continue;
    const std::string why =
        rotating.empty()
            ? fmt::format("no branch of '{}' has them (use none, or add attention)", config.block.text())
            : rotating + " has no scores (use rope, xpos or one that acts on the input)";
    throw ConfigError(fmt::format("{} acts on {}, and {}", entry.name, places_text(entry.acts_on), why));
  }
}

}  // namespace

template <typename T>
Transformer<T>::Transformer(const ModelConfig& config)
    : Model<T>(make_initial_weights(checked(config).init, branches_of(config))),
      config_(config),
      token_embedding_(config.vocab_size, config.d_model, this->scope("token_embedding"),
                       config.scale_embedding ? std::sqrt(static_cast<double>(config.d_model)) : 1.0,
                       config.embedding_sd > 0.0 ? config.embedding_sd
                                                 : 1.0 / std::sqrt(static_cast<double>(config.d_model))),
      encoding_(make_positional_encoding<T>(config.encoding, shape_of(config), this->scope("positional"))),
      input_dropout_(config.positional_dropout, config.d_model, this->scope("positional")) {
  const std::vector<Part> branches = block_parts(config.block);
  check_encoding_used(config);
  for (Index number = 0; number < config.layers; ++number) add_block(branches, number);
  if (config.norm_placement == "pre") {
    final_norm_ =
        make_layer<T>(LayerKind::norm, config.norm.only(),
                      {.width = config.d_model, .shape = shape_of(config)}, this->scope("final_norm"));
  }
  if (config.tied_output) {
    output_ = std::make_unique<Linear<T>>(token_embedding_.table());
  } else {
    output_ = std::make_unique<Linear<T>>(
        typename Linear<T>::Options{
            .in = config.d_model, .out = config.vocab_size, .bias = false, .role = Linear<T>::Role::output},
        this->scope("output"));
  }
}

template <typename T>
void Transformer<T>::add_block(const std::vector<Part>& branches, Index number) {
  const Scope scope = this->scope(fmt::format("block.{}", number));
  LayerContext<T> context{.width = config_.d_model,
                          .shape = shape_of(config_),
                          .bias = config_.bias,
                          .encoding = encoding_.get()};
  const auto placement = config_.norm_placement == "pre" ? NormPlacement::pre : NormPlacement::post;
  std::multiset<std::string> seen;
  for (const Part& branch : branches) {
    seen.insert(branch.name);
    const auto count = seen.count(branch.name);
    const std::string name = count > 1 ? fmt::format("{}_{}", branch.name, count) : branch.name;
    context.layer = attention_layers_;
    auto norm =
        make_layer<T>(LayerKind::norm, config_.norm.only(),
                      {.width = config_.d_model, .shape = context.shape}, scope.nested(name + "_norm"));
    const Scope own = scope.nested(name);
    auto inner = make_layer<T>(LayerKind::branch, branch, context, own);
    branches_.push_back(
        {own.prefix(),
         std::make_unique<Residual<T>>(placement, std::move(norm), std::move(inner), config_.dropout, own)});
    if (layers(LayerKind::branch).find(branch.name).uses_encoding) ++attention_layers_;
  }
}

template <typename T>
bool Transformer<T>::can_continue() const {
  return encoding_->keeps_prefixes() && std::ranges::none_of(branches_, [](const auto& branch) {
           return branch.layer->mixing() == Mixing::uncached;
         });
}

template <typename T>
Index Transformer<T>::mixing_layers() const {
  return std::ranges::count_if(branches_,
                               [](const Branch& branch) { return branch.layer->mixing() != Mixing::none; });
}

template <typename T>
View<const T> Transformer<T>::hidden(std::span<const Token> tokens, Pass<T>& pass) const {
  if (std::ssize(tokens) != pass.batch() * pass.seq_len()) {
    throw std::invalid_argument(fmt::format("Transformer: got {} tokens, expected batch {} times seq_len {}",
                                            tokens.size(), pass.batch(), pass.seq_len()));
  }
  DecodeCache<T>* cache = pass.run().cache;
  if (cache != nullptr && &cache->layout() != &this->layout()) {
    throw std::invalid_argument("Transformer: got the cache of another model");
  }
  if (cache != nullptr && !can_continue()) {
    throw std::invalid_argument("Transformer: got a cache, and a part of the model cannot continue from one");
  }
  if (cache != nullptr) cache->begin_run(pass.run().positions);
  encoding_->begin_run(pass);
  View<const T> x = token_embedding_.forward(tokens, pass);
  pass.computed("token_embedding", Direction::forward, x);
  x = input_dropout_.forward(encoding_->encode_input(x, pass), pass);
  pass.computed("positional", Direction::forward, x);
  for (const Branch& branch : branches_) {
    pass.check_stopped();
    x = branch.layer->forward(x, pass);
    pass.computed(branch.name, Direction::forward, x);
  }
  if (final_norm_) x = final_norm_->forward(x, pass);
  pass.computed("final_norm", Direction::forward, x);
  if (cache != nullptr) cache->end_run();
  return x;
}

template <typename T>
View<const T> Transformer<T>::logits(View<const T> hidden, Pass<T>& pass) const {
  return output_->forward(hidden, pass);
}

template <typename T>
void Transformer<T>::backward(std::span<const Token> tokens, View<const T> d_logits, Pass<T>& pass) const {
  View<const T> dx = output_->backward(d_logits, pass);
  pass.computed("output", Direction::backward, dx);
  if (final_norm_) dx = final_norm_->backward(dx, pass);
  pass.computed("final_norm", Direction::backward, dx);
  for (auto branch = branches_.rbegin(); branch != branches_.rend(); ++branch) {
    dx = branch->layer->backward(dx, pass);
    pass.computed(branch->name, Direction::backward, dx);
  }
  dx = encoding_->encode_input_backward(input_dropout_.backward(dx, pass), pass);
  pass.computed("positional", Direction::backward, dx);
  token_embedding_.backward(tokens, dx, pass);
}

ORDINAL_INSTANTIATE(Transformer);

}  // namespace ordinal
