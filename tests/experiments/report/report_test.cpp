#include "experiments/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/process/folder_lock.h"
#include "framework/storage/atomic_file.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using ::testing::HasSubstr;

std::filesystem::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  auto folder = std::filesystem::path(testing::TempDir()) / (std::string("report_") + test->name());
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(WriteReport, LeavesNoPictureOfAnEarlierRunBesideNewNumbers) {
  const auto out = fresh_folder() / "deep" / "results";
  EXPECT_EQ(write_report(sample_result(), out), out / "report.html");
  for (const char* name :
       {"table.md", "table.csv", "seeds.csv", "curves.svg", "training.svg", "by_position.svg"})
    EXPECT_GT(std::filesystem::file_size(out / name), 100U) << name;
  ExperimentResult nothing = sample_result();
  for (CellResult& cell : nothing.cells) cell.scores.clear();
  write_report(nothing, out);
  EXPECT_FALSE(std::filesystem::exists(out / "curves.svg"));
}

// An equal command may have decided the claims of this folder already.
TEST(WriteReport, LeavesTheClaimsBesideIt) {
  const auto out = fresh_folder();
  for (const char* name : {"claims.md", "claims.csv", "claims.html", "scores.csv"})
    write_text(out / name, "1");
  write_report(sample_result(), out);
  for (const char* name : {"claims.md", "claims.csv", "claims.html", "scores.csv"})
    EXPECT_TRUE(std::filesystem::exists(out / name)) << name;
}

TEST(WriteReport, DrawsTheCurvesOfEachHeadlineMetric) {
  ExperimentResult result = sample_result();
  std::ranges::find(result.metrics, "bits.past", &MetricSpec::id)->headline = true;
  result.metrics.front().headline = true;
  const auto out = fresh_folder();
  write_report(result, out);
  EXPECT_GT(std::filesystem::file_size(out / "curves.svg"), 100U);
  EXPECT_GT(std::filesystem::file_size(out / "curves-bits.past.svg"), 100U);
}

TEST(WriteReport, TheDriversOwnFiguresAreFilesAndOnThePage) {
  const auto out = fresh_folder();
  const Heatmap map = heatmap(Tensor<double>({2, 2}).view(), {.title = "The encoding"});
  write_report(sample_result(), out, {{"The encoding", "Rows are positions.", map, "rope-input"}});
  EXPECT_EQ(read_file(out / "figures" / "rope-input.svg"), svg(map));
  const std::string page = read_file(out / "report.html");
  EXPECT_THAT(page, HasSubstr("<b>The encoding</b> Rows are positions."));
  EXPECT_THAT(page, HasSubstr(inside_page(map)));
}

TEST(WriteReport, NothingIsWrittenIntoAFolderThatWasBegunAgain) {
  const auto out = fresh_folder();
  const FolderLock lock(out);
  std::filesystem::remove_all(out);
  std::filesystem::create_directories(out);
  EXPECT_ANY_THROW(write_report(sample_result(), lock.path()));
  EXPECT_TRUE(std::filesystem::is_empty(out));
}

TEST(WriteReport, AFolderThatCannotBeMadeThrows) {
  const auto folder = fresh_folder();
  std::filesystem::create_directories(folder);
  write_file_atomically(folder / "file", std::string_view("in the way"));
  EXPECT_THROW(write_report(sample_result(), folder / "file"), std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace ordinal::experiments
