// The position-wise feed-forward network of a transformer block.
#pragma once

#include <memory>
#include <string>

#include "framework/layers/layer.h"
#include "framework/layers/linear.h"
#include "framework/layers/registry.h"

namespace ordinal {

struct FeedForwardOptions {
  Index ff = 0;
  std::string activation = "gelu";

  void visit(OptionVisitor& v);
  void resolve(const ModelShape& shape);
};

/// `activation` is the f of a gate, not a gated one.
struct GatedLinearOptions {
  Index ff = 0;
  std::string activation = "silu";

  void visit(OptionVisitor& v);
  void resolve(const ModelShape& shape);
};

/// y = f(x W_upᵀ + b_up) W_downᵀ + b_down with a registered activation f of ff outputs. Vaswani et al.
/// 2017, §3.3. For a gated activation, such as all of GatedLinearOptions are, W_up has 2·ff rows: the gates first.
template <typename T>
class FeedForward final : public Layer<T> {
 public:
  /// `options` must be resolved. Throws ConfigError for an unknown activation.
  FeedForward(const LayerContext<T>& context, const FeedForwardOptions& options, const Scope& scope);
  /// Throws ConfigError for an activation that is itself gated.
  FeedForward(const LayerContext<T>& context, const GatedLinearOptions& options, const Scope& scope);

  Index input_width() const override { return up_.input_width(); }
  Index output_width() const override { return down_.output_width(); }
  Cost cost(Index seq_len) const override {
    return up_.cost(seq_len) + activation_->cost(seq_len) + down_.cost(seq_len);
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  FeedForward(const LayerContext<T>& context, Index ff, std::unique_ptr<Layer<T>> activation,
              const Scope& scope);

  std::unique_ptr<Layer<T>> activation_;
  Linear<T> up_;
  Linear<T> down_;
};

extern template class FeedForward<float>;
extern template class FeedForward<double>;

}  // namespace ordinal
