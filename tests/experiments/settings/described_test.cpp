// The settings that weights and scores depend on, as metadata.
#include "experiments/settings/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "experiments/settings/parts.h"
#include "framework/core/errors.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

Metadata described(const Settings& settings, Binds last) { return plan_of(settings).text(last); }
Metadata described(const Values& values, Binds last) { return described(with(values), last); }

TEST(Described, TheSameInOtherWordsIsTheSame) {
  for (const auto& [key, one, other] : std::vector<std::array<std::string, 3>>{
           {"model.encoding", "rope(base=5e2, pairing=interleaved)", "rope(pairing=interleaved,base=500.0)"},
           {"model.encoding", "rope@yarn(scale=2)", "rope@yarn(scale=2):yarn(scale=2.0)"},
           {"model.encoding", "rope@contiguous", "rope"},
           {"model.block", "attention,feed_forward(ff=32)",
            "attention(window=0), feed_forward(activation=gelu, ff=32)"},
           {"train.optimizer", "adamw(beta2=0.99)", "adamw(beta2=0.990, beta1=0.9)"},
           {"task.name", "copy(symbols=5)", "copy( symbols = 5 )"},
           {"train.learning_rate", "3e-3", "0.003"},
           {"model.n_kv_heads", "4", "0"}})
    EXPECT_EQ(described({{key, one}}, Binds::test), described({{key, other}}, Binds::test)) << one;
}

// Rows that do not differ otherwise share a training.
TEST(Described, WhatOnlyTheTestDependsOnIsNoPartOfATraining) {
  for (const auto& [trained, tested] : std::vector<std::pair<std::string, std::string>>{
           {"learned", "learned(overflow=clamp)"},
           {"rope", "rope@contiguous:interpolated"},
           {"rope", "rope@contiguous:yarn"},
           {"rope", "rope@contiguous:contiguous(offset=5)"},
           {"rope@contiguous:yarn", "rope@contiguous:yarn(scale=3)"}}) {
    const Values a = {{"model.encoding", trained}};
    const Values b = {{"model.encoding", tested}};
    EXPECT_EQ(described(a, Binds::training), described(b, Binds::training)) << tested;
    EXPECT_NE(described(a, Binds::test), described(b, Binds::test)) << tested;
  }
}

TEST(Described, WhatTrainingDependsOnIsPartOfIt) {
  for (const auto& [key, one, other] : std::vector<std::array<std::string, 3>>{
           {"model.encoding", "rope", "rope@interpolated(scale=2)"},
           {"model.encoding", "rope@randomized", "rope@randomized(max_position=999)"},
           {"model.encoding", "learned", "learned(overflow=untrained)"},  // a larger table
           {"model.encoding", "learned", "learned@contiguous:spaced"},  // which must cover those of the test
           {"model.encoding", "sinusoidal", "sinusoidal@contiguous(offset=5)"},
           // If training itself exceeds the table, overflow affects training.
           {"model.encoding", "learned(max_seq_len=10, overflow=clamp)",
            "learned(max_seq_len=10, overflow=interpolate)"},
           {"model.norm", "layernorm", "layernorm(epsilon=0.5)"},
           {"train.steps", "1000", "7"}})
    EXPECT_NE(described({{key, one}}, Binds::training), described({{key, other}}, Binds::training)) << other;
}

// Another valid value of the option, if there is one that a model of 8 units can use.
std::vector<std::string> other_values(const OptionSpec& option) {
  std::vector<std::string> values;
  for (const std::string& choice : option.choices) values.push_back(choice);
  if (option.type == OptionType::flag) values = {"true", "false"};
  if (option.type == OptionType::text) values = {"2 3", "abacus"};
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
  // A kind, a key that names its parts, and what stands before the name of the part.
  for (const auto& [kind, key, first] :
       std::vector<std::array<std::string, 3>>{{"positional encodings", "model.encoding", ""},
                                               {"branches", "model.block", ""},
                                               {"norms", "model.norm", ""},
                                               {"optimizers", "train.optimizer", ""},
                                               {"schedules", "train.schedule", ""},
                                               {"tasks", "task.name", ""},
                                               {"positions", "model.encoding", "rope@"},
                                               {"lengths", "task.lengths", ""}}) {
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
          const std::string in_effect = fmt::format("{}={}", option.name, value);
          const std::regex resolved(in_effect + "[,)]");  // from 0
          if (std::regex_search(before.at(key), resolved)) continue;
          EXPECT_NE(after, before) << part.name << " " << in_effect;
          ++changed;
        }
        EXPECT_GT(changed, 0) << part.name << " " << option.name << ": no other value could be tried";
      }
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments
