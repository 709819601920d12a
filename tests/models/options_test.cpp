// Every option of every encoding, branch and norm reaches its part: with another value, a model computes
// something else.
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/random.h"
#include "framework/layers/layer_registry.h"
#include "framework/positional/positional_encoding.h"
#include "models/transformer.h"
#include "tests/framework/layers/branch_setting.h"

namespace ordinal {
namespace {

constexpr Index train_length = 16;

ModelConfig model_of(Index d_model, Index heads) {
  return {
      .vocab_size = 7, .d_model = d_model, .heads = heads, .encoding = "rope", .train_length = train_length};
}

// Logits of one run, in the test or in training, of `length` tokens; nothing if the model cannot run that.
void add_logits(const Transformer<double>& model, Parameters<double>& values, Index length, bool training,
                std::vector<double>& all) {
  std::vector<Token> tokens(static_cast<std::size_t>(length));
  for (std::size_t t = 0; t < tokens.size(); ++t) tokens[t] = static_cast<Token>((t * t + 3 * t) % 7);
  Pass<double> pass(values);
  try {
    pass.begin({.positions = Positions::contiguous(1, length), .training = training, .random = {.seed = 5}});
    const View<const double> logits = model.logits(model.hidden(tokens, pass), pass);
    for (Index r = 0; r < logits.rows; ++r) all.insert(all.end(), logits.row(r), logits.row(r) + logits.cols);
  } catch (const std::exception&) {
    all.push_back(-1.0);
  }
}

// What an encoding makes of its parameters in a shorter model.
void add_resized(const Transformer<double>& model, ModelConfig config, std::vector<double>& all) {
  config.train_length /= 2;
  const Transformer<double> shorter(config);
  Parameters<double> trained(shorter.layout());
  Parameters<double> own(model.layout());
  initialize(trained, 1);
  for (const ParameterSpec& spec : shorter.layout().specs()) {
    const ParameterSpec& longer = model.layout().find(spec.name);
    if (longer.shape != spec.shape)
      model.encoding().resize(longer.slot, trained[spec.slot], own[longer.slot]);
  }
  all.insert(all.end(), own.flat().begin(), own.flat().end());
}

// What a model starts from and computes; nothing if there is no such model.
std::optional<std::vector<double>> behaviour(const ModelConfig& config) {
  try {
    const Transformer<double> model(config);
    Parameters<double> values(model.layout());
    initialize(values, 1);
    std::vector<double> all(values.flat().begin(), values.flat().end());
    Random random({.seed = 2});
    for (double& value : values.flat()) value += 0.3 * random.normal();
    add_logits(model, values, train_length, true, all);
    add_logits(model, values, 3 * train_length, false, all);
    add_resized(model, config, all);
    return all;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool changes_something(const std::string& part, const OptionSpec& option, PartList ModelConfig::*key) {
  for (ModelConfig config :
       {model_of(32, 2), model_of(9, 1)}) {  // an odd width is one that only some encodings take
    const std::string before = key == &ModelConfig::block ? "attention, " : "";
    config.*key = before + part;
    const auto plain = behaviour(config);
    for (const std::string& value :
         testing::other_values(option, {"1", "2", "3", "5", "20", "64"}, {"0.5", "0.25", "2", "3", "700"})) {
      config.*key = before + part + "(" + option.name + "=" + value + ")";
      const auto other = behaviour(config);
      if (other && other != plain) return true;
    }
  }
  return false;
}

TEST(EveryOption, OfAnEncodingChangesWhatAModelComputes) {
  for (const EncodingEntry& entry : encodings().entries()) {
    for (const OptionSpec& option : entry.options)
      EXPECT_TRUE(changes_something(entry.name, option, &ModelConfig::encoding))
          << entry.name << " " << option.name;
  }
}

TEST(EveryOption, OfABranchOrANormChangesWhatAModelComputes) {
  for (const auto& [kind, key] :
       {std::pair{LayerKind::branch, &ModelConfig::block}, {LayerKind::norm, &ModelConfig::norm}}) {
    for (const LayerEntry& entry : layers(kind).entries()) {
      for (const OptionSpec& option : entry.options())
        EXPECT_TRUE(changes_something(entry.name, option, key)) << entry.name << " " << option.name;
    }
  }
}

}  // namespace
}  // namespace ordinal
