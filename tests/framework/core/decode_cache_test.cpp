// State that layers carry from token to token.
#include "framework/core/decode_cache.h"
#include "tests/message_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Index batch = 2;
constexpr Index capacity = 5;

// One state with a row of three numbers for each token, and one of two rows of four.
class Cache : public ::testing::Test {
 protected:
  Cache()
      : tokens_(layout_.add_state({.cols = 3})),
        fixed_(Scope(layout_, "layer").add_state({.rows = 2, .cols = 4})),
        cache_(layout_, batch, capacity) {}

  // A run over `count` new tokens; the row of token t of sequence b is (10 b + t, …).
  void read(Index count) {
    const Index before = cache_.length();
    cache_.begin_run(Positions::contiguous(batch, count, static_cast<double>(before)));
    for (Index b = 0; b < batch; ++b) {
      Tensor<double> rows({count, 3});
      for (Index t = 0; t < count; ++t)
        std::fill_n(rows.view().row(t), 3, static_cast<double>(10 * b + before + t));
      cache_.append(tokens_, b, rows.view());
    }
    cache_.end_run();
  }

  std::vector<double> held(Index sequence) const {
    const View<const double> rows = cache_.rows(tokens_, sequence);
    std::vector<double> last;
    for (Index r = 0; r < rows.rows; ++r) last.push_back(rows(r, 2));
    return last;
  }

  ParameterLayout layout_;
  StateSlot tokens_;
  StateSlot fixed_;
  DecodeCache<double> cache_;
};

TEST_F(Cache, AStateDeclaredAfterItIsReported) {
  const StateSlot late = layout_.add_state({.rows = 1, .cols = 4});
  const auto report = HasSubstr("got state 2, expected one of the 2 declared");
  EXPECT_THAT(message_of<std::logic_error>([&] { cache_.state(late, 0); }), report);
  EXPECT_THAT(message_of<std::logic_error>([&] { cache_.rows(late, 0); }), report);
  EXPECT_THAT(message_of<std::logic_error>([&] { cache_.append(late, 0, {}); }), report);
}

TEST_F(Cache, StartsEmpty) {
  EXPECT_EQ(cache_.length(), 0);
  EXPECT_EQ(cache_.rows(tokens_, 1).rows, 0);
  EXPECT_TRUE(cache_.positions(1).empty());
}

TEST_F(Cache, RowsOfEachRunFollowThoseOfTheLast) {
  read(2);
  read(1);
  read(2);
  EXPECT_EQ(cache_.length(), 5);
  EXPECT_THAT(held(0), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(held(1), ElementsAre(10, 11, 12, 13, 14));
}

TEST_F(Cache, DuringARunTheNewRowsAndPositionsAreThereButDoNotCountYet) {
  read(2);
  cache_.begin_run(Positions::per_sequence(batch, {2.5, 4.0, 7.0, 9.0}));
  EXPECT_EQ(cache_.length(), 2);
  EXPECT_EQ(cache_.rows(tokens_, 0).rows, 4);
  EXPECT_THAT(cache_.positions(0), ElementsAre(0, 1, 2.5, 4));
  EXPECT_THAT(cache_.positions(1), ElementsAre(0, 1, 7, 9));
  cache_.end_run();
  EXPECT_EQ(cache_.length(), 4);
  EXPECT_THAT(cache_.positions(1), ElementsAre(0, 1, 7, 9));
}

TEST_F(Cache, AStateOfFixedSizeStartsAtZeroAndStaysAsItWasLeft) {
  for (Index b = 0; b < batch; ++b) {
    const View<double> state = cache_.state(fixed_, b);
    EXPECT_EQ(state.rows, 2);
    EXPECT_EQ(state.cols, 4);
    EXPECT_TRUE(std::all_of(state.data, state.data + state.size(), [](double x) { return x == 0.0; }));
    std::iota(state.data, state.data + state.size(), static_cast<double>(100 * b));
  }
  read(3);
  EXPECT_EQ(cache_.state(fixed_, 0)(1, 3), 7.0);
  EXPECT_EQ(cache_.state(fixed_, 1)(0, 0), 100.0);
  EXPECT_THAT(held(1), ElementsAre(10, 11, 12));
}

TEST_F(Cache, MoreTokensThanItsCapacityAreReportedAndChangeNothing) {
  read(4);
  EXPECT_THAT(message_of<std::out_of_range>([&] { cache_.begin_run(Positions::contiguous(batch, 2)); }),
              HasSubstr("2 tokens after 4 exceed the capacity 5"));
  EXPECT_EQ(cache_.length(), 4);
  EXPECT_THAT(held(0), ElementsAre(0, 1, 2, 3));
  EXPECT_NO_THROW(read(1));
}

TEST_F(Cache, AnotherNumberOfSequencesIsReported) {
  EXPECT_THAT(message_of<std::invalid_argument>([&] { cache_.begin_run(Positions::contiguous(3, 1)); }),
              HasSubstr("got 3 sequences, expected 2"));
}

}  // namespace
}  // namespace ordinal
