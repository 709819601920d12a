// What encodings keep for a run.
#include "framework/positional/run_rows.h"
#include "tests/message_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace ordinal {
namespace {

using ::testing::HasSubstr;

class KeptRows : public ::testing::Test {
 protected:
  void begin(bool record) { pass_.begin({.positions = Positions::contiguous(1, 2), .record = record}); }

  ParameterLayout layout_;
  RunRows<double> rows_{Scope(layout_, "encoding")};
  Parameters<double> values_{layout_};
  Parameters<double> gradients_{layout_};
  Pass<double> pass_{values_, &gradients_};
};

TEST_F(KeptRows, LastForTheRun) {
  const auto refused = HasSubstr("calls begin_run() of its encoding");
  begin(true);
  EXPECT_THAT(message_of<std::logic_error>([&] { rows_.of_run(pass_); }), refused);
  const View<double> x = pass_.allocate(2, 3);
  rows_.keep(x, pass_, 3);
  EXPECT_EQ(rows_.of_run(pass_).data, x.data);
  begin(true);
  EXPECT_THAT(message_of<std::logic_error>([&] { rows_.of_run(pass_); }), refused);
  EXPECT_THAT(message_of<std::logic_error>([&] { rows_.gradient(pass_); }), refused);
}

TEST_F(KeptRows, HaveASumOfGradientsIfTheRunIsRecorded) {
  begin(true);
  rows_.keep(pass_.allocate(2, 3), pass_, 5);
  const View<double> sum = rows_.gradient(pass_);
  EXPECT_EQ(sum.rows, 2);
  EXPECT_EQ(sum.cols, 5);
  EXPECT_TRUE(std::all_of(sum.data, sum.data + sum.size(), [](double x) { return x == 0.0; }));
  begin(false);
  rows_.keep(pass_.allocate(2, 3), pass_, 5);
  EXPECT_THROW(rows_.gradient(pass_), std::logic_error);
}

}  // namespace
}  // namespace ordinal
