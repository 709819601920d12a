#include "framework/core/tensor.h"
#include "tests/message_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include <algorithm>
#include <stdexcept>

namespace ordinal {
namespace {

TEST(ElementCount, IsTheProductUnlessItOverflows) {
  constexpr Index largest = std::numeric_limits<Index>::max();
  EXPECT_EQ(checked_element_count({2, 3}), 6);
  EXPECT_EQ(checked_element_count({}), 1);
  EXPECT_EQ(checked_element_count({largest / 8}), largest / 8);
  EXPECT_EQ(checked_element_count({largest / 8 + 1}), std::nullopt);
  EXPECT_EQ(checked_element_count({0, 4}), 0);
  EXPECT_EQ(checked_element_count({4, 0}), 0);
  // The product is 2^64 + 4, which wraps to 4.
  EXPECT_EQ(checked_element_count({4194305, 4194305, 211106198978564}), std::nullopt);
  EXPECT_EQ(checked_element_count({0, largest, largest}), std::nullopt);
  EXPECT_EQ(checked_element_count({largest, largest, 0}), std::nullopt);
  EXPECT_EQ(checked_element_count({-1, 0}), std::nullopt);
}

TEST(Tensor, StartsAtZeroAndIsAligned) {
  const Tensor<float> tensor({3, 5, 7});
  EXPECT_EQ(tensor.size(), 105);
  EXPECT_TRUE(std::ranges::all_of(tensor.span(), [](float v) { return v == 0.0F; }));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U);
}

TEST(Tensor, ViewFoldsTheLeadingDimensionsIntoRows) {
  Tensor<double> tensor({2, 3, 4});
  EXPECT_EQ(tensor.view().rows, 6);
  EXPECT_EQ(tensor.view().cols, 4);
  tensor(5, 3) = 1.0;
  EXPECT_EQ(tensor.span().back(), 1.0);
}

TEST(Tensor, CopiesAreDeep) {
  Tensor<double> first({2});
  const Tensor<double> second = first;
  first.data()[0] = 1.0;
  EXPECT_EQ(second.data()[0], 0.0);
}

TEST(Tensor, RefusesImpossibleShapes) {
  EXPECT_THROW(Tensor<float>({2, -1}), std::invalid_argument);
  const std::vector<float> values(5);
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                Tensor<float>({2, 3}, values);
              }),
              "Tensor of shape (2, 3): got 5 values, expected 6");
}

TEST(View, RangesOfRowsAndColumnsStayInPlace) {
  Tensor<float> tensor({4, 6});
  const View<float> part = tensor.view().row_range(1, 2).col_range(3, 2);
  part(1, 1) = 5.0F;
  EXPECT_EQ(tensor(2, 4), 5.0F);
}

#ifdef ORDINAL_BOUNDS_CHECKS
TEST(View, RefusesWhatLiesOutside) {
  Tensor<float> tensor({4, 6});
  const View<float> view = tensor.view();
  EXPECT_THAT(message_of<std::logic_error>([&] { view.row(4); }),
              "View: got row [4, 5), expected within [0, 4)");
  EXPECT_THROW(view.row(-1), std::logic_error);
  EXPECT_THROW(view(4, 0), std::logic_error);
  EXPECT_THROW(view(0, 6), std::logic_error);
  EXPECT_THROW(view(0, -1), std::logic_error);
  EXPECT_THROW(tensor(3, 6), std::logic_error);
  EXPECT_THROW(view.row_range(2, 3), std::logic_error);
  EXPECT_THROW(view.row_range(5, 0), std::logic_error);
  EXPECT_THROW(view.row_range(1, -1), std::logic_error);
  EXPECT_THROW(view.col_range(6, 1), std::logic_error);
  EXPECT_THROW(view.col_range(-1, 2), std::logic_error);
}

TEST(View, AnEmptyRangeMayStandAtTheEnd) {
  Tensor<float> tensor({4, 6});
  EXPECT_EQ(tensor.view().row_range(4, 0).rows, 0);
  EXPECT_EQ(tensor.view().col_range(6, 0).cols, 0);
}
#endif

}  // namespace
}  // namespace ordinal
