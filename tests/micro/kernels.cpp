// Micro-benchmarks of matrix products, own and of OpenBLAS, next to the limit of the machine, a memory copy. Built with
// -DORDINAL_MICRO=ON where Google Benchmark is installed (libbenchmark-dev); run build/bin/kernels.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <utility>

#include "framework/core/random.h"
#include "framework/core/tensor.h"
#include "framework/math/blas.h"
#include "framework/math/gemm.h"

// The loops of Google Benchmark never read their variable.
// NOLINTBEGIN(clang-analyzer-deadcode.DeadStores)
namespace ordinal {
namespace {

using ::benchmark::State;

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

}  // namespace
}  // namespace ordinal
// NOLINTEND(clang-analyzer-deadcode.DeadStores)

BENCHMARK_MAIN();
