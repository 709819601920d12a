#include "framework/math/blas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <vector>

#include "framework/core/random.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

struct Size {
  Index m, k, n;
};

template <typename T>
class Products : public ::testing::Test {
 protected:
  // A (rows, cols) view into a wider tensor.
  View<T> strided(Tensor<T>& memory, Index rows, Index cols) {
    memory = Tensor<T>({rows, cols + 3});
    for (T& value : memory.span()) value = static_cast<T>(random_.below(17)) - T(8);
    return memory.view().col_range(2, cols);
  }

  // 2 A B + keep C against the naive loop.
  void expect_product(const Size& size, bool a_transposed, bool b_transposed, T keep) {
    const auto [m, k, n] = size;
    Tensor<T> a_memory;
    Tensor<T> b_memory;
    Tensor<T> c_memory;
    const View<T> a = a_transposed ? strided(a_memory, k, m) : strided(a_memory, m, k);
    const View<T> b = b_transposed ? strided(b_memory, n, k) : strided(b_memory, k, n);
    const View<T> c = strided(c_memory, m, n);
    const Tensor<T> before = c_memory;
    multiply<T>(Factor<T>(a, a_transposed), Factor<T>(b, b_transposed), c, T(2), keep);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        T expected = keep * before(i, j + 2);
        for (Index l = 0; l < k; ++l) {
          expected += T(2) * (a_transposed ? a(l, i) : a(i, l)) * (b_transposed ? b(j, l) : b(l, j));
        }
        ASSERT_EQ(c(i, j), expected);
      }
    }
    ASSERT_EQ(c_memory(0, 0), before(0, 0));  // columns outside the view are untouched
  }

  Random random_{{.seed = 1}};
};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Products, Scalars);

// Ones, whole and broken vectors, and products so large that they are cut into blocks and panels: just as many rows, terms and
// columns as a block of each has, one fewer and one more. A transposed factor is copied from 129 rows or 129 columns apart on.
std::vector<Size> sizes() {
  std::vector<Size> result{{1003, 48, 64}, {64, 1003, 48}, {70, 300, 130}, {1100, 20, 1100},
                           {47, 255, 127}, {48, 256, 128}, {49, 257, 129}, {6, 64, 64},
                           {7, 65, 65},    {125, 128, 16}, {126, 129, 16}};
  for (const Index m : {1, 3, 16}) {
    for (const Index k : {1, 5, 32}) {
      for (const Index n : {1, 4, 33}) result.push_back({m, k, n});
    }
  }
  return result;
}

// Small whole numbers, so that every product is exact in both precisions.
TYPED_TEST(Products, OfStridedAndTransposedViewsEqualTheNaiveLoop) {
  for (const auto size : sizes()) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        for (const int keep : {0, 1, 3}) {
          ASSERT_NO_FATAL_FAILURE(
              this->expect_product(size, a_transposed, b_transposed, static_cast<TypeParam>(keep)));
        }
      }
    }
  }
}

TYPED_TEST(Products, WithABiasStartFromItInEachRow) {
  using T = TypeParam;
  std::array<Tensor<T>, 4> memory;
  for (const auto [m, k, n] : sizes()) {
    const View<T> a = this->strided(memory[0], m, k);
    const View<T> b = this->strided(memory[1], k, n);
    const View<T> bias = this->strided(memory[2], 1, n);
    const View<T> c = this->strided(memory[3], m, n);
    Tensor<T> expected({m, n});
    for (Index i = 0; i < m; ++i) copy_rows<T>(bias, expected.view().row_range(i, 1));
    multiply_add<T>(a, b, expected.view());
    multiply_with_bias<T>(a, b, bias.data, c);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) ASSERT_EQ(c(i, j), expected(i, j)) << m << ' ' << k << ' ' << n;
    }
  }
}

// Of numbers that are rounded, other than above.
TYPED_TEST(Products, AreThoseOfOpenBlas) {
  using T = TypeParam;
  std::array<Tensor<T>, 2> memory;
  for (const auto [m, k, n] : sizes()) {
    for (const bool is_transposed : {false, true}) {
      const View<T> a = this->strided(memory[0], is_transposed ? k : m, is_transposed ? m : k);
      const View<T> b = this->strided(memory[1], k, n);
      for (T& x : memory[0].span()) x = x / T(3);
      Tensor<T> own({m, n});
      Tensor<T> expected({m, n});
      multiply<T>(Factor<T>(a, is_transposed), b, own.view());
      multiply_by_openblas<T>(Factor<T>(a, is_transposed), b, expected.view());
      const T error = std::numeric_limits<T>::epsilon() * T(64) * static_cast<T>(k);
      for (Index i = 0; i < own.size(); ++i) ASSERT_NEAR(own.data()[i], expected.data()[i], error);
    }
  }
}

// The diagonals of attention, for queries after any number of keys, and some beyond either edge.
TYPED_TEST(Products, MayLeaveOutTheZerosOfATriangle) {
  using T = TypeParam;
  std::array<Tensor<T>, 2> memory;
  for (const auto [m, k, n] : sizes()) {
    for (const Index diagonal : {-3, 0, 7, 64, 300}) {
      for (const bool is_transposed : {false, true}) {
        const View<T> a = is_transposed ? this->strided(memory[0], k, m) : this->strided(memory[0], m, k);
        const View<T> b = this->strided(memory[1], k, n);
        for (Index r = 0; r < a.rows; ++r) {
          for (Index c = std::max<Index>(0, r + diagonal + 1); c < a.cols; ++c) a(r, c) = T(0);
        }
        for (const int keep : {0, 1}) {
          Tensor<T> whole({m, n});
          std::ranges::fill(whole.span(), T(5));
          Tensor<T> part = whole;
          const Factor<T> left(a, is_transposed);
          multiply<T>(left, b, whole.view(), T(2), T(keep));
          multiply<T>(left, b, part.view(), T(2), T(keep), {Triangle::Of::left, diagonal});
          ASSERT_TRUE(std::ranges::equal(part.span(), whole.span()))
              << m << ' ' << k << ' ' << n << ", diagonal " << diagonal;
        }
      }
    }
  }
}

TYPED_TEST(Products, HaveNumbersLeftOfADiagonalAndUpToAMultipleOf16) {
  using T = TypeParam;
  std::array<Tensor<T>, 2> memory;
  for (const auto [m, k, n] : sizes()) {
    for (const Index diagonal : {0, 7, 64, 300}) {
      const View<T> a = this->strided(memory[0], m, k);
      const View<T> b = this->strided(memory[1], k, n);
      Tensor<T> whole({m, n});
      Tensor<T> part({m, n});
      std::ranges::fill(part.span(), std::numeric_limits<T>::quiet_NaN());
      multiply<T>(a, b, whole.view());
      multiply<T>(a, b, part.view(), T(1), T(0), {Triangle::Of::result, diagonal});
      for (Index i = 0; i < m; ++i) {
        const Index numbers = std::min(n, (i + diagonal) / 16 * 16 + 16);
        for (Index j = 0; j < numbers; ++j) ASSERT_EQ(part(i, j), whole(i, j)) << m << ' ' << k << ' ' << n;
      }
    }
  }
}

TYPED_TEST(Products, TransposeOfAStridedView) {
  using T = TypeParam;
  Tensor<T> x_memory;
  Tensor<T> y_memory;
  const View<T> x = this->strided(x_memory, 19, 7);
  const View<T> y = this->strided(y_memory, 7, 19);
  transpose<T>(x, y);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) ASSERT_EQ(y(j, i), x(i, j));
  }
}

TEST(Multiply, ShapesThatDoNotFitAreNamed) {
  Tensor<float> a({2, 3});
  Tensor<float> b({4, 5});
  Tensor<float> c({2, 5});
  EXPECT_THAT(message_of<std::invalid_argument>([&] { multiply<float>(a.view(), b.view(), c.view()); }),
              HasSubstr("got a (2, 3), b (4, 5), c (2, 5)"));
}

// Slow, so that it runs in a process of its own with as many threads of OpenBLAS as users get.
TEST(BlasThreadsSlow, EndWithTheFirstProduct) {
  std::vector<float> x(4, 1.0F);
  std::vector<float> y(4);
  multiply<float>(View<const float>{x.data(), 2, 2}, View<const float>{x.data(), 2, 2},
                  View<float>{y.data(), 2, 2});
  const std::filesystem::directory_iterator threads("/proc/self/task");
  EXPECT_EQ(std::distance(begin(threads), end(threads)), 1);
}

TEST(BlasInfo, NamesVersionKernelAndThreading) {
  const BlasInfo info = blas_info();
  EXPECT_THAT(info.version, HasSubstr("OpenBLAS 0."));
  EXPECT_FALSE(info.kernel.empty());
  EXPECT_THAT(info.threading, ::testing::AnyOf("pthreads", "OpenMP", "serial"));
}

}  // namespace
}  // namespace ordinal
