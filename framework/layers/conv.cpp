// A depthwise convolution over time: feature c of a token is a weighted sum of feature c of nearby tokens. It
// is the shortest layer that mixes tokens, so use it as the example for your own layers.
#include <algorithm>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/layers/layer_registry.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

struct ConvOptions {
  Index kernel = 3;

  void visit(OptionVisitor& v) {
    v.integer("kernel", kernel, between(1, 1024), "tokens that each output sees");
  }
};

// sum[c] += a[c] b[c].
template <typename T>
void add_product(const T* a, const T* b, T* sum, Index n) {
#pragma omp simd
  for (Index c = 0; c < n; ++c) sum[c] += a[c] * b[c];
}

/// See conv_layer() below; `ahead` is its a.
template <typename T>
class Conv final : public Layer<T> {
 public:
  // With these weights, a sum of kernel terms has the variance of a Linear (d_model -> d_model) that is the last of its branch, so
  // the branch starts with an output as large as that of the others.
  Conv(const LayerContext<T>& context, const ConvOptions& options, const Scope& scope)
      : ahead_(context.shape.causal ? 0 : (options.kernel - 1) / 2),
        weight_(scope.add_weight(
            "weight", {options.kernel, context.width},
            normal(scope.initial_weights().last(context.width).scale *
                   std::sqrt(static_cast<double>(context.width) / static_cast<double>(options.kernel))))) {
    if (context.bias) bias_ = scope.add("bias", {context.width}, zeros());
    if (mixing() == Mixing::cached)
      kept_ = scope.add_state({.rows = options.kernel - 1, .cols = context.width});
  }

  Index input_width() const override { return weight_.cols; }
  Mixing mixing() const override {
    if (kernel() == 1) return Mixing::none;
    return ahead_ == 0 ? Mixing::cached : Mixing::uncached;
  }
  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("Conv", x);
    pass.save("Conv", x);
    const View<T> y = pass.zeros(x.rows, x.cols);
    const View<const T> weight = pass.value(weight_);
    if (bias_.cols > 0) copy_rows<T>({pass.value(bias_).data, y.rows, y.cols, 0}, y);
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      const View<const T> x_b = pass.rows_of(x, sequence);
      const View<T> y_b = pass.rows_of(y, sequence);
      for_each_tap(pass.seq_len(), [&](Index t, Index i, Index s) {
        add_product(weight.row(i), x_b.row(s), y_b.row(t), y_b.cols);
      });
      DecodeCache<T>* cache = pass.run().cache;
      if (cache != nullptr && mixing() == Mixing::cached) {
        continue_from(cache->state(kept_, sequence), x_b, y_b, weight);
      }
    }
    return y;
  }

  // With s = t - i + ahead, for all t and i:
  //   y_t = Σ_i w_i ⊙ x_s + b        dx_s += w_i ⊙ dy_t        dw_i += x_s ⊙ dy_t        db += dy_t
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<const T> x = pass.restore("Conv");
    const View<const T> weight = pass.value(weight_);
    const View<T> d_weight = pass.gradient(weight_);
    const View<T> dx = pass.zeros(x.rows, x.cols);
    for (Index first = 0; first < x.rows; first += pass.seq_len()) {
      for_each_tap(pass.seq_len(), [&](Index t, Index i, Index s) {
        add_product(weight.row(i), dy.row(first + t), dx.row(first + s), dx.cols);
        add_product(x.row(first + s), dy.row(first + t), d_weight.row(i), dx.cols);
      });
    }
    if (bias_.cols > 0) {
      T* d_bias = pass.gradient(bias_).data;
      for (Index r = 0; r < dy.rows; ++r) vmath::add(d_bias, dy.row(r), d_bias, dy.cols);
    }
    return dx;
  }

 private:
  Index kernel() const { return weight_.rows; }
  // Calls visit(t, i, s) for all rows t and taps i of a sequence such that row s = t - i + ahead exists.
  template <typename Visit>
  void for_each_tap(Index seq_len, Visit visit) const {
    for (Index t = 0; t < seq_len; ++t) {
      const Index first = std::max<Index>(0, t + ahead_ - (seq_len - 1));
      const Index last = std::min(kernel() - 1, t + ahead_);
      for (Index i = first; i <= last; ++i) visit(t, i, t - i + ahead_);
    }
  }

  // Taps i > t read rows before row 0 of this run: row t - i is row kernel-1 + t - i of the saved rows. Then
  // saves the last kernel-1 rows of the saved rows followed by those of x.
  void continue_from(View<T> kept, View<const T> x, View<T> y, View<const T> weight) const {
    for (Index t = 0; t < std::min(x.rows, kept.rows); ++t) {
      for (Index i = t + 1; i <= kept.rows; ++i) {
        add_product(weight.row(i), kept.row(kept.rows + t - i), y.row(t), y.cols);
      }
    }
    for (Index r = 0; r < kept.rows; ++r) {
      const Index from = r + x.rows;
      std::copy_n(from < kept.rows ? kept.row(from) : x.row(from - kept.rows), kept.cols, kept.row(r));
    }
  }

  Index ahead_;
  Slot weight_;
  Slot bias_;       // empty without a bias
  StateSlot kept_;  // the last kernel-1 inputs, oldest first; only if cached
};

}  // namespace

LayerEntry conv_layer() {
  return describe_layer<Conv, ConvOptions>(
      {.name = "conv",
       .kind = LayerKind::branch,
       .summary = "Σ_i w_i ⊙ x_{t-i} + b, a depthwise convolution over time; Wu et al. 2019, §2",
       .definition =
           R"(y_t = Σ_i w_i ⊙ x_{t-i+a} + b for i = 0 … kernel - 1; tokens outside of the sequence are zeros.
  causal model   a = 0: a token sees itself and the kernel - 1 tokens before it
  encoder        a = ⌊(kernel - 1)/2⌋: an even kernel sees one more token on the left
Parameters:
  block.N.conv.weight  w  (kernel, d_model)  model.init, last, of d_model inputs; times √(d_model/kernel)
  block.N.conv.bias    b  (d_model)          0
Wu et al. 2019, §2.)"});
}

}  // namespace ordinal
