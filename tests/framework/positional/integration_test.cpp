// Encodings together with each other and with dropout, and what their registry says.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rig.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using testing::largest_difference;

constexpr Index length = 12;
constexpr Index d_model = 16;

// The logits of a model, or of one whose tokens are embedded as zeros.
std::vector<double> logits_of(const std::string& encoding, double dropout = 0.0, bool training = false,
                              std::uint64_t seed = 2, bool zeros = false) {
  testing::ModelRig<> rig({.vocab_size = 5,
                           .d_model = d_model,
                           .layers = 1,
                           .tied_output = false,
                           .positional_dropout = dropout,
                           .encoding = encoding,
                           .train_length = length});
  const View<double> embedding = rig.values["token_embedding.weight"];
  if (zeros) std::fill_n(embedding.data, embedding.size(), 0.0);
  return rig.logits(
      std::vector<Token>(length, 3),
      {.positions = Positions::contiguous(1, length), .training = training, .random = {.seed = seed}});
}

TEST(Composition, GivesEachPartItsOwnOptions) {
  const testing::Rig<> both("learned(max_seq_len=70)+t5(buckets=16)", {.d_model = d_model});
  EXPECT_EQ(both.layout().find("positional.learned.table").shape, (Shape{70, d_model}));
  EXPECT_EQ(both.layout().find("positional.t5.bias").shape, (Shape{16, 4}));
}

// Queries and keys after the encoding, and keys below queries, of a layer's input.
Tensor<double> queries_and_keys(const std::string& encoding, const Tensor<double>& before) {
  testing::Rig<> rig(encoding, {.d_model = d_model});
  rig.over(length);
  rig->encode_layer(testing::normal_tensor({length, d_model}, 3).view(), 0, rig.pass());
  Tensor<double> after = before;
  const View<double> both = after.view();
  rig->encode_query_key(both.row_range(0, length), both.row_range(length, length), {}, rig.pass());
  return after;
}

// Two rotations of different pairs of dimensions do not commute.
TEST(Composition, ActsInTheOrderWritten) {
  std::vector<std::string> rotating = {"xpos(pairing=half)"};
  for (const EncodingEntry& entry : encodings().entries())
    if (acts_on(entry.name, Place::query_key)) rotating.push_back(entry.name);
  const Tensor<double> before = testing::normal_tensor({2 * length, d_model});
  for (const std::string& a : rotating) {
    for (const std::string& b : rotating) {
      if (parse_part(a).name == parse_part(b).name) continue;
      EXPECT_EQ(largest_difference(queries_and_keys(a + "+" + b, before),
                                   queries_and_keys(b, queries_and_keys(a, before))),
                0.0)
          << a << " " << b;
    }
  }
  for (const std::string other : {"selective_rope", "xpos(pairing=half)"}) {
    EXPECT_GT(largest_difference(queries_and_keys("rope+" + other, before),
                                 queries_and_keys(other + "+rope", before)),
              0.1)
        << other;
  }
}

// What an encoding adds to scores of given queries and keys, of a layer's input.
Tensor<double> terms(const std::string& encoding) {
  testing::Rig<> rig(encoding, {.d_model = d_model});
  rig.over(length);
  rig->encode_layer(testing::normal_tensor({length, d_model}, 3).view(), 0, rig.pass());
  rig.query = testing::normal_tensor({length, d_model / 4}, 4);
  rig.key = testing::normal_tensor({length, d_model / 4}, 5);
  return rig.scores({.scale = 0.5});
}

// CoPE's gates do not see the matrices of PaTH, and the gates of forgetting are not divided by √d_h beside it.
TEST(Composition, OfTermsOfScoresIsTheirSum) {
  for (const auto& [a, b] :
       {std::pair<std::string, std::string>{"path", "cope"}, {"path", "forgetting"}, {"cope", "alibi"}}) {
    const Tensor<double> both = terms(a + "+" + b);
    const Tensor<double> first = terms(a);
    const Tensor<double> second = terms(b);
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j <= i; ++j)
        EXPECT_NEAR(both(i, j), first(i, j) + second(i, j), 1e-12) << a << " " << b;
    }
  }
}

TEST(PositionalDropout, ActsInTrainingOnlyAndDependsOnTheSeed) {
  EXPECT_EQ(logits_of("sinusoidal", 0.5, false), logits_of("sinusoidal"));
  EXPECT_EQ(logits_of("sinusoidal", 0.0, true), logits_of("sinusoidal"));
  EXPECT_EQ(logits_of("sinusoidal", 0.5, true), logits_of("sinusoidal", 0.5, true));
  EXPECT_NE(logits_of("sinusoidal", 0.5, true, 3), logits_of("sinusoidal", 0.5, true));
}

TEST(PositionalDropout, ActsOnTheSumOfEmbeddingAndEncoding) {
  EXPECT_GT(largest_difference(logits_of("none", 0.5, true), logits_of("none")), 0.1);
  EXPECT_GT(largest_difference(logits_of("sinusoidal", 0.5, true, 2, true),
                               logits_of("sinusoidal", 0, false, 2, true)),
            0.1);
}

TEST(Registry, EveryEncodingSaysWhatItIs) {
  for (const EncodingEntry& entry : encodings().entries()) {
    EXPECT_EQ(entry.acts_on.empty(), entry.name == "none") << entry.name;
    EXPECT_FALSE(places_text(entry.acts_on).empty()) << entry.name;
    EXPECT_FALSE(entry.formula.empty()) << entry.name;
    EXPECT_FALSE(entry.beyond.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_EQ(find_encodings(entry.name).front().name, entry.name);
  }
}

TEST(Registry, EveryOptionOfAnEncodingSaysWhatItIsAndTakesItsOwnDefault) {
  for (const EncodingEntry& entry : encodings().entries()) {
    for (const OptionSpec& spec : entry.options) {
      EXPECT_FALSE(spec.help.empty()) << entry.name << " " << spec.name;
      EXPECT_EQ(complaint(spec, spec.value), "") << entry.name << " " << spec.name;
    }
    std::vector<std::string> resolved;
    for (const OptionSpec& spec : entry.resolve({entry.name}, {})) resolved.push_back(spec.name);
    std::vector<std::string> declared;
    for (const OptionSpec& spec : entry.options) declared.push_back(spec.name);
    EXPECT_EQ(resolved, declared) << entry.name;
  }
}

TEST(Constants, AreTheOptionsInEffectThatAreNotTheDefaults) {
  EXPECT_EQ(testing::Rig<>("rope+ssmax(ssmax_learned=false,ssmax_scale=2)", {})->constants(),
            "ssmax_scale 2, ssmax_learned false");
  EXPECT_EQ(testing::Rig<>("rope(base=auto)+t5", {.train_length = 64})->constants(),
            "base 101.85916357881302; buckets 32, max_distance 64");
}

TEST(Registry, SaysWhereAnEncodingActs) {
  EXPECT_TRUE(acts_on("sinusoidal+t5(buckets=16)", Place::input));
  EXPECT_TRUE(acts_on("sinusoidal+t5(buckets=16)", Place::scores));
  EXPECT_FALSE(acts_on("sinusoidal+t5(buckets=16)", Place::query_key));
  EXPECT_FALSE(acts_on("none", Place::input));
  EXPECT_EQ(places_text({Place::query_key, Place::scores}), "query, key, scores");
  EXPECT_EQ(places_text({}), "nothing");
}

}  // namespace
}  // namespace ordinal
