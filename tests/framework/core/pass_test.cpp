#include "framework/core/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "framework/core/decode_cache.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

class RecordedPass : public ::testing::Test {
 protected:
  RecordedPass() : slot_(layout_.add("weight", {3, 5}, ones())), values_(layout_), gradients_(layout_) {}

  ParameterLayout layout_;
  Slot slot_;
  Parameters<double> values_;
  Parameters<double> gradients_;
  Pass<double> pass_{values_, &gradients_};
};

TEST_F(RecordedPass, RestoresInTheReverseOrderOfTheSaves) {
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  const View<double> first = pass_.allocate(2, 3);
  const View<double> second = pass_.allocate(2, 3);
  pass_.save("A", first);
  pass_.save("B", second);
  EXPECT_EQ(pass_.restore("B").data, second.data);
  EXPECT_EQ(pass_.restore("A").data, first.data);
  pass_.finish();
}

TEST_F(RecordedPass, AWrongOrderIsReportedByName) {
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  pass_.save("Linear", pass_.allocate(1, 1));
  EXPECT_THAT(message_of<std::logic_error>([&] { pass_.restore("Gelu"); }),
              HasSubstr("Gelu restores what Linear saved"));
}

TEST_F(RecordedPass, RestoringNothingIsReportedByName) {
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  EXPECT_THAT(message_of<std::logic_error>([&] { pass_.restore("Gelu"); }), HasSubstr("Gelu restores"));
}

TEST_F(RecordedPass, AForgottenSaveIsReportedByName) {
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  pass_.save("Linear", pass_.allocate(1, 1));
  EXPECT_THAT(message_of<std::logic_error>([&] { pass_.finish(); }),
              HasSubstr("Linear saved something that no backward restored"));
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  EXPECT_NO_THROW(pass_.finish()) << "another run starts anew";
}

TEST_F(RecordedPass, WithoutRecordingNothingIsSaved) {
  pass_.begin({.positions = Positions::contiguous(1, 2)});
  pass_.save("Linear", pass_.allocate(1, 1));
  EXPECT_NO_THROW(pass_.finish());
}

TEST_F(RecordedPass, AScratchFrameGivesItsMemoryBack) {
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  const double* first = nullptr;
  {
    const auto frame = pass_.scratch_frame();
    first = pass_.allocate(4, 4).data;
  }
  EXPECT_EQ(pass_.allocate(4, 4).data, first);
}

TEST_F(RecordedPass, AForwardFrameKeepsWhatBackwardWillNeed) {
  for (const bool record : {true, false}) {
    pass_.begin({.positions = Positions::contiguous(1, 2), .record = record});
    const double* first = nullptr;
    {
      const auto frame = pass_.forward_frame();
      first = pass_.allocate(4, 4).data;
    }
    EXPECT_EQ(pass_.allocate(4, 4).data == first, !record);
  }
}

TEST_F(RecordedPass, GradientsAreAddedWhereTheParameterLies) {
  pass_.begin({.positions = Positions::contiguous(1, 2), .record = true});
  pass_.gradient(slot_)(2, 4) += 7.0;
  EXPECT_EQ(gradients_["weight"](2, 4), 7.0);
  EXPECT_EQ(pass_.value(slot_)(2, 4), 0.0);  // initialisers act when initialize() is called
}

TEST(Pass, RecordingNeedsAGradientBlock) {
  const ParameterLayout layout;
  const Parameters<float> values(layout);
  Pass<float> pass(values);
  EXPECT_THROW(pass.begin({.positions = Positions::contiguous(1, 2), .record = true}), std::logic_error);
}

TEST_F(RecordedPass, ACacheHasNoBackward) {
  DecodeCache<double> cache(layout_, 1, 2);
  ordinal::Run<double> run{.positions = Positions::contiguous(1, 2), .cache = &cache};
  EXPECT_NO_THROW(pass_.begin(run));
  run.record = true;
  EXPECT_THAT(message_of<std::logic_error>([&] { pass_.begin(run); }),
              HasSubstr("a recorded run starts from nothing, got a cache"));
}

TEST_F(RecordedPass, WhatLayersShareLastsForTheRun) {
  const Scope scope(layout_, "encoding");
  const SharedSlot first = scope.add_shared();
  const SharedSlot second = scope.add_shared();
  pass_.begin({.positions = Positions::contiguous(1, 2)});
  EXPECT_EQ(pass_.shared(first).values.data, nullptr);
  const View<double> x = pass_.allocate(2, 3);
  pass_.shared(second) = {x, x.row_range(0, 1)};
  EXPECT_EQ(pass_.shared(second).values.data, x.data);
  EXPECT_EQ(pass_.shared(second).gradients.rows, 1);
  EXPECT_EQ(pass_.shared(first).values.data, nullptr);
  pass_.begin({.positions = Positions::contiguous(1, 2)});
  EXPECT_EQ(pass_.shared(second).values.data, nullptr);
  EXPECT_EQ(pass_.shared(second).gradients.data, nullptr);
}

TEST(Arena, MemoryIsAlignedAndGrowsToOnePiece) {
  Arena<float> arena;
  for (const Index count : {1, 17, 100'000, 3, 400'000}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.take(count)) % 64, 0U);
  }
  arena.reset();
  const Index capacity = arena.capacity();
  float* first = arena.take(1);
  arena.rewind({});
  EXPECT_EQ(arena.take(500'000), first);
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, HoldsWhatWasTakenAtATimeAndNoMore) {
  Arena<float> arena;
  constexpr Index piece = 16'000;
  for (int run = 0; run < 2; ++run) {
    arena.take(100 * piece);
    const auto mark = arena.mark();
    for (const Index pieces : {1, 30, 7, 30}) {
      for (Index i = 0; i < pieces; ++i) arena.take(piece);
      arena.rewind(mark);
    }
    arena.take(20 * piece);
    arena.reset();
    EXPECT_EQ(arena.capacity(), 130 * piece);
  }
}

TEST(Arena, WhatWasTakenStaysValidWhileItGrows) {
  Arena<double> arena;
  double* early = arena.take(10);
  early[9] = 42.0;
  arena.take(1'000'000);
  EXPECT_EQ(early[9], 42.0);
}

}  // namespace
}  // namespace ordinal
