#include "experiments/claims/stored_scores.h"

#include <gtest/gtest.h>

#include "experiments/settings/settings.h"

namespace ordinal::experiments {
namespace {

TEST(StoredScores, OfOtherSettingsSayTheFirstDifference) {
  const auto settings = [](const std::string& steps) {
    Settings all;
    all.set("task.name", "copy", "a.cfg:1");
    all.set("train.steps", steps, "a.cfg:2");
    return all;
  };
  const std::string stored = stored_text(settings("20"), {});
  const auto changed = [&](const std::string& text, const std::string& steps) {
    return read_stored(text, "a.scores.csv", settings(steps)).changed;
  };
  EXPECT_EQ(changed(stored, "20"), "");
  EXPECT_EQ(changed(stored, "21"), "train.steps = 20, and 21 in the config");
  EXPECT_EQ(changed("# [row a] model.layers = 1\n" + stored, "20"),
            "[row a] model.layers = 1, and nothing in the config");
}

}  // namespace
}  // namespace ordinal::experiments
