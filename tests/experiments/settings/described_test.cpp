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
           {"learned", "learned(overflow=interpolate)"},
           {"rope", "rope@contiguous:interpolated"},
           {"rope", "rope@contiguous:ntk"},
           {"rope", "rope@contiguous:dynamic_ntk"},
           {"rope", "rope@contiguous:yarn"},
           {"rope", "rope@contiguous:contiguous(offset=5)"},
           {"rope@contiguous:yarn", "rope@contiguous:yarn(yarn_beta=9)"},
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
