// CoPE at lengths where counts run into the thousands.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
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
    Random random({.seed = 7});
    const auto fill = [&](std::span<T> span) {
      for (T& value : span) value = static_cast<T>(static_cast<float>(random.normal()));
    };
    rig.over(keys);
    fill(rig.values().flat());
    fill(rig.query.span());
    fill(rig.key.span());
    fill(d_scores.span());
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

}  // namespace
}  // namespace ordinal
