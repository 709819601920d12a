// Micro-benchmarks of the kernels, next to the limits of the machine: a memory copy and a large matrix
// product. Built with -DORDINAL_MICRO=ON where Google Benchmark is installed (libbenchmark-dev); run
// build/bin/kernels.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <utility>

#include "framework/attention/attention.h"
#include "framework/layers/cross_entropy.h"
#include "framework/math/blas.h"
#include "framework/math/functions.h"
#include "framework/math/gemm.h"
#include "framework/math/vector_math.h"
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

// The products of a step, own and of OpenBLAS. Arguments: m, n, k, and which factor is
// transposed (0 none, 1 the right, 2 the left).
struct ProductFactors {
  explicit ProductFactors(State& state)
      : left(state.range(3) == 2 ? normal_tensor(state.range(2), state.range(0))
                                 : normal_tensor(state.range(0), state.range(2))),
        right(state.range(3) == 1 ? normal_tensor(state.range(1), state.range(2))
                                  : normal_tensor(state.range(2), state.range(1))),
        result({state.range(0), state.range(1)}),
        a(std::as_const(left).view(), state.range(3) == 2),
        b(std::as_const(right).view(), state.range(3) == 1) {}

  Tensor<float> left, right, result;
  Factor<float> a, b;
};

void count_product(State& state) {
  count(state, state.range(0) * state.range(1),
        2.0 * static_cast<double>(state.range(0) * state.range(1) * state.range(2)));
}

void product_own(State& state) {
  ProductFactors of(state);
  for (auto _ : state) multiply_floats(of.a, of.b, of.result.view(), 1.0F, {}, {});
  count_product(state);
}

void product_openblas(State& state) {
  ProductFactors of(state);
  openblas_set_num_threads(1);
  const auto order = [](const Factor<float>& f) { return f.transposed ? CblasTrans : CblasNoTrans; };
  const auto n = [](Index size) { return static_cast<blasint>(size); };
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, order(of.a), order(of.b), n(state.range(0)), n(state.range(1)),
                n(state.range(2)), 1.0F, of.left.data(), n(of.a.view.stride), of.right.data(),
                n(of.b.view.stride), 0.0F, of.result.data(), n(state.range(1)));
  }
  count_product(state);
}

void product_shapes(::benchmark::internal::Benchmark* of) {
  of->ArgNames({"m", "n", "k", "transposed"});
  for (const Index d : {64, 128, 256, 512}) {  // the linear layers of a step of 1,024 tokens
    for (const auto& [in, out] : {std::pair<Index, Index>(d, 3 * d), {d, 4 * d}, {4 * d, d}}) {
      of->Args({1024, out, in, 1})->Args({1024, in, out, 0})->Args({out, in, 1024, 2});
    }
  }
  for (const Index d_head :
       {16, 32, 64}) {  // a block of queries: scores, their mix, and the gradient of the keys
    of->Args({64, 128, d_head, 0})->Args({64, d_head, 128, 0})->Args({128, d_head, 64, 2});
  }
  for (const Index m : {1, 4, 8, 16})
    of->Args({m, 256, 256, 1})->Args({m, 256, 256, 0})->Args({256, m, 256, 0});
  for (const Index n : {512, 1024}) of->Args({n, n, n, 0});
}
BENCHMARK(product_own)->Apply(product_shapes);
BENCHMARK(product_openblas)->Apply(product_shapes);

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
    for (Index i = 0; i < x.size(); ++i) y.data()[i] = vmath::Gelu<float>::value(x.data()[i]);
    ::benchmark::ClobberMemory();
  }
  count(state, x.size());
}
BENCHMARK(gelu);

void gelu_backward(State& state) {
  const Tensor<float> x = normal_tensor(rows, cols);
  Tensor<float> dx({rows, cols});
  for (auto _ : state) {
    for (Index i = 0; i < x.size(); ++i)
      dx.data()[i] = vmath::Gelu<float>::backward(x.data()[i], x.data()[i]);
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
  const auto optimizer = make_optimizer<float>("adamw", layout);
  Index step = 0;
  for (auto _ : state) optimizer->step(values, gradients, 1.0, 1e-3, step++, one);
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
  const auto norm = make_layer<float>(LayerKind::norm, "layernorm", {.width = cols}, Scope(layout, "norm"));
  run_layer(state, *norm, layout, 1, rows, state.range(0) != 0, 0.0);
}
BENCHMARK(layer_norm)->ArgName("backward")->Arg(0)->Arg(1);

// FLOPs of the projections and of the visible half of the scores; forward and backward count three times.
void attention(State& state) {
  constexpr Index d = 128;
  const Index seq_len = state.range(0);
  const Index batch = 1024 / seq_len;
  const bool backward = state.range(1) != 0;
  ParameterLayout layout;
  const auto none = make_positional_encoding<float>("none", {}, Scope(layout, "positional"));
  const SelfAttention<float> layer({.shape = {.d_model = d}, .encoding = none.get()}, {},
                                   Scope(layout, "attention"));
  const double forward_flops = 1024.0 * (8.0 * d * d + 2.0 * static_cast<double>(seq_len * d));
  run_layer(state, layer, layout, batch, seq_len, backward, (backward ? 3.0 : 1.0) * forward_flops);
}
BENCHMARK(attention)->ArgNames({"seq_len", "backward"})->ArgsProduct({{64, 256, 1024}, {0, 1}});

}  // namespace
}  // namespace ordinal
// NOLINTEND(clang-analyzer-deadcode.DeadStores)

BENCHMARK_MAIN();
