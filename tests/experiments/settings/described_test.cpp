// The settings that weights and scores depend on, as metadata.
#include "experiments/settings/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

Metadata described(const Settings& settings, Binds last) { return plan_of(settings).text(last); }
Metadata described(const Values& values, Binds last) { return described(with(values), last); }

TEST(Described, TheSameInOtherWordsIsTheSame) {
  const auto expect_same = [](const Values& a, const Values& b) {
    EXPECT_EQ(described(a, Binds::test), described(b, Binds::test)) << a.front().second;
  };
  expect_same({{"model.encoding", "rope(base=5e2, pairing=interleaved)"}},
              {{"model.encoding", "rope(pairing=interleaved,base=500.0)"}});
  expect_same({{"model.encoding", "rope@yarn(scale=2)"}},
              {{"model.encoding", "rope@yarn(scale=2):yarn(scale=2.0)"}});
  expect_same({{"model.encoding", "rope@contiguous"}}, {{"model.encoding", "rope"}});
  expect_same({{"model.block", "attention,feed_forward(ff=32)"}},
              {{"model.block", "attention(window=0), feed_forward(activation=gelu, ff=32)"}});
  expect_same({{"train.optimizer", "adamw(beta2=0.99)"}},
              {{"train.optimizer", "adamw(beta2=0.990, beta1=0.9)"}});
  expect_same({{"task.name", "copy(symbols=5)"}}, {{"task.name", "copy( symbols = 5 )"}});
  expect_same({{"train.learning_rate", "3e-3"}}, {{"train.learning_rate", "0.003"}});
  expect_same({{"model.n_kv_heads", "4"}}, {{"model.n_kv_heads", "0"}});
}

// `auto` and 0 would mean something else at another length.
TEST(Described, HasWhatIsWorkedOut) {
  const auto encoding = [](const std::string& entry) {
    const Metadata metadata = described({{"model.encoding", entry}}, Binds::test);
    EXPECT_EQ(metadata.at("model.train_length"), "64");
    return placed_encoding(metadata.at("model.encoding"));
  };
  const double base = std::stod(parse_part(encoding("rope(base=auto)").encoding).options.at("base"));
  EXPECT_NEAR(base, 10.0 * 64.0 / (2.0 * 3.14159265358979), 1e-9);
  EXPECT_EQ(encoding("t5").encoding, "t5(buckets=32, max_distance=64)");
  EXPECT_EQ(encoding("rope@randomized").training, "randomized(max_position=1024)");
}

// Rows that do not differ otherwise share a training.
TEST(Described, WhatOnlyTheTestDependsOnIsNoPartOfATraining) {
  const auto differ = [](const Values& a, const Values& b, Binds last) {
    return described(a, last) != described(b, last);
  };
  const auto is_of_the_test = [&](const Values& a, const Values& b) {
    EXPECT_FALSE(differ(a, b, Binds::training)) << b.back().first << " = " << b.back().second;
    EXPECT_TRUE(differ(a, b, Binds::test)) << b.back().first << " = " << b.back().second;
  };
  for (const char* overflow : {"clamp", "interpolate"}) {
    is_of_the_test({{"model.encoding", "learned"}},
                   {{"model.encoding", fmt::format("learned(overflow={})", overflow)}});
  }
  for (const char* scheme : {"interpolated", "ntk", "dynamic_ntk", "yarn"}) {
    is_of_the_test({{"model.encoding", "rope"}},
                   {{"model.encoding", std::string("rope@contiguous:") + scheme}});
  }
  is_of_the_test({{"model.encoding", "rope"}}, {{"model.encoding", "rope@contiguous:contiguous(offset=5)"}});
  is_of_the_test({{"model.encoding", "rope@contiguous:yarn"}},
                 {{"model.encoding", "rope@contiguous:yarn(yarn_beta=9)"}});
  is_of_the_test({{"model.encoding", "rope@contiguous:yarn"}},
                 {{"model.encoding", "rope@contiguous:yarn(scale=3)"}});
}

TEST(Described, WhatTrainingDependsOnIsPartOfIt) {
  const auto is_of_training = [](const Values& a, const Values& b) {
    EXPECT_NE(described(a, Binds::training), described(b, Binds::training)) << b.back().second;
  };
  is_of_training({{"model.encoding", "rope"}}, {{"model.encoding", "rope@interpolated(scale=2)"}});
  is_of_training({{"model.encoding", "rope@randomized"}},
                 {{"model.encoding", "rope@randomized(max_position=999)"}});
  is_of_training({{"model.encoding", "learned"}},  // a larger table
                 {{"model.encoding", "learned(overflow=untrained)"}});
  is_of_training({{"model.encoding", "learned"}},  // which must cover the positions of the test
                 {{"model.encoding", "learned@contiguous:spaced"}});
  is_of_training({{"model.encoding", "rope"}}, {{"train.steps", "7"}});
  is_of_training({{"model.norm", "layernorm"}}, {{"model.norm", "layernorm(epsilon=0.5)"}});
}

// An offset of training moves the positions that weights are trained at.
TEST(Described, TheOffsetOfTrainingPositionsIsPartOfTraining) {
  EXPECT_NE(described({{"model.encoding", "sinusoidal@contiguous"}}, Binds::training),
            described({{"model.encoding", "sinusoidal@contiguous(offset=5)"}}, Binds::training));
}

// If training itself exceeds the table, overflow affects training.
TEST(Described, OverflowInTrainingIsPartOfIt) {
  const auto of = [](const char* overflow) {
    return described({{"model.encoding", fmt::format("learned(max_seq_len=10, overflow={})", overflow)}},
                     Binds::training);
  };
  EXPECT_NE(of("clamp"), of("interpolate"));
}

// Another valid value of the option, if there is one that a model of 8 units can use.
std::vector<std::string> other_values(const OptionSpec& option) {
  std::vector<std::string> values;
  for (const std::string& choice : option.choices) values.push_back(choice);
  if (option.type == OptionType::flag) values = {"true", "false"};
  if (option.type == OptionType::text) values = {"2 3"};
  if (option.type == OptionType::integer) values = {"1", "2", "3", "5", "64", "65", "70"};
  if (option.type == OptionType::real) values = {"0.5", "0.25", "1", "2", "3", "700"};
  std::erase_if(values, [&](const std::string& value) {
    return value == option.value || !complaint(option, value).empty();
  });
  return values;
}

std::string text_file() {
  const std::string path = ::testing::TempDir() + "described.txt";
  std::ofstream(path) << std::string(2000, 'a');
  return path;
}

// If a checkpoint omitted one, another value would be used silently.
TEST(Described, EveryOptionOfEveryPartChangesIt) {
  struct KindAndKey {
    std::string kind;
    std::string key;
    std::string before = "";  // before the name of the part
  };
  for (const auto& [kind, key, first] :
       {KindAndKey{"positional encodings", "model.encoding"}, KindAndKey{"branches", "model.block"},
        KindAndKey{"norms", "model.norm"}, KindAndKey{"optimizers", "train.optimizer"},
        KindAndKey{"schedules", "train.schedule"}, KindAndKey{"tasks", "task.name"},
        KindAndKey{"positions", "model.encoding", "rope@"}, KindAndKey{"lengths", "task.lengths"}}) {
    for (const PartInfo& part : part_kind(kind).parts) {
      for (const OptionSpec& option : part.options) {
        Settings plain = with({{"model.encoding", "rope"}, {"model.d_model", "32"}, {"model.heads", "2"}});
        if (part.name == "task") plain.set("task.name", "copy", "test");  // which gives positions
        plain.set(key, first + part.name, "test");
        const Metadata before = described(plain, Binds::test);
        int changed = 0;
        for (const std::string& value : other_values(option)) {
          Settings other = plain;
          other.set(key, fmt::format("{}{}({}={})", first, part.name, option.name, value), "test");
          if (value == "text") other.set("task.file", text_file(), "test");
          Metadata after;
          try {
            after = described(other, Binds::test);
          } catch (const std::exception&) {
            continue;  // legal by itself, but not for this model
          }
          const std::vector<NamedPart> in_force = named_parts(part_kind(find_key(key)->kind), before.at(key));
          const bool same = std::ranges::any_of(in_force, [&](const NamedPart& named) {
            const auto resolved = named.part.options.find(option.name);
            return resolved != named.part.options.end() && resolved->second == value;
          });
          if (same) continue;  // the value that 0 resolved to
          EXPECT_NE(after, before) << part.name << " " << option.name << " = " << value;
          ++changed;
        }
        EXPECT_GT(changed, 0) << part.name << " " << option.name << ": no other value could be tried";
      }
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments
