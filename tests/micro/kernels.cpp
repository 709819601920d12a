// Micro-benchmarks of the kernels, next to the limits of the machine: a memory copy and a large matrix
// product. Built with -DORDINAL_MICRO=ON where Google Benchmark is installed (libbenchmark-dev); run
// build/bin/kernels.
#include <benchmark/benchmark.h>

#include "framework/core/blas.h"
#include "framework/core/vector_math.h"
#include "framework/layers/attention.h"
#include "framework/layers/cross_entropy.h"
#include "framework/layers/norms.h"
#include "framework/optimize/optimizer.h"

// The loops of Google Benchmark never read their variable.
// NOLINTBEGIN(clang-analyzer-deadcode.DeadStores)
namespace ordinal {
namespace {

using ::benchmark::State;

constexpr Index rows = 1024;
constexpr Index cols = 256;

Tensor<float> normal_tensor(Index r, Index c) {
  Tensor<float> x({r, c});
  Random random({.seed = 1});
  for (float& value : x.span()) value = static_cast<float>(random.normal());
  return x;
}

void count(State& state, Index items, double flops = 0.0) {
  state.SetItemsProcessed(state.iterations() * items);
  if (flops > 0.0) {
    state.counters["FLOPs"] = ::benchmark::Counter(flops, ::benchmark::Counter::kIsIterationInvariantRate,
                                                   ::benchmark::Counter::kIs1000);
  }
}

void limit_copy(State& state) {  // elements of float read and written, in the cache or far larger than it
  const Tensor<float> from = normal_tensor(state.range(0), 1024);
  Tensor<float> to({state.range(0), 1024});
  for (auto _ : state) {
    std::copy(from.span().begin(), from.span().end(), to.data());
    ::benchmark::DoNotOptimize(to.data());
    ::benchmark::ClobberMemory();
  }
  count(state, from.size());
}
BENCHMARK(limit_copy)->Arg(128)->Arg(32768);

void limit_product(State& state) {
  const Index n = state.range(0);
  const Tensor<float> a = normal_tensor(n, n);
  Tensor<float> c({n, n});
  for (auto _ : state) multiply<float>(a.view(), a.view(), c.view());
  count(state, n * n, 2.0 * static_cast<double>(n * n * n));
}
BENCHMARK(limit_product)->Arg(64)->Arg(512);

void softmax(State& state) {
  const Tensor<float> x = normal_tensor(rows, cols);
  Tensor<float> y({rows, cols});
  for (auto _ : state) {
    for (Index r = 0; r < rows; ++r) {
      const float total =
          vmath::exp_shifted(x.view().row(r), vmath::max(x.view().row(r), cols), y.view().row(r), cols);
      vmath::scale(1.0F / total, y.view().row(r), cols);
    }
    ::benchmark::ClobberMemory();
  }
  count(state, x.size());
}
BENCHMARK(softmax);

void gelu(State& state) {
  const Tensor<float> x = normal_tensor(rows, cols);
  Tensor<float> y({rows, cols});
  for (auto _ : state) {
    vmath::gelu(x.data(), y.data(), x.size());
    ::benchmark::ClobberMemory();
  }
  count(state, x.size());
}
BENCHMARK(gelu);

void gelu_backward(State& state) {
  const Tensor<float> x = normal_tensor(rows, cols);
  Tensor<float> dx({rows, cols});
  for (auto _ : state) {
    vmath::gelu_backward(x.data(), x.data(), dx.data(), x.size());
    ::benchmark::ClobberMemory();
  }
  count(state, x.size());
}
BENCHMARK(gelu_backward);

void cross_entropy_backward(State& state) {
  const Tensor<float> logits = normal_tensor(rows, cols);
  Tensor<float> d_logits({rows, cols});
  const std::vector<Token> targets(static_cast<std::size_t>(rows), Token{3});
  for (auto _ : state) {
    ::benchmark::DoNotOptimize(cross_entropy_backward<float>(
        logits.view(), targets, 1.0F / static_cast<float>(rows), d_logits.view()));
  }
  count(state, logits.size());
}
BENCHMARK(cross_entropy_backward);

void adamw(State& state) {
  ParameterLayout layout;
  layout.add("weight", {rows, cols}, normal(0.02));
  Parameters<float> values(layout);
  Parameters<float> gradients(layout);
  initialize(values, 1);
  initialize(gradients, 2);
  Threads one(1);
  AdamW<float> optimizer({}, layout);
  Index step = 0;
  for (auto _ : state) optimizer.step(values, gradients, 1.0, 1e-3, step++, one);
  count(state, rows * cols);
}
BENCHMARK(adamw);

/// A layer on `batch` sequences: forward only, or forward and backward.
template <typename BuiltLayer>
void run_layer(State& state, const BuiltLayer& layer, const ParameterLayout& layout, Index batch,
               Index seq_len, bool backward, double flops) {
  Parameters<float> values(layout);
  Parameters<float> gradients(layout);
  initialize(values, 1);
  const Tensor<float> x = normal_tensor(batch * seq_len, layer.input_width());
  Pass<float> pass(values, &gradients);
  for (auto _ : state) {
    pass.begin({.positions = Positions::contiguous(batch, seq_len), .record = backward});
    const View<const float> y = layer.forward(x.view(), pass);
    if (backward) layer.backward(y, pass);
  }
  count(state, x.size(), flops);
}

void layer_norm(State& state) {
  ParameterLayout layout;
  const LayerNorm<float> norm(cols, NormOptions(), Scope(layout, "norm"));
  run_layer(state, norm, layout, 1, rows, state.range(0) != 0, 0.0);
}
BENCHMARK(layer_norm)->ArgName("backward")->Arg(0)->Arg(1);

// FLOPs of the projections and of the visible half of the scores; forward and backward count three times.
void attention(State& state) {
  constexpr Index d = 128;
  const Index seq_len = state.range(0);
  const Index batch = 1024 / seq_len;
  const bool backward = state.range(1) != 0;
  ParameterLayout layout;
  const auto none = make_positional_encoding<float>({.name = "none"}, Scope(layout, "positional"));
  const SelfAttention<float> layer({.d_model = d, .heads = 4, .n_kv_heads = 4}, *none,
                                   Scope(layout, "attention"));
  const double forward_flops = 1024.0 * (8.0 * d * d + 2.0 * static_cast<double>(seq_len * d));
  run_layer(state, layer, layout, batch, seq_len, backward, (backward ? 3.0 : 1.0) * forward_flops);
}
BENCHMARK(attention)->ArgNames({"seq_len", "backward"})->ArgsProduct({{64, 256, 1024}, {0, 1}});

}  // namespace
}  // namespace ordinal
// NOLINTEND(clang-analyzer-deadcode.DeadStores)

BENCHMARK_MAIN();
