#include "experiments/results/result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "framework/core/errors.h"
#include "tests/experiments/report/sample_result.h"
#include "tests/framework/storage/scratch_folder.h"

namespace ordinal::experiments {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

CellResult awkward_cell() {
  CellResult cell = report_test::cell("rope \"x\"", std::numeric_limits<std::uint64_t>::max(),
                                      {report_test::score(4, 0.1, not_a_number), report_test::failure(8)});
  cell.note = "learned, clamp";
  cell.scores[1].condition = "window(size=4)";
  cell.by_position[0].bits = {1.0 / 3.0, not_a_number, infinity, -infinity};
  cell.final_train_loss = infinity;
  cell.settings = {.stages = {{{"train.steps", "5"}, {"train.clip", "1"}}, {}},
                   .evaluation = {{"lengths", "4, 8"}}};
  return cell;
}

TEST(CellJson, RoundTripKeepsEveryBit) {
  const CellResult cell = awkward_cell();
  const CellResult read = cell_from_json(to_json(cell));
  EXPECT_EQ(read.row, cell.row);
  EXPECT_EQ(read.seed, cell.seed);
  EXPECT_EQ(read.parameters, cell.parameters);
  EXPECT_EQ(read.train_length, 4);
  EXPECT_EQ(read.note, cell.note);
  EXPECT_EQ(read.training_curve, cell.training_curve);
  EXPECT_EQ(read.final_train_loss, infinity);
  EXPECT_EQ(read.seconds, 1.5);
  EXPECT_EQ(read.weights_hash, cell.weights_hash);
  EXPECT_EQ(read.settings.stages, cell.settings.stages);
  EXPECT_EQ(read.settings.evaluation, cell.settings.evaluation);
  ASSERT_EQ(read.scores.size(), 3U);
  for (const Score& score : read.scores) {
    EXPECT_EQ(score.row, cell.row);
    EXPECT_EQ(score.seed, cell.seed);
  }
  EXPECT_EQ(read.scores[0].length, 4);
  EXPECT_EQ(read.scores[0].metric, "bits");
  EXPECT_EQ(read.scores[0].value, 0.1);
  EXPECT_EQ(read.scores[0].error, 0.01);
  EXPECT_EQ(read.scores[0].tokens, 400);
  EXPECT_EQ(read.scores[0].condition, trained_condition);
  EXPECT_EQ(read.scores[1].condition, "window(size=4)");
  EXPECT_TRUE(read.scores[1].failed);
  EXPECT_EQ(read.scores[1].why, report_test::failure_reason);
  EXPECT_EQ(to_json(read), to_json(cell));
}

TEST(CellJson, AnyFlippedBitIsFoundOrChangesNothing) {
  const std::string good = to_json(awkward_cell());
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    std::string bad = good;
    bad[byte] = static_cast<char>(bad[byte] ^ (1 << (byte % 8)));
    try {
      EXPECT_EQ(to_json(cell_from_json(bad)), good) << "byte " << byte;
    } catch (const DataError&) {
    }
  }
}

TEST(CellJson, NestedWithoutEndIsRefused) {
  const std::string deep(200'000, '[');
  EXPECT_THROW(cell_from_json(deep), DataError);
}

TEST(CellJson, NumbersThatJsonLacksSurvive) {
  const CellResult read = cell_from_json(to_json(awkward_cell()));
  ASSERT_EQ(read.by_position[0].bits.size(), 4U);
  EXPECT_EQ(read.by_position[0].bits[0], 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(read.by_position[0].bits[1]));
  EXPECT_EQ(read.by_position[0].bits[2], infinity);
  EXPECT_EQ(read.by_position[0].bits[3], -infinity);
}

TEST(CellJson, BytesThatAreNotTextDoNotStopTheResult) {
  CellResult cell = awkward_cell();
  cell.note = "\xff";
  EXPECT_NO_THROW(cell_from_json(to_json(cell)));
}

std::string message(const std::string& text) {
  return message_of<DataError>([&] { cell_from_json(text); });
}

/// A good file with one part replaced, and without the hash, which would find any change.
std::string damaged(const std::string& from, const std::string& to) {
  std::string text = to_json(awkward_cell());
  const std::size_t hash = text.find(",\"hash\":");
  text.erase(hash, text.find('}', hash) - hash);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CellJson, GarbageIsADataErrorOfOneLine) {
  const std::string good = to_json(awkward_cell());
  const std::string bad[] = {"",
                             "garbage",
                             "[]",
                             "{}",
                             "null",
                             good.substr(0, good.size() / 2),
                             damaged("\"seed\"", "\"sead\""),
                             damaged("\"seed\":", "\"seed\":-"),
                             damaged("12345", "1.5"),
                             damaged("12345", "18446744073709551615"),
                             damaged("\"final_train_loss\":\"inf\"", "\"final_train_loss\":\"big\""),
                             damaged("[0,3.0]", "[0]"),
                             damaged("[0,3.0]", "7"),
                             damaged("{\"lengths\":\"4, 8\"}", "[]"),
                             damaged("\"4, 8\"", "4"),
                             damaged("[{\"train.clip\"", "[3,{\"train.clip\"")};
  for (const std::string& text : bad) {
    EXPECT_EQ(message(text).find('\n'), std::string::npos) << message(text);
    EXPECT_NE(message(text).find("result.json"), std::string::npos) << "accepted: " << text;
    EXPECT_EQ(message(text).find("json.exception"), std::string::npos) << message(text);
  }
}

TEST(CellJson, TheMessageNamesThePlaceAndWhatIsThere) {
  const std::string again = " (delete it to run the cell again)";
  EXPECT_EQ(message("{\"row\" 1}"), "result.json: byte 8: not JSON" + again);
  EXPECT_EQ(message("{\"row\":1e999}"), "result.json: a number is too large" + again);
  EXPECT_EQ(message("{}"), "result.json: row is missing" + again);
  EXPECT_EQ(message("{\"row\":1}"), "result.json: row: got 1, expected a text" + again);
  EXPECT_EQ(message("{\"row\":\"a\",\"seed\":-1}"),
            "result.json: seed: got -1, expected a whole number" + again);
}

}  // namespace
}  // namespace ordinal::experiments
