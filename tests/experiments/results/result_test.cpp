#include "experiments/results/result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "experiments/process/hash.h"
#include "framework/core/errors.h"
#include "tests/experiments/report/sample_result.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

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
  cell.settings = "train.steps = 5\nevaluate.lengths = 4, 8\n";
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
  EXPECT_EQ(read.settings, cell.settings);
  ASSERT_EQ(read.scores.size(), 3U);
  for (const Score& score : read.scores) {
    EXPECT_EQ(score.row, cell.row);
    EXPECT_EQ(score.seed, cell.seed);
  }
  EXPECT_EQ(read.scores[0].length, 4);
  EXPECT_EQ(read.scores[0].metric.id, "bits");
  EXPECT_EQ(read.scores[0].value, 0.1);
  EXPECT_EQ(read.scores[0].error, 0.01);
  EXPECT_EQ(read.scores[0].tokens, 400);
  EXPECT_EQ(read.scores[0].condition, trained_condition);
  EXPECT_EQ(read.scores[1].condition, "window(size=4)");
  EXPECT_TRUE(read.scores[1].failed);
  EXPECT_EQ(read.scores[1].why, report_test::failure_reason);
  ASSERT_EQ(read.by_position[0].bits.size(), 4U);
  EXPECT_EQ(read.by_position[0].bits[0], 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(read.by_position[0].bits[1]));
  EXPECT_EQ(read.by_position[0].bits[2], infinity);
  EXPECT_EQ(read.by_position[0].bits[3], -infinity);
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

TEST(CellJson, BytesThatAreNotTextDoNotStopTheResult) {
  CellResult cell = awkward_cell();
  cell.note = "\xff";
  EXPECT_NO_THROW(cell_from_json(to_json(cell)));
}

std::string message(const std::string& text) {
  return message_of<DataError>([&] { cell_from_json(text); });
}

TEST(CellJson, GarbageIsADataErrorOfOneLine) {
  const std::string good = to_json(awkward_cell());
  for (const std::string& bad : {std::string(), std::string("garbage"), std::string("{}"),
                                 std::string(200'000, '['), good.substr(0, good.size() / 2), good + " "}) {
    EXPECT_EQ(
        message(bad),
        "result.json: it is damaged: it does not have the hash that it holds (delete it to run the cell "
        "again)");
  }
}

// A file of another version is whole, but has other members.
TEST(CellJson, OtherMembersAreOfAnotherVersion) {
  for (const std::string object : {"{}", "{\"row\":1}"}) {
    const std::string hash = fnv1a64_hex(std::as_bytes(std::span(object)));
    EXPECT_EQ(message(object.substr(0, object.size() - 1) + ",\"hash\":\"" + hash + "\"}\n"),
              "result.json: it is of another version (delete it to run the cell again)");
  }
}

}  // namespace
}  // namespace ordinal::experiments
