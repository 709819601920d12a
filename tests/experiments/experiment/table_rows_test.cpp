// Rows of tables that tests read and training never changes: none by default, and said where there are some. Against gradients.
#include "experiments/experiment/table_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "experiments/experiment/cell.h"
#include "framework/attention/attention_weights.h"
#include "framework/training/gradient.h"
#include "models/transformer.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using NamedRows = std::set<std::pair<std::string, Index>>;  // of parameters

Row row_of(const std::string& encoding, const std::string& task, Index length) {
  return {encoding,
          encoding,
          {},
          with({{"model.d_model", "8"},
                {"model.heads", "2"},
                {"model.layers", "1"},
                {"model.encoding", encoding},
                {"task.name", task},
                {"task.train_length", std::to_string(length)},
                {"evaluate.lengths", "1x, 2x, 8x"}})};
}

// The rows with a gradient in so many examples at these positions; none if their positions fail.
NamedRows rows_with_gradient(const Plan& plan, const PositionScheme& positions, Index length,
                             Index examples) {
  const Transformer<double> model(plan.model);
  Parameters<double> values(model.layout());
  initialize(values, 1);
  Threads one(1);
  BatchGradient<double> gradient(model, values, 1, one, positions);
  const Batch batch = make_batch(*plan.task, Split::training, 7, 0, examples, length);
  try {
    gradient.compute({&batch, 1}, {});
  } catch (const PositionError&) {
    return {};
  }
  NamedRows rows;
  for (const ParameterSpec& parameter : model.layout().specs()) {
    if (parameter.name.starts_with("token_embedding")) continue;
    const View<const double> d = gradient.gradients()[parameter.name];
    for (Index r = 0; r < d.rows; ++r) {
      if (std::any_of(d.row(r), d.row(r) + d.cols, [](double x) { return x != 0.0; }))
        rows.emplace(parameter.name, r);
    }
  }
  return rows;
}

// The rows that a test at eight times the training length reads and training does not change. Shorter examples of training
// reach no other rows.
NamedRows found_untrained(const Entrant& entrant) {
  const Plan& plan = entrant.first().plan;
  const Index length = training_lengths(plan.settings).longest();
  const NamedRows trained = rows_with_gradient(plan, plan.training_positions, length, 8);
  NamedRows rows = rows_with_gradient(plan, plan.test_positions, 8 * length, 2);
  std::erase_if(rows, [&](const auto& row) { return trained.contains(row); });
  return rows;
}

class EveryTable : public ::testing::TestWithParam<Index> {};

// A training length, and its eightfold in the test.
TEST_P(EveryTable, HasNoRowThatOnlyTestsReadUnlessThePlanSaysSo) {
  std::vector<std::string> all = encodings().names();
  for (const char* options :
       {"learned(overflow=clamp)", "learned(overflow=interpolate)", "learned(overflow=untrained)",
        "tupe(embedding=learned(overflow=clamp))", "tupe(embedding=learned(overflow=untrained))",
        "shaw(value_table=true)", "t5(buckets=32)", "t5(max_distance=100)", "t5_clipped(max_distance=40)",
        "learned+t5", "learned@spaced", "t5@contiguous:spaced", "shaw@contiguous:interpolated"})
    all.emplace_back(options);
  for (const std::string& encoding : all) {
    for (const std::string task : {"language", "flip_flop", "mlm"}) {
      const bool causal = task != "mlm";
      if (encoding == "learned@spaced" && task == "flip_flop") continue;  // shorter ones are elsewhere
      const Row row = row_of(encoding, task, GetParam());
      const auto entries = find_encodings(placed_encoding(encoding).encoding.items().front().part.name);
      if (!causal && entries.front().causal_only) continue;
      const Entrant entrant = Entrants().make(row);
      const NamedRows untrained = found_untrained(entrant);
      if (encoding == "cope") {  // where counts reach depends on the tokens
        const std::string& constants = entrant.first().work.constants;
        EXPECT_EQ(constants.find("training may not reach") == std::string::npos, untrained.empty())
            << constants;
        continue;
      }
      EXPECT_EQ(entrant.notes().empty(), untrained.empty())
          << encoding << " on " << task << ": " << (untrained.empty() ? "" : untrained.begin()->first);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(TrainedAt, EveryTable, ::testing::Values(3, 8, 16, 31, 32));

TEST(AttentionWeights, HaveNoParameterThatOnlyTestsRead) {
  for (const std::string& weights : attention_weights().names()) {
    Row row = row_of("none", "language", 8);
    row.settings.set("model.block", "attention(weights=" + weights + ")", "test");
    EXPECT_THAT(found_untrained(Entrants().make(row)), IsEmpty()) << weights;
  }
}

TEST(UntrainedRows, AreCountedForEachTable) {
  EXPECT_THAT(
      Entrants().make(row_of("learned(overflow=untrained)+t5(max_distance=100)", "language", 64)).notes(),
      ElementsAre(
          "learned(overflow=untrained)+t5(max_distance=100): tests read 448 rows of learned's table that "
          "training never changes",
          "learned(overflow=untrained)+t5(max_distance=100): tests read 4 rows of t5's table that training "
          "never changes"));
  EXPECT_THAT(Entrants().make(row_of("learned(overflow=clamp)", "flip_flop", 8)).notes(),
              ElementsAre(HasSubstr(": tests read a row of learned's table that")));
}

// A second stage of twice the length reaches what the first does not.
TEST(UntrainedRows, AreThoseThatNoStageReaches) {
  Row row = row_of("learned(max_seq_len=64, overflow=clamp)", "language", 8);
  EXPECT_THAT(Entrants().make(row).notes(), ElementsAre(HasSubstr("tests read 56 rows")));
  row.settings.set("finetune.steps", "5", "test");
  row.settings.set("finetune.length", "4x", "test");
  EXPECT_THAT(Entrants().make(row).notes(), ElementsAre(HasSubstr("tests read 32 rows")));
}

// Random positions, and positions that depend on lengths that vary, reach rows that one sequence does not show.
TEST(UntrainedRows, AreUnknownWherePositionsVary) {
  for (const std::string encoding : {"learned@randomized", "t5(buckets=32)@random_shift"})
    EXPECT_THAT(Entrants().make(row_of(encoding, "language", 8)).notes(), IsEmpty()) << encoding;
  EXPECT_THAT(Entrants().make(row_of("learned@spaced", "copy", 8)).notes(), IsEmpty());
}

}  // namespace
}  // namespace ordinal::experiments
