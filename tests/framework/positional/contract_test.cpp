// The contract of every encoding. Iterates over the registry, so a new encoding is tested without being named
// here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rig.h"
#include "tests/framework/with_options.h"
#include "tests/models/model_rig.h"

namespace ordinal {
namespace {

using testing::largest_difference;

struct Contract {
  std::string encoding;
  bool causal = true;
  Index n_kv_heads = 4;
};

constexpr Index vocab_size = 7;
constexpr Index batch = 2;
constexpr Index seq_len = 9;

// Variants of encodings that are code of their own.
const std::vector<std::string> variants = {"sinusoidal(functions=cosine)",
                                           "sinusoidal(layout=halves,band_from=0.25,test_band_to=0.75)",
                                           "sinusoidal(concatenated=5,pad_odd=true,scale_pe=0.5)",
                                           "learned+sinusoidal(concatenated=6)",
                                           "shaw(value_table=true)",
                                           "sinusoidal+shaw(value_table=true)",
                                           "ssmax(ssmax_learned=false)",
                                           "rope+ssmax",
                                           "tupe(embedding=sinusoidal)",
                                           "ssmax+tupe+t5",
                                           "rope+forgetting(gate_bias=2)",
                                           "path+forgetting",
                                           "selective_rope(phase=0)+ssmax"};

std::vector<Contract> contracts() {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encodings().entries()) names.push_back(entry.name);
  // The first, none, stands alone.
  for (std::size_t i = names.size(); i > 2; --i) names.push_back(names[i - 2] + "+" + names[i - 1]);
  names.insert(names.end(), variants.begin(), variants.end());
  std::vector<Contract> all;
  for (const std::string& name : names) {
    const bool bidirectional = std::ranges::none_of(find_encodings(name), &EncodingEntry::causal_only);
    const bool alone = name.find_first_of("+(") == std::string::npos;
    for (const Index n_kv_heads : alone ? std::vector<Index>{4, 2, 1} : std::vector<Index>{2}) {
      all.push_back({name, true, n_kv_heads});
      if (bidirectional) all.push_back({name, false, n_kv_heads});
    }
  }
  return all;
}

std::vector<Contract> those_of(std::vector<Contract> all, bool (*applies)(const Contract&)) {
  std::erase_if(all, [&](const Contract& contract) { return !applies(contract); });
  return all;
}

// Sorted real numbers that differ from sequence to sequence, none of them a whole number.
Positions irregular_positions(double offset = 0.0) {
  std::vector<double> positions;
  Random random({.seed = 5});
  for (Index b = 0; b < batch; ++b) {
    for (Index t = 0; t < seq_len; ++t)
      positions.push_back(offset + 2.2 * static_cast<double>(t) + 0.1 + 2.0 * random.uniform());
  }
  return Positions::per_sequence(batch, positions);
}

std::string name_of(const ::testing::TestParamInfo<Contract>& info) {
  std::string name = info.param.encoding + (info.param.causal ? "_causal" : "_bidirectional") + "_kv" +
                     std::to_string(info.param.n_kv_heads);
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

ModelConfig config_of(const Contract& contract) {
  return {.vocab_size = vocab_size,
          .d_model = 16,
          .n_kv_heads = contract.n_kv_heads,
          .causal = contract.causal,
          .encoding = testing::with_options(contract.encoding, {{"max_seq_len", "32"},
                                                                {"buckets", "8"},
                                                                {"max_distance", "6"},
                                                                {"cope_positions", "5"},
                                                                {"embedding", "learned(max_seq_len=32)"}}),
          .train_length = seq_len};
}

template <typename T>
using Rig = testing::ModelRig<T>;

std::vector<Token> some_tokens(Index count = batch * seq_len) {
  return testing::random_tokens(count, vocab_size);
}

class EveryEncoding : public ::testing::TestWithParam<Contract> {};

TEST_P(EveryEncoding, BackwardIsTheGradientOfAWholeModel) {
  for (const Positions& positions : {Positions::contiguous(batch, seq_len), irregular_positions()}) {
    const GradientReport report = testing::check_model(config_of(GetParam()), positions);
    EXPECT_TRUE(report.ok()) << report.text();
  }
}

// Evenly spaced positions, as in training, may be treated in a faster way (ScoreDistances, Transformer-XL), which must change
// neither results nor gradients. The fixtures of PyTorch have irregular positions.
TEST_P(EveryEncoding, AlmostEvenlySpacedPositionsGiveAlmostTheSame) {
  const Rig<double> rig(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens();
  const std::vector<Token> targets = testing::random_tokens(batch * seq_len, vocab_size, 2);
  std::vector<double> almost;
  for (Index t = 0; t < seq_len; ++t) almost.push_back(static_cast<double>(t) + (t % 2 == 0 ? 1e-8 : 0.0));
  const auto outcome = [&](const Positions& positions) {
    std::vector<double> numbers = rig.logits(tokens, {.positions = positions});
    Parameters<double> gradients(rig.model.layout());
    rig.backward(tokens, targets, positions, gradients);
    numbers.insert(numbers.end(), gradients.flat().begin(), gradients.flat().end());
    return numbers;
  };
  EXPECT_LT(largest_difference(outcome(Positions::contiguous(batch, seq_len)),
                               outcome(Positions::shared(batch, almost))),
            1e-5);
}

TEST_P(EveryEncoding, FloatFollowsDouble) {
  const Rig<float> in_float(config_of(GetParam()));
  const Rig<double> in_double(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens();
  EXPECT_LT(largest_difference(in_float.logits(tokens, {.positions = irregular_positions()}),
                               in_double.logits(tokens, {.positions = irregular_positions()})),
            1e-4);
}

TEST_P(EveryEncoding, ARepeatGivesEqualBits) {
  const Rig<float> rig(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens();
  EXPECT_EQ(rig.logits(tokens, {.positions = Positions::contiguous(batch, seq_len)}),
            rig.logits(tokens, {.positions = Positions::contiguous(batch, seq_len)}));
}

TEST_P(EveryEncoding, PositionsGivenToEachSequenceEqualSharedOnes) {
  const Rig<double> rig(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens();
  std::vector<double> positions;
  for (Index i = 0; i < batch * seq_len; ++i) positions.push_back(static_cast<double>(i % seq_len));
  EXPECT_EQ(rig.logits(tokens, {.positions = Positions::contiguous(batch, seq_len)}),
            rig.logits(tokens, {.positions = Positions::per_sequence(batch, positions)}));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryEncoding, ::testing::ValuesIn(contracts()), name_of);

bool is_shift_invariant(const Contract& contract) {
  return std::ranges::all_of(find_encodings(contract.encoding), &EncodingEntry::shift_invariant);
}

class EveryEncodingOfBlocks : public ::testing::TestWithParam<Contract> {};

// Rows of a block that begins at any query are those rows of the whole, in every layer and head.
TEST_P(EveryEncodingOfBlocks, GivesASliceWhatTheWholeHasThere) {
  const ModelConfig config = config_of(GetParam());
  testing::Rig<> rig(config.encoding, shape_of(config));
  rig.randomize(7);
  rig.at(irregular_positions());
  testing::randomize(rig.query.span(), 8);
  testing::randomize(rig.key.span(), 9);
  const Tensor<double> x = testing::normal_tensor({batch * seq_len, config.d_model});
  const auto weight = [](Index i, Index j) { return 1.0 / static_cast<double>(1 + i + 2 * j); };
  for (Index layer = 0; layer < config.layers; ++layer) {
    rig->encode_layer(x.view(), layer, rig.pass());
    for (Index head = 0; head < config.heads; ++head) {
      testing::BlockAt at{.layer = layer, .head = head, .sequence = 1, .scale = 0.5};
      const Tensor<double> whole = rig.scores(at);
      const Tensor<double> whole_output = rig.output(weight, at);
      for (const auto& [first, rows] : {std::pair<Index, Index>{4, 3}, {seq_len - 1, 1}}) {
        at.first = first;
        at.rows = rows;
        const Tensor<double> part = rig.scores(at);
        const Tensor<double> output = rig.output(weight, at);
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < rig.block(at).visible(i); ++j)
            ASSERT_NEAR(part(i, j), whole(first + i, j), 1e-12)
                << layer << " " << head << " " << i << " " << j;
          for (Index c = 0; c < output.view().cols; ++c)
            ASSERT_NEAR(output(i, c), whole_output(first + i, c), 1e-12) << layer << " " << head << " " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryEncodingOfBlocks,
                         ::testing::ValuesIn(those_of(contracts(),
                                                      [](const Contract& c) {
                                                        return acts_on(c.encoding, Place::scores) ||
                                                               acts_on(c.encoding, Place::values);
                                                      })),
                         name_of);

class EveryShiftInvariantEncoding : public ::testing::TestWithParam<Contract> {};

// Encodings declared to depend only on differences of positions do not change with a common offset.
TEST_P(EveryShiftInvariantEncoding, SeesNoCommonOffset) {
  const Rig<double> rig(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens();
  const std::vector<double> there = rig.logits(tokens, {.positions = irregular_positions()});
  for (const double offset : {1.0, 37.0, 250.0}) {
    EXPECT_LT(largest_difference(there, rig.logits(tokens, {.positions = irregular_positions(offset)})),
              1e-10)
        << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryShiftInvariantEncoding,
                         ::testing::ValuesIn(those_of(contracts(), is_shift_invariant)), name_of);

// A lost declaration would silently remove a test case.
TEST(ShiftInvariantEncodings, AreThoseThatPapersCallRelative) {
  for (const char* name :
       {"none", "rope", "xpos", "alibi", "t5", "t5_clipped", "shaw", "transformer_xl", "kerple_log",
        "kerple_power", "cope", "ssmax", "forgetting", "path", "selective_rope"}) {
    EXPECT_TRUE(is_shift_invariant({name})) << name;
  }
  for (const char* name :
       {"sinusoidal", "learned", "fire", "sinusoidal+t5", "tupe", "tupe(embedding=sinusoidal)"}) {
    EXPECT_FALSE(is_shift_invariant({name})) << name;
  }
}

class EveryCausalEncoding : public ::testing::TestWithParam<Contract> {};

TEST_P(EveryCausalEncoding, ALaterTokenChangesNoEarlierLogit) {
  const Rig<float> rig(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens(seq_len);
  const std::vector<float> before = rig.logits(tokens, {.positions = Positions::contiguous(1, seq_len)});
  for (std::size_t changed = 1; changed < tokens.size(); ++changed) {
    std::vector<Token> other = tokens;
    other[changed] = (other[changed] + 1) % static_cast<Token>(vocab_size);
    const std::vector<float> after = rig.logits(other, {.positions = Positions::contiguous(1, seq_len)});
    const auto boundary = static_cast<std::ptrdiff_t>(changed) * vocab_size;
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + boundary, after.begin())) << "token " << changed;
    EXPECT_FALSE(std::equal(before.begin() + boundary, before.end(), after.begin() + boundary))
        << "token " << changed;
  }
}

TEST_P(EveryCausalEncoding, ALongerSequenceLeavesEarlierLogitsAsTheyWere) {
  const Rig<double> rig(config_of(GetParam()));
  const std::vector<Token> tokens = some_tokens(12);
  const std::vector<Token> start(tokens.begin(), tokens.begin() + 5);
  std::vector<double> whole = rig.logits(tokens, {.positions = Positions::contiguous(1, 12)});
  whole.resize(5 * vocab_size);
  EXPECT_LT(largest_difference(rig.logits(start, {.positions = Positions::contiguous(1, 5)}), whole), 1e-12);
}

TEST_P(EveryCausalEncoding, StepByStepEqualsOneRun) {
  const Rig<double> exact(config_of(GetParam()));
  const Rig<float> in_float(config_of(GetParam()));
  for (const Index step : {1, 3, 5}) {
    for (const double start : {0.0, 13.0})
      EXPECT_LT(testing::difference_in_steps(exact, batch, 15, step, start), 1e-12) << step << " " << start;
    EXPECT_LT(testing::difference_in_steps(in_float, batch, 15, step), 1e-4) << "in runs of " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCausalEncoding,
                         ::testing::ValuesIn(those_of(contracts(),
                                                      [](const Contract& c) { return c.causal; })),
                         name_of);

}  // namespace
}  // namespace ordinal
