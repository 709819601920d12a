// A name is as short as the settings allow, and means the same.
#include "experiments/settings/rows.h"

#include <gtest/gtest.h>

#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

Settings settings_of(const Metadata& given) {
  Settings settings;
  for (const auto& [key, value] : given) settings.set(key, value, "test");
  return settings;
}

std::string entry_of(const Metadata& given) { return entry_text(plan_of(settings_of(given))); }

// The same for settings that hold every option, as a checkpoint does.
std::string entry_of_all(const Metadata& given) {
  return entry_text(plan_of(Settings::from_map(plan_of(settings_of(given)).full, "checkpoint")));
}

TEST(RowNames, AreEntriesThatSayWhatIsNotADefault) {
  for (const auto& [entry, name] :
       {std::pair<std::string, std::string>{"rope", "rope"},
        {"rope(base=10000)", "rope"},
        {"rope(base=5e2)", "rope(base=500)"},
        {"learned", "learned"},
        {"learned(max_seq_len=64)", "learned"},
        {"learned(max_seq_len=65)", "learned(max_seq_len=65)"},
        {"sinusoidal+t5", "sinusoidal+t5"},
        {"rope@yarn", "rope@yarn"},
        {"rope@contiguous:yarn", "rope@contiguous:yarn"},
        {"rope(base=500)@contiguous:interpolated", "rope(base=500)@contiguous:interpolated"},
        {"rope@contiguous(offset=2)", "rope@contiguous(offset=2)"},
        {"rope@contiguous:contiguous", "rope"},
        {"learned@randomized", "learned@randomized"}}) {
    EXPECT_EQ(entry_of({{"model.encoding", entry}}), name);
    EXPECT_EQ(entry_of_all({{"model.encoding", entry}}), name);
  }
}

TEST(RowNames, LeaveOutDefaultsOfNestedParts) {
  for (const std::string entry :
       {"tupe(embedding=sinusoidal)+rope@contiguous:yarn", "t5+tupe(embedding=learned(init_sd=0.25))",
        "tupe(embedding=sinusoidal(concatenated=4, scale_pe=0.5))"}) {
    EXPECT_EQ(entry_of({{"model.encoding", entry}}), entry);
    EXPECT_EQ(entry_of_all({{"model.encoding", entry}}), entry);
  }
}

TEST(RowNames, AreAsWrittenWhereThatIsShorter) {
  for (const std::string entry : {"rope(base=auto)+sinusoidal(base=auto)", "learned(overflow=untrained)",
                                  "rope@randomized:spaced", "alibi(slope_scale=1e-9)"}) {
    EXPECT_EQ(entry_of({{"model.encoding", entry}, {"evaluate.lengths", "1x,2x"}}), entry);
  }
}

Combination values_of(const std::vector<Metadata>& all, std::size_t i) {
  std::vector<Plan> rows;
  for (const Metadata& given : all) rows.push_back(plan_of(settings_of(given)));
  return distinguishing_values(rows).at(i);
}

TEST(RowNames, OfSeveralSayWhereTheyDiffer) {
  const std::vector<Metadata> wide = {{{"model.d_model", "32"}, {"model.heads", "2"}},
                                      {{"model.d_model", "64"}, {"model.heads", "4"}}};
  EXPECT_EQ(values_of(wide, 0), (Combination{{"model.d_model", "32"}, {"model.heads", "2"}}))
      << "not the key/value heads, the width of the feed-forward layer, or the vocabulary";
  const std::vector<Metadata> longer = {{{"task.train_length", "16"}, {"model.encoding", "learned"}},
                                        {{"task.train_length", "32"}, {"model.encoding", "learned"}}};
  EXPECT_EQ(values_of(longer, 1), (Combination{{"task.train_length", "32"}})) << "not the rows of the table";
  const std::vector<Metadata> encodings = {{{"model.encoding", "rope"}, {"train.steps", "9"}},
                                           {{"model.encoding", "rope@contiguous:ntk"}}};
  EXPECT_EQ(values_of(encodings, 0), (Combination{{"model.encoding", "rope"}, {"train.steps", "9"}}));
  EXPECT_EQ(values_of(encodings, 1),
            (Combination{{"model.encoding", "rope@contiguous:ntk"}, {"train.steps", "1000"}}));
  const std::vector<Metadata> blocks = {{{"model.block", "attention, feed_forward(activation=swiglu)"}}, {}};
  EXPECT_EQ(values_of(blocks, 0),
            (Combination{{"model.block", "attention, feed_forward(activation=swiglu)"}}));
  EXPECT_EQ(values_of({{{"train.steps", "9"}}}, 0), (Combination{{"model.encoding", "sinusoidal"}}));
}

}  // namespace
}  // namespace ordinal::experiments
