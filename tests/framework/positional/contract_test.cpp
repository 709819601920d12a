// The contract of every encoding beside what holds for every model (tests/models/every_model_test.cpp): scores of a
// block, and what shifts do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/framework/largest_difference.h"
#include "tests/framework/positional/rig.h"
#include "tests/models/model_cases.h"

namespace ordinal {
namespace {

using testing::case_batch;
using testing::case_length;
using testing::case_vocabulary;
using testing::encoding_cases;
using testing::irregular_positions;
using testing::largest_difference;
using testing::ModelCase;
using testing::those_of;

bool is_shift_invariant(const ModelCase& one) {
  return std::ranges::all_of(find_encodings(one.config.encoding), &EncodingEntry::shift_invariant) &&
         one.config.encoding.text().find("fire") == std::string::npos;  // dape(bias=fire)
}

class EveryEncodingOfBlocks : public ::testing::TestWithParam<ModelCase> {};

// Rows of a block that begins at any query are those rows of the whole, in every layer and head.
TEST_P(EveryEncodingOfBlocks, GivesASliceWhatTheWholeHasThere) {
  const ModelConfig config = GetParam().config;
  testing::Rig<> rig(config.encoding.text(), shape_of(config));
  rig.randomize(7);
  rig.at(irregular_positions());
  testing::randomize(rig.query.span(), 8);
  testing::randomize(rig.key.span(), 9);
  const Tensor<double> x = testing::normal_tensor({case_batch * case_length, config.d_model});
  const auto weight = [](Index i, Index j) { return 1.0 / static_cast<double>(1 + i + 2 * j); };
  for (Index layer = 0; layer < config.layers; ++layer) {
    rig->encode_layer(x.view(), layer, rig.pass());
    Tensor<double> queries = testing::normal_tensor({case_batch * case_length, config.d_model}, 10);
    Tensor<double> keys =
        testing::normal_tensor({case_batch * case_length, config.kv_heads() * shape_of(config).d_head()}, 11);
    rig->encode_query_key(queries.view(), keys.view(), {layer, {config.causal}}, rig.pass());
    for (Index head = 0; head < config.heads; ++head) {
      testing::BlockAt at{.layer = layer, .head = head, .sequence = 1, .scale = 0.5};
      const Tensor<double> whole = rig.scores(at);
      const Tensor<double> whole_output = rig.output(weight, at);
      for (const auto& [first, rows] : {std::pair<Index, Index>{4, 3}, {case_length - 1, 1}}) {
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
                         ::testing::ValuesIn(those_of(encoding_cases(),
                                                      [](const ModelCase& c) {
                                                        return acts_on(c.config.encoding, Place::scores) ||
                                                               acts_on(c.config.encoding, Place::values);
                                                      })),
                         testing::name_of_case);

// `path` computes keys in chunks. Pictures of scores ask for the keys of a whole sequence, so no row sees the last chunks.
TEST(Path, GivesRowsTheSameScoresWhateverKeysFollow) {
  testing::Rig<> rig("path");
  constexpr Index length = 100;
  constexpr Index rows = 3;
  rig.randomize(7);
  rig.over(length);
  testing::randomize(rig.query.span(), 8);
  testing::randomize(rig.key.span(), 9);
  rig->encode_layer(testing::normal_tensor({length, 16}).view(), 0, rig.pass());
  for (const Index first : {Index{1}, Index{40}}) {
    const Tensor<double> seen = rig.scores({.first = first, .rows = rows});
    const Tensor<double> all = rig.scores({.first = first, .rows = rows, .keys = length});
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < first + i; ++j) {
        EXPECT_NE(seen(i, j), 0.0);
        EXPECT_NEAR(all(i, j), seen(i, j), 1e-12) << i << " " << j;
      }
    }
  }
}

class EveryShiftInvariantEncoding : public ::testing::TestWithParam<ModelCase> {};

// Encodings declared to depend only on differences of positions do not change with a common offset.
TEST_P(EveryShiftInvariantEncoding, SeesNoCommonOffset) {
  const testing::ModelRig<double> rig(GetParam().config);
  const std::vector<Token> tokens = testing::random_tokens(case_batch * case_length, case_vocabulary);
  const std::vector<double> there = rig.logits(tokens, {.positions = irregular_positions()});
  for (const double offset : {1.0, 37.0, 250.0}) {
    EXPECT_LT(largest_difference(there, rig.logits(tokens, {.positions = irregular_positions(offset)})),
              1e-10)
        << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryShiftInvariantEncoding,
                         ::testing::ValuesIn(those_of(encoding_cases(), is_shift_invariant)),
                         testing::name_of_case);

// A lost declaration would silently remove a test case.
TEST(ShiftInvariantEncodings, AreThoseThatPapersCallRelative) {
  for (const char* name : {"none", "rope", "xpos", "alibi", "t5", "t5_clipped", "shaw", "transformer_xl",
                           "kerple_log", "kerple_power", "cope", "ssmax", "forgetting", "cable", "path",
                           "selective_rope", "pope", "grape_m", "dape"}) {
    EXPECT_TRUE(is_shift_invariant({name, {.encoding = name}})) << name;
  }
  for (const char* name :
       {"sinusoidal", "learned", "fire", "sinusoidal+t5", "tupe", "grape", "tupe(embedding=sinusoidal)"}) {
    EXPECT_FALSE(is_shift_invariant({name, {.encoding = name}})) << name;
  }
}

}  // namespace
}  // namespace ordinal
