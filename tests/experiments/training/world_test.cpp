#include "experiments/training/world.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "experiments/settings/settings.h"
#include "framework/core/errors.h"
#include "tests/framework/training/thread_ranks.h"

namespace ordinal::experiments::testing {
namespace {

// What each of three ranks says, of which the last has the text `other`; empty if they agree.
std::string refusal(const std::string& text, const std::string& other) {
  std::array<std::string, 3> said;
  ordinal::testing::on_ranks(3, [&](Ranks& ranks) {
    try {
      require_same(ranks, ranks.rank() == 2 ? other : text);
    } catch (const ConfigError& error) {
      said[static_cast<std::size_t>(ranks.rank())] = error.what();
    }
  });
  EXPECT_EQ(said[0], said[1]);
  EXPECT_EQ(said[0], said[2]);
  return said[0];
}

const std::string expected = ", expected the same settings, options and data on all ranks";

TEST(RequireSame, EveryRankNamesTheFirstDifference) {
  EXPECT_EQ(refusal("", ""), "");
  EXPECT_EQ(refusal("--out = a\n", "--out = a\n"), "");
  EXPECT_EQ(refusal("--out = a\n", ""), "--out: a on rank 0, nothing on rank 2" + expected);
  EXPECT_EQ(refusal("", "--out = a\n"), "--out: nothing on rank 0, a on rank 2" + expected);
  EXPECT_EQ(refusal("[a]\nx = 1\ny = 1\n[b]\nx = 1\n", "[a]\nx = 1\ny = 2\n[b]\nx = 3\n"),
            "a.y: 1 on rank 0, 2 on rank 2" + expected);
}

TEST(RequireSame, AnythingThatAConfigHoldsCounts) {
  Settings settings;
  settings.set("task.file", "a.txt\nb.txt", "test");
  settings.add_to_section("row", "first", "model.d_model", "16", "test");
  settings.add_to_section("row", "second", "model.d_model", "16", "test");
  const auto other = [&](const std::function<void(Settings&)>& change) {
    Settings changed = settings;
    change(changed);
    return refusal(settings.resolved_config(), changed.resolved_config());
  };
  EXPECT_EQ(other([](Settings& s) { s.set("train.seed", "1", "elsewhere"); }), "");
  EXPECT_EQ(other([](Settings& s) { s.set("task.file", "a.txt\nc.txt", "test"); }),
            "task.file: a.txt, b.txt on rank 0, a.txt, c.txt on rank 2" + expected);
  EXPECT_EQ(other([](Settings& s) { s.add_to_section("row", "second", "model.d_model", "32", "test"); }),
            "row second.model.d_model: 16 on rank 0, 32 on rank 2" + expected);
  EXPECT_EQ(other([](Settings& s) { s.add_to_section("compare", "", "train.clip", "0, 1", "test"); }),
            "compare.train.clip: nothing on rank 0, 0, 1 on rank 2" + expected);
  const std::string order = "rows: others, or in another order, on rank 2 than on rank 0" + expected;
  EXPECT_EQ(other([](Settings& s) { s.add_to_section("row", "third", "", "", "test"); }), order);
  EXPECT_EQ(other([](Settings& s) {
              s.forget_comparison();
              s.add_to_section("row", "second", "model.d_model", "16", "test");
              s.add_to_section("row", "first", "model.d_model", "16", "test");
            }),
            order);
}

}  // namespace
}  // namespace ordinal::experiments::testing
