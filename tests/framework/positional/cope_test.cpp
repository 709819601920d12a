// CoPE at lengths where counts run into the thousands.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "tests/framework/positional/rig.h"

namespace ordinal {
namespace {

constexpr Index keys = 2048;
constexpr Index rows = 64;  // the last queries: each counts over almost all keys
constexpr Index query_size = 8;

// The results of the hooks of one head for equal inputs in both precisions.
template <typename T>
struct Outcome {
  explicit Outcome(bool with_nan = false)
      : rig("cope", {.d_model = query_size, .heads = 1, .layers = 1, .train_length = keys}) {
    rig.over(keys).randomize(7);
    testing::randomize(rig.query.span(), 8);
    testing::randomize(rig.key.span(), 9);
    testing::randomize(d_scores.span(), 10);
    const testing::BlockAt last{.first = keys - rows,
                                .scale = 1.0 / std::sqrt(static_cast<double>(query_size))};
    if (with_nan) rig.query(last.first, 0) = std::numeric_limits<T>::quiet_NaN();
    scores = rig.scores(last);
    rig->encode_scores_backward(rig.block(last), {d_scores.view(), d_query.view(), d_key.view()}, rig.pass());
  }

  testing::Rig<T> rig;
  Tensor<T> scores;
  Tensor<T> d_scores{{rows, keys}};
  Tensor<T> d_query{{rows, query_size}};
  Tensor<T> d_key{{keys, query_size}};
};

// ‖a - b‖ / ‖b‖
double relative_difference(std::span<const float> a, std::span<const double> b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

// With sums in float: 5e-4 for scores and table, 2e-2 for queries and keys. Gradients of these jump where a count
// passes a whole number, so one count that rounds to the other side costs up to 1e-3.
TEST(Cope, FloatFollowsDoubleOverLongCounts) {
  Outcome<float> in_float;
  Outcome<double> in_double;
  EXPECT_LT(relative_difference(in_float.scores.span(), in_double.scores.span()), 1e-5);
  EXPECT_LT(relative_difference(in_float.d_query.span(), in_double.d_query.span()), 5e-3);
  EXPECT_LT(relative_difference(in_float.d_key.span(), in_double.d_key.span()), 5e-3);
  EXPECT_LT(relative_difference(in_float.rig.gradients().flat(), in_double.rig.gradients().flat()), 1e-5);
}

// A model that diverges has counts that are no numbers, and so no rows of the table.
TEST(Cope, ANaNStaysInItsRowAndReadsNothingElse) {
  const Outcome<float> whole;
  const Outcome<float> broken(true);
  for (Index r = 0; r < rows; ++r) {
    for (Index j = 0; j <= keys - rows + r; ++j) {
      if (r == 0) {
        ASSERT_TRUE(std::isnan(broken.scores.view()(r, j))) << j;
      } else {
        ASSERT_EQ(broken.scores.view()(r, j), whole.scores.view()(r, j)) << r << " " << j;
      }
    }
  }
}

// Gates of 1 count every key, so a count is a whole number n, up to the last row of the table. The term between the rows n and
// n + 1 is then that of row n, but is computed from both.
TEST(Cope, CountsEveryKeyWhereGatesAreSaturated) {
  constexpr Index positions = 100;
  const double scale = 1.0 / std::sqrt(static_cast<double>(query_size));
  testing::Rig<float> rig("cope",
                          {.d_model = query_size, .heads = 1, .layers = 1, .train_length = positions});
  rig.randomize(7);
  const View<const float> table = rig.value("cope.0.table");
  for (Index length = 1; length < 140; ++length) {
    rig.poison();
    rig.over(length);
    std::ranges::fill(rig.query.span(), 10.0F);
    std::ranges::fill(rig.key.span(), 10.0F);
    const Tensor<float> scores = rig.scores({.scale = scale});
    const Tensor<float> d_scores = testing::ones<float>({length, length});
    Tensor<float> d_query({length, query_size});
    Tensor<float> d_key({length, query_size});
    rig->encode_scores_backward(rig.block({.scale = scale}), {d_scores.view(), d_query.view(), d_key.view()},
                                rig.pass());
    for (Index i = 0; i < length; ++i) {
      std::array<double, query_size> d{};
      for (Index j = 0; j <= i; ++j) {
        const float* row = table.row(std::min(i - j + 1, positions - 1));
        for (Index c = 0; c < query_size; ++c)
          d[static_cast<std::size_t>(c)] += scale * static_cast<double>(row[c]);
        ASSERT_NEAR(scores(i, j), scale * 10.0 * std::accumulate(row, row + query_size, 0.0), 1e-4)
            << i << " " << j;
      }
      for (Index c = 0; c < query_size; ++c) {
        ASSERT_NEAR(d_query(i, c), d[static_cast<std::size_t>(c)], 1e-3) << i << " of " << length;
        ASSERT_EQ(d_key(i, c), 0.0F) << i << " of " << length;
      }
    }
  }
}

}  // namespace
}  // namespace ordinal
