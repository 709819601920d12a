// A feed-forward branch with a gate: the product of two projections, one of them through an activation.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "framework/core/errors.h"
#include "framework/core/vector_math.h"
#include "framework/layers/linear.h"
#include "framework/layers/registry.h"

namespace ordinal {
namespace {

struct GatedLinearOptions {
  Index ff = 0;
  std::string activation = "silu";

  void visit(OptionVisitor& v) {
    v.integer("ff", ff, automatic_or(1, 262144), "hidden units; 0: 4 · d_model");
    v.part("activation", activation, layers(LayerKind::activation).names(), "of the gate; not a gated one");
  }
  void resolve(const ModelShape& shape) {
    if (ff == 0) ff = 4 * shape.d_model;
  }
};

/// y = (f(g) ⊙ u) W_downᵀ + b_down  with  [g u] = x W_upᵀ + b_up  and an elementwise activation f. W_up is
/// (2·ff, d_model), the rows of the gates g first. Dauphin et al. 2017; Shazeer 2020. With silu it is
/// feed_forward(activation=swiglu), bit for bit and with the same parameter names.
template <typename T>
class GatedLinear final : public Layer<T> {
 public:
  /// Throws ConfigError for an activation that is itself gated.
  GatedLinear(const LayerContext<T>& context, const GatedLinearOptions& options, const Scope& scope);

  Index input_width() const override { return up_.input_width(); }
  Index output_width() const override { return down_.output_width(); }
  Cost cost(Index seq_len) const override {
    const Cost product{0.0, static_cast<double>(width())};
    return up_.cost(seq_len) + activation_->cost(seq_len) + product + down_.cost(seq_len);
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override;
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override;

 private:
  Index width() const { return down_.input_width(); }

  std::unique_ptr<Layer<T>> activation_;
  Linear<T> up_;
  Linear<T> down_;
};

template <typename T>
GatedLinear<T>::GatedLinear(const LayerContext<T>& context, const GatedLinearOptions& options,
                            const Scope& scope)
    : activation_(make_layer<T>(LayerKind::activation, options.activation,
                                {.width = options.ff, .shape = context.shape}, scope.nested("activation"))),
      up_({context.width, 2 * options.ff, context.bias}, scope.nested("up")),
      down_({options.ff, context.width, context.bias, context.output_scale}, scope.nested("down")) {
  if (activation_->input_width() != options.ff) {
    throw ConfigError(
        fmt::format("gated_linear.activation: got '{}', which is gated itself; expected an elementwise "
                    "one such as silu (or use feed_forward with '{}')",
                    options.activation, options.activation));
  }
}

template <typename T>
View<const T> GatedLinear<T>::forward(View<const T> x, Pass<T>& pass) const {
  this->check_width("GatedLinear", x);
  const View<const T> both = up_.forward(x, pass);
  const View<const T> up = both.col_range(width(), width());
  const View<const T> gate = activation_->forward(both.col_range(0, width()), pass);
  pass.save("GatedLinear", up);
  pass.save("GatedLinear", gate);
  const View<T> hidden = pass.allocate(x.rows, width());
  {
    const auto timer = pass.timed(Work::activations);
    for (Index r = 0; r < x.rows; ++r) vmath::multiply(gate.row(r), up.row(r), hidden.row(r), width());
  }
  return down_.forward(hidden, pass);
}

// h = f(g) ⊙ u:   dg = f'(g) ⊙ (u ⊙ dh)        du = f(g) ⊙ dh.
template <typename T>
View<const T> GatedLinear<T>::backward(View<const T> dy, Pass<T>& pass) const {
  const View<const T> d_hidden = down_.backward(dy, pass);
  const View<const T> gate = pass.restore("GatedLinear");
  const View<const T> up = pass.restore("GatedLinear");
  const View<T> d_both = pass.allocate(dy.rows, 2 * width());
  const View<T> d_gate = pass.allocate(dy.rows, width());
  {
    const auto timer = pass.timed(Work::activations);
    for (Index r = 0; r < dy.rows; ++r) {
      vmath::multiply(d_hidden.row(r), up.row(r), d_gate.row(r), width());
      vmath::multiply(gate.row(r), d_hidden.row(r), d_both.row(r) + width(), width());
    }
  }
  const View<const T> d_before = activation_->backward(d_gate, pass);
  for (Index r = 0; r < dy.rows; ++r) std::copy_n(d_before.row(r), width(), d_both.row(r));
  return up_.backward(d_both, pass);
}

}  // namespace

LayerEntry gated_linear_layer() {
  return describe_layer<GatedLinear, GatedLinearOptions>(
      {.name = "gated_linear",
       .kind = LayerKind::branch,
       .summary = "(f(x W_gateᵀ) ⊙ x W_upᵀ) W_downᵀ with an activation f; Dauphin et al. 2017, Shazeer 2020",
       .definition =
           R"(y = (f(g) ⊙ u) W_downᵀ + b_down,  [g u] = x W_upᵀ + b_up with ff columns each, f = activation (--list silu), which
is not a gated one. ff = 0 is 4 d_model. With silu it is feed_forward(activation=swiglu), bit for bit.
Parameters:
  block.N.gated_linear.up.weight    W_up    (2 ff, d_model)  N(0, 0.02²)
  block.N.gated_linear.up.bias      b_up    (2 ff)           0
  block.N.gated_linear.down.weight  W_down  (d_model, ff)    N(0, (0.02/√n)²)
  block.N.gated_linear.down.bias    b_down  (d_model)        0
Dauphin et al. 2017; Shazeer 2020.)"});
}

}  // namespace ordinal
