// A long short-term memory: the recurrent baseline of Delétang et al. 2023. It reads from left to right, even
// in an encoder, and computes each step for all sequences at once.
#include <algorithm>
#include <cmath>

#include "framework/core/decode_cache.h"
#include "framework/layers/layer_registry.h"
#include "framework/layers/linear.h"
#include "framework/math/blas.h"
#include "framework/math/vector_math.h"

namespace ordinal {
namespace {

struct LstmOptions {
  Index hidden = 0;
  double forget_bias = 1.0;

  void visit(OptionVisitor& v) {
    v.integer("hidden", hidden, automatic_or(1, 262144), "width of the hidden state; 0: d_model");
    v.number("forget_bias", forget_bias, between(-100, 100), "added to the forget gate before its sigmoid");
  }
  void resolve(const ModelShape& shape) {
    if (hidden == 0) hidden = shape.d_model;
  }
};

// A view of row t of every sequence: (batch, cols).
template <typename T, typename Element>
View<Element> at_time(View<Element> rows, Index t, const Pass<T>& pass) {
  return {rows.row(t), pass.batch(), rows.cols, pass.seq_len() * rows.stride};
}

/// See lstm_layer() below. β = 1 retains the contents of c at the start. h and c start at zero, or continue from the run's cache.
template <typename T>
class Lstm final : public Layer<T> {
 public:
  // W_h starts as in PyTorch, U(-1/√hidden, 1/√hidden), and W_x with the same variance, 1/(3·hidden).
  Lstm(const LayerContext<T>& context, const LstmOptions& options, const Scope& scope)
      : forget_bias_(static_cast<T>(options.forget_bias)),
        input_({.in = context.width,
                .out = 4 * options.hidden,
                .bias = context.bias,
                .stacked = std::vector<Index>(4, options.hidden),
                .sd = 1.0 / std::sqrt(3.0 * static_cast<double>(options.hidden))},
               scope.nested("input")),
        recurrent_(scope.add_matrix("recurrent.weight", std::vector<Index>(4, options.hidden), options.hidden,
                                    uniform(1.0 / std::sqrt(static_cast<double>(options.hidden))))),
        output_(
            {.in = options.hidden, .out = context.width, .bias = context.bias, .role = Linear<T>::Role::last},
            scope.nested("output")),
        state_(scope.add_state({.rows = 2, .cols = options.hidden})) {}

  Index input_width() const override { return input_.input_width(); }
  Mixing mixing() const override { return Mixing::cached; }

  View<const T> forward(View<const T> x, Pass<T>& pass) const override {
    this->check_width("Lstm", x);
    const View<T> gates = pass.allocate(x.rows, 4 * hidden());
    input_.forward_into(x, gates, pass);
    const View<T> h = pass.allocate(x.rows, hidden());
    const View<T> c = pass.allocate(x.rows, hidden());
    States last = start(pass);
    for (Index t = 0; t < pass.seq_len(); ++t) {
      const View<T> gates_t = at_time(gates, t, pass);
      const States now{at_time(h, t, pass), at_time(c, t, pass)};
      multiply_add<T>(last.h, transposed(pass.value(recurrent_)), gates_t);
      for (Index b = 0; b < pass.batch(); ++b)
        step(gates_t.row(b), last.c.row(b), now.c.row(b), now.h.row(b));
      last = now;
    }
    if (pass.run().cache != nullptr) keep(last, pass);
    pass.save("Lstm", gates);
    pass.save("Lstm", h);
    pass.save("Lstm", c);
    return output_.forward(h, pass);
  }

  // Backpropagation through time, from the last token to the first: with z_{t+1} = … + h_t W_hᵀ,
  //   dh_t = dy_t W_out + dz_{t+1} W_h,        dW_h = Σ_t dz_tᵀ h_{t-1}  over all sequences.
  // The rest is the chain rule through the two Linears. A recorded run starts from zeros.
  View<const T> backward(View<const T> dy, Pass<T>& pass) const override {
    const View<T> dh = pass.allocate(dy.rows, hidden());
    output_.backward_into(dy, dh, pass);
    const View<const T> c = pass.restore("Lstm");
    const View<const T> h = pass.restore("Lstm");
    const View<const T> gates = pass.restore("Lstm");
    const View<T> d_gates = pass.allocate(gates.rows, gates.cols);
    const View<T> dc = pass.zeros(pass.batch(), hidden());
    const View<const T> c_start = pass.zeros(pass.batch(), hidden());
    for (Index t = pass.seq_len() - 1; t >= 0; --t) {
      const View<T> dh_t = at_time(dh, t, pass);
      const View<T> d_gates_t = at_time(d_gates, t, pass);
      const View<const T> gates_t = at_time(gates, t, pass);
      const View<const T> c_t = at_time(c, t, pass);
      const View<const T> c_before = t > 0 ? at_time(c, t - 1, pass) : c_start;
      if (t + 1 < pass.seq_len())
        multiply_add<T>(at_time(d_gates, t + 1, pass), pass.value(recurrent_), dh_t);
      for (Index b = 0; b < pass.batch(); ++b) {
        step_backward(gates_t.row(b), c_before.row(b), c_t.row(b), dh_t.row(b), dc.row(b), d_gates_t.row(b));
      }
    }
    const View<T> d_recurrent = pass.gradient(recurrent_);
    for (Index first = 0; first < h.rows; first += pass.seq_len()) {
      const Index steps = pass.seq_len() - 1;
      multiply_add<T>(transposed(d_gates.row_range(first + 1, steps)), h.row_range(first, steps),
                      d_recurrent);
    }
    return input_.backward(d_gates, pass);
  }

 private:
  struct States {
    View<T> h;
    View<T> c;
  };

  Index hidden() const { return recurrent_.cols; }
  // The states before the first token of the run, (batch, hidden) each.
  States start(Pass<T>& pass) const {
    const States states{pass.zeros(pass.batch(), hidden()), pass.zeros(pass.batch(), hidden())};
    for (Index sequence = 0; pass.run().cache != nullptr && sequence < pass.batch(); ++sequence) {
      const View<const T> state = pass.run().cache->state(state_, sequence);
      std::copy_n(state.row(0), hidden(), states.h.row(sequence));
      std::copy_n(state.row(1), hidden(), states.c.row(sequence));
    }
    return states;
  }

  void keep(const States& states, Pass<T>& pass) const {
    for (Index sequence = 0; sequence < pass.batch(); ++sequence) {
      const View<T> state = pass.run().cache->state(state_, sequence);
      std::copy_n(states.h.row(sequence), hidden(), state.row(0));
      std::copy_n(states.c.row(sequence), hidden(), state.row(1));
    }
  }

  // One token of one sequence: `gates` holds z on entry and [i f g o] on return.
  void step(T* gates, const T* c_before, T* c, T* h) const {
    const Index n = hidden();
    T* i = gates;
    T* f = gates + n;
    T* g = gates + 2 * n;
    T* o = gates + 3 * n;
#pragma omp simd
    for (Index k = 0; k < n; ++k) f[k] += forget_bias_;
    vmath::sigmoid(i, i, 2 * n);  // f too
    vmath::tanh(g, g, n);
    vmath::sigmoid(o, o, n);
#pragma omp simd
    for (Index k = 0; k < n; ++k) c[k] = f[k] * c_before[k] + i[k] * g[k];
    vmath::tanh(c, h, n);
    vmath::multiply(o, h, h, n);
  }

  // One token of one sequence. dh is the total gradient of h_t, from y_t and from z_{t+1}. On entry, dc holds
  // the gradient of c_t from c_{t+1}; on return, that of c_{t-1} from c_t. With e = the total gradient of c_t,
  // σ' = σ (1 - σ) and tanh' = 1 - tanh²:
  //   h_t = o ⊙ tanh(c_t)           dz_o = dh ⊙ tanh(c_t) ⊙ o ⊙ (1 - o)     e = dc + dh ⊙ o ⊙ (1 - tanh²(c_t))
  //   c_t = f ⊙ c_{t-1} + i ⊙ g     dz_i = e ⊙ g ⊙ i ⊙ (1 - i)             dz_f = e ⊙ c_{t-1} ⊙ f ⊙ (1 - f)
  //                                 dz_g = e ⊙ i ⊙ (1 - g²)                dc_{t-1} = e ⊙ f
  void step_backward(const T* gates, const T* c_before, const T* c, const T* dh, T* dc, T* d_gates) const {
    const Index n = hidden();
    const T* i = gates;
    const T* f = gates + n;
    const T* g = gates + 2 * n;
    const T* o = gates + 3 * n;
    T* dz_i = d_gates;
    T* dz_f = d_gates + n;
    T* dz_g = d_gates + 2 * n;
    T* dz_o = d_gates + 3 * n;
    T* tanh_c = dz_o;  // until it is overwritten by dz_o
    vmath::tanh(c, tanh_c, n);
#pragma omp simd
    for (Index k = 0; k < n; ++k) {
      const T e = dc[k] + dh[k] * o[k] * (T(1) - tanh_c[k] * tanh_c[k]);
      dz_o[k] = dh[k] * tanh_c[k] * o[k] * (T(1) - o[k]);
      dz_i[k] = e * g[k] * i[k] * (T(1) - i[k]);
      dz_f[k] = e * c_before[k] * f[k] * (T(1) - f[k]);
      dz_g[k] = e * i[k] * (T(1) - g[k] * g[k]);
      dc[k] = e * f[k];
    }
  }

  T forget_bias_;
  Linear<T> input_;
  Slot recurrent_;
  Linear<T> output_;
  StateSlot state_;  // h in row 0, c in row 1
};

}  // namespace

LayerEntry lstm_layer() {
  return describe_layer<Lstm, LstmOptions>(
      {.name = "lstm",
       .kind = LayerKind::branch,
       .summary = "a recurrence with input, forget and output gates; Hochreiter & Schmidhuber 1997",
       .definition =
           R"(z = x_t W_xᵀ + b + h_{t-1} W_hᵀ holds four gates of `hidden` columns each, in the order z_i, z_f, z_g, z_o:
  i, f, o = σ(z_i), σ(z_f + β), σ(z_o),   g = tanh(z_g),   β = forget_bias
  c_t = f ⊙ c_{t-1} + i ⊙ g,   h_t = o ⊙ tanh(c_t),   y_t = h_t W_outᵀ + b_out
h and c are 0 before the first token. It reads left to right, even in an encoder. hidden = 0 means d_model.
Parameters:
  block.N.lstm.input.weight      W_x    (4 hidden, d_model)  N(0, 1/(3 hidden))
  block.N.lstm.input.bias        b      (4 hidden)           0
  block.N.lstm.recurrent.weight  W_h    (4 hidden, hidden)   uniform in ±1/√hidden
  block.N.lstm.output.weight     W_out  (d_model, hidden)    model.init, last
  block.N.lstm.output.bias       b_out  (d_model)            0
Hochreiter & Schmidhuber 1997; the forget gate: Gers et al. 2000; β = 1: Jozefowicz et al. 2015 (PyTorch: 0).)"});
}

}  // namespace ordinal
