// muon: steps of hidden matrices whose singular values are near one; AdamW for all other parameters.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "framework/math/blas.h"
#include "framework/math/vector_math.h"
#include "framework/optimize/adamw.h"
#include "framework/optimize/optimizer.h"

namespace ordinal {
namespace {

struct MuonOptions {
  double momentum = 0.95;
  Index iterations = 5;
  AdamWOptions adamw = {};

  void visit(OptionVisitor& v) {
    v.number("momentum", momentum, below_one(), "decay of the mean gradient of hidden matrices",
             Binds::training);
    v.integer("iterations", iterations, between(1, 20), "of Newton and Schulz", Binds::training);
    adamw.visit(v);
  }
};

/// A matrix in the flat block of parameters, with memory for its steps: X and Y (m, n), A and B (m, m), where m ≤ n.
template <typename T>
struct HiddenMatrix {
  HiddenMatrix(Index first_, Index rows_, Index cols_)
      : first(first_),
        rows(rows_),
        cols(cols_),
        m(std::min(rows, cols)),
        n(std::max(rows, cols)),
        memory(static_cast<std::size_t>(2 * m * (n + m))) {}

  bool is_tall() const { return rows > cols; }
  View<T> x() { return {memory.data(), m, n}; }
  View<T> y() { return {memory.data() + m * n, m, n}; }
  View<T> a() { return {memory.data() + 2 * m * n, m, m}; }
  View<T> b() { return {memory.data() + 2 * m * n + m * m, m, m}; }

  Index first, rows, cols;
  Index m, n;
  AlignedBuffer<T> memory;
};

/// X ← X/‖X‖, then `iterations` times X ← a X + (b A + c A²) X with A = X Xᵀ, which brings the singular values of X near 1 (0.7 to
/// 1.2 after 5). Jordan et al. 2024. Returns the view that holds the result: x or y.
template <typename T>
View<T> orthogonalized(HiddenMatrix<T>& matrix, Index iterations) {
  constexpr std::array<T, 3> c = {T(3.4445), T(-4.7750), T(2.0315)};
  constexpr T least_norm = T(1e-7);  // PyTorch's
  View<T> x = matrix.x();
  View<T> y = matrix.y();
  const View<T> a = matrix.a();
  const View<T> b = matrix.b();
  const T norm = std::sqrt(vmath::dot(x.data, x.data, x.size()));
  vmath::scale(T(1) / std::max(norm, least_norm), x.data, x.size());
  for (Index i = 0; i < iterations; ++i) {
    multiply<T>(x, transposed(x), a);
    std::copy_n(a.data, a.size(), b.data);
    multiply<T>(a, a, b, c[2], c[1]);
    for (Index r = 0; r < b.rows; ++r) b(r, r) += c[0];
    multiply<T>(b, x, y);
    std::swap(x, y);
  }
  return x;
}

/// Muon in PyTorch's form, with the step size of Liu et al. 2025 (arXiv 2502.16982), whose root mean square is about that of AdamW's,
/// so both take the same learning rate. For a hidden matrix W (rows, cols), with M = 0 at the start and NS as above:
///   M ← μ M + (1 - μ) G        W ← (1 - η λ) W - η · 0.2 √max(rows, cols) · NS((1 - μ) G + μ M)
template <typename T>
class Muon final : public Optimizer<T> {
 public:
  Muon(const MuonOptions& options, const ParameterLayout& layout)
      : options_(options), adamw_(options.adamw, layout) {
    const std::vector<ParameterRange> ranges = parameter_ranges(layout);
    std::ranges::copy_if(ranges, std::back_inserter(others_),
                         [](const auto& range) { return !range.hidden; });
    for (const ParameterSpec& spec : layout.specs()) {
      Index first = spec.slot.offset;
      for (const Index rows : spec.use.matrices) {
        matrices_.emplace_back(first, rows, spec.slot.cols);
        first += rows * spec.slot.cols;
      }
    }
  }

  void step(Parameters<T>& values, const Parameters<T>& gradients, double gradient_scale,
            double learning_rate, Index step, Threads& threads) override {
    check_layout(adamw_.mean(), values, gradients);
    const Index matrices = std::ssize(matrices_);
    threads.run(matrices + std::ssize(others_), [&](Index task) {
      if (task < matrices) {
        update(matrices_[static_cast<std::size_t>(task)], values.flat().data(), gradients.flat().data(),
               gradient_scale, learning_rate);
      } else {
        adamw_.update(others_[static_cast<std::size_t>(task - matrices)], values.flat().data(),
                      gradients.flat().data(), gradient_scale, learning_rate, step);
      }
    });
  }

  std::vector<typename Optimizer<T>::State> state() override {
    return {{"m", &adamw_.mean()}, {"v", &adamw_.square()}};  // v stays 0 for hidden matrices
  }

 private:
  void update(HiddenMatrix<T>& matrix, T* values, const T* gradients, double gradient_scale,
              double learning_rate) {
    add_to_mean(matrix, gradients + matrix.first, gradient_scale);
    View<T> step = orthogonalized(matrix, options_.iterations);
    if (matrix.is_tall()) {
      const View<T> other = step.data == matrix.x().data ? matrix.y() : matrix.x();
      const View<T> turned(other.data, matrix.rows, matrix.cols);
      transpose<T>(step, turned);
      step = turned;
    }
    const T size = static_cast<T>(learning_rate * 0.2 * std::sqrt(static_cast<double>(matrix.n)));
    const T decay = static_cast<T>(1.0 - learning_rate * options_.adamw.weight_decay);
    T* value = values + matrix.first;
#pragma omp simd
    for (Index i = 0; i < step.size(); ++i) value[i] = decay * value[i] - size * step.data[i];
  }

  // Leaves (1 - μ) G + μ M, or its transpose if it is tall, in the matrix's x.
  void add_to_mean(HiddenMatrix<T>& matrix, const T* gradient, double gradient_scale) {
    const T scale = static_cast<T>(gradient_scale);
    const T mu = static_cast<T>(options_.momentum);
    const T rest = static_cast<T>(1.0 - options_.momentum);
    T* mean = adamw_.mean().flat().data() + matrix.first;
    const View<T> sum(matrix.is_tall() ? matrix.y().data : matrix.x().data, matrix.rows, matrix.cols);
#pragma omp simd
    for (Index i = 0; i < sum.size(); ++i) {
      const T g = rest * (scale * gradient[i]);
      mean[i] = mu * mean[i] + g;
      sum.data[i] = mu * mean[i] + g;
    }
    if (matrix.is_tall()) transpose<T>(sum, matrix.x());
  }

  MuonOptions options_;
  std::vector<HiddenMatrix<T>> matrices_;
  std::vector<ParameterRange> others_;
  AdamWState<T> adamw_;  // m also holds the means of hidden matrices
};

}  // namespace

OptimizerEntry muon_optimizer() {
  return describe_optimizer<Muon, MuonOptions>(
      {.name = "muon",
       .summary = "steps of hidden matrices are made orthogonal, AdamW for all else; Jordan et al. 2024",
       .needs_matrices = true});
}

}  // namespace ordinal
