// Every registered part in a model, and every option of a model: the cases of what holds for all models. A new part is tested
// without being named here.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/framework/layers/branch_setting.h"
#include "tests/framework/with_options.h"
#include "tests/models/model_rig.h"

namespace ordinal::testing {

struct ModelCase {
  std::string name;
  ModelConfig config;
  bool of_encoding = false;  // else its positions need no check of their own
};

/// The configs have this vocabulary and, without positions of their own, this training length.
inline constexpr Index case_vocabulary = 7;
inline constexpr Index case_length = 9;
inline constexpr Index case_batch = 2;

inline std::string name_of_case(const ::testing::TestParamInfo<ModelCase>& info) { return info.param.name; }

/// A case with rope, or with positions at the input where no layer can have it.
template <typename Change>
ModelCase changed_model(std::string name, Change change) {
  ModelConfig config{.vocab_size = case_vocabulary,
                     .d_model = 16,
                     .block = "attention, feed_forward(ff=8)",
                     .train_length = case_length};
  change(config);
  if (config.encoding == ModelConfig().encoding)
    config.encoding = shape_of(config).layers > 0 ? "rope" : "sinusoidal";
  return {.name = plain_name(std::move(name)), .config = std::move(config)};
}

/// Every encoding, pairs of them and variants that are code of their own, with shared and separate keys.
inline std::vector<ModelCase> encoding_cases() {
  std::vector<std::string> names = encodings().names();
  // The first, none, stands alone.
  for (std::size_t i = names.size(); i > 2; --i) names.push_back(names[i - 2] + "+" + names[i - 1]);
  names.insert(names.end(),
               {"sinusoidal(functions=cosine)", "sinusoidal(layout=halves,band_from=0.25,test_band_to=0.75)",
                "sinusoidal(concatenated=5,pad_odd=true,scale_pe=0.5)", "learned+sinusoidal(concatenated=6)",
                "shaw(value_table=true)", "sinusoidal+shaw(value_table=true)", "ssmax(ssmax_learned=false)",
                "rope+ssmax", "tupe(embedding=sinusoidal)", "ssmax+tupe+t5", "rope+forgetting(gate_bias=2)",
                "path+forgetting", "selective_rope(phase=0)+ssmax", "pope(phase=false)",
                "rope+dape(bias=fire)", "dape(bias=t5(buckets=8),hidden=3)"});
  std::vector<ModelCase> all;
  for (const std::string& name : names) {
    const bool bidirectional = std::ranges::none_of(find_encodings(name), &EncodingEntry::causal_only);
    const bool alone = name.find_first_of("+(") == std::string::npos;
    for (const Index n_kv_heads : alone ? std::vector<Index>{4, 2, 1} : std::vector<Index>{2}) {
      for (const bool causal : {true, false}) {
        if (!causal && !bidirectional) continue;
        all.push_back(
            changed_model(fmt::format("{}_{}_kv{}", name, causal ? "causal" : "bidirectional", n_kv_heads),
                          [&](ModelConfig& c) {
                            c.n_kv_heads = n_kv_heads;
                            c.causal = causal;
                            c.encoding = with_options(name, {{"max_seq_len", "32"},
                                                             {"buckets", "8"},
                                                             {"max_distance", "6"},
                                                             {"cope_positions", "5"},
                                                             {"hidden", "4"},
                                                             {"embedding", "learned(max_seq_len=32)"}});
                          }));
      }
    }
  }
  for (ModelCase& one : all) one.of_encoding = true;
  return all;
}

/// Every branch with each of its options, alone in a block.
inline void add_branches(std::vector<ModelCase>& cases) {
  for (const BranchCase& branch : branch_cases()) {
    cases.push_back(changed_model(name_of_branch(branch), [&](ModelConfig& c) {
      c.d_model = width;
      c.layers = 1;
      c.n_kv_heads = 2;
      c.block = branch.branch;
      c.causal = branch.causal;
      c.bias = branch.bias;
      c.encoding = "none";
    }));
  }
}

inline void add_norms_activations_and_options(std::vector<ModelCase>& cases) {
  for (const std::string& norm : layers(LayerKind::norm).names())
    cases.push_back(changed_model(norm, [&](ModelConfig& c) { c.norm = norm; }));
  for (const std::string& activation : layers(LayerKind::activation).names()) {
    cases.push_back(changed_model(activation, [&](ModelConfig& c) {
      c.block = "attention, feed_forward(activation=" + activation + ")";
    }));
  }
  for (const Index n_kv_heads : {1, 2, 4}) {
    cases.push_back(changed_model(fmt::format("model_kv_heads_{}", n_kv_heads),
                                  [&](ModelConfig& c) { c.n_kv_heads = n_kv_heads; }));
  }
  cases.push_back(changed_model("model_post", [](ModelConfig& c) { c.norm_placement = "post"; }));
  cases.push_back(changed_model("model_untied", [](ModelConfig& c) { c.tied_output = false; }));
  cases.push_back(changed_model("model_without_bias", [](ModelConfig& c) { c.bias = false; }));
  cases.push_back(changed_model("model_unscaled", [](ModelConfig& c) { c.scale_embedding = false; }));
  cases.push_back(changed_model("model_three_layers", [](ModelConfig& c) { c.layers = 3; }));
  cases.push_back(changed_model("model_one_head", [](ModelConfig& c) { c.heads = 1; }));
  cases.push_back(
      changed_model("model_dropout", [](ModelConfig& c) { c.dropout = c.positional_dropout = 0.5; }));
}

/// Blocks of several branches, each branch twice in a block, and a block of all branches.
inline void add_blocks(std::vector<ModelCase>& cases) {
  std::vector<std::string> blocks = {"conv(kernel=3), lstm, attention, gated_linear",
                                     "attention, conv(kernel=4), attention, feed_forward",
                                     "conv(kernel=1), conv(kernel=20)",
                                     "lstm(hidden=5), lstm(hidden=7)",
                                     "feed_forward(activation=swiglu, ff=6), gated_linear(activation=relu)",
                                     joined(layers(LayerKind::branch).names())};
  for (const std::string& branch : layers(LayerKind::branch).names())
    blocks.push_back(branch + ", " + branch);
  for (const std::string& block : blocks) {
    for (const bool bias : {true, false}) {
      cases.push_back(changed_model("block_" + block + (bias ? "" : "_without_bias"), [&](ModelConfig& c) {
        c.block = block;
        c.bias = bias;
      }));
    }
  }
}

inline std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> all = encoding_cases();
  add_branches(all);
  add_norms_activations_and_options(all);
  add_blocks(all);
  return all;
}

inline std::vector<ModelCase> those_of(std::vector<ModelCase> all, bool (*applies)(const ModelCase&)) {
  std::erase_if(all, [&](const ModelCase& one) { return !applies(one); });
  return all;
}

/// Sorted real numbers that differ from sequence to sequence, none of them a whole number.
inline Positions irregular_positions(double offset = 0.0) {
  std::vector<double> positions;
  Random random({.seed = 5});
  for (Index b = 0; b < case_batch; ++b) {
    for (Index t = 0; t < case_length; ++t)
      positions.push_back(offset + 2.2 * static_cast<double>(t) + 0.1 + 2.0 * random.uniform());
  }
  return Positions::per_sequence(case_batch, positions);
}

}  // namespace ordinal::testing
