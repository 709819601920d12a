#include "experiments/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/storage/atomic_file.h"
#include "tests/experiments/report/sample_result.h"

namespace ordinal::experiments {
namespace {

using report_test::sample_result;
using testing::HasSubstr;
using testing::Not;

std::filesystem::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  auto folder = std::filesystem::path(testing::TempDir()) / (std::string("report_") + test->name());
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(WriteReport, WritesEveryFileAndThePageHoldsTheNumbers) {
  const auto out = fresh_folder() / "deep" / "results";
  const ReportFiles files = write_report(sample_result(), out);
  EXPECT_FALSE(files.gnuplot_missing);
  EXPECT_EQ(files.plot_error, "");
  ASSERT_EQ(files.paths.size(), 7U);
  EXPECT_EQ(files.paths.back(), out / "report.html");
  for (const auto& path : files.paths) EXPECT_GT(std::filesystem::file_size(path), 100U) << path;
  const std::string page = read_file(out / "report.html");
  for (const char* name : {"main", "training", "by_position"})
    EXPECT_THAT(page, HasSubstr(std::string("id=\"figure-") + name + '"'));
  EXPECT_THAT(page.substr(0, page.find("<script")), Not(HasSubstr("<svg"))) << "page.js draws the pictures";
}

TEST(WriteReport, WithoutGnuplotAllButThePicturesCome) {
  const auto out = fresh_folder();
  const ReportFiles files = write_report(sample_result(), out, {}, "no-such-gnuplot");
  EXPECT_TRUE(files.gnuplot_missing);
  EXPECT_THAT(files.plot_error, HasSubstr("gnuplot-nox"));
  EXPECT_EQ(files.paths.size(), 4U);
  for (const char* name : {"table.md", "table.csv", "seeds.csv", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(out / name)) << name;
  }
  EXPECT_THAT(read_file(out / "report.html"), HasSubstr("id=\"figure-training\""));
}

TEST(WriteReport, APictureOfAnEarlierRunDoesNotStayBesideNewNumbers) {
  const auto out = fresh_folder();
  write_report(sample_result(), out);
  ASSERT_TRUE(std::filesystem::exists(out / "curves.svg"));
  write_report(sample_result(), out, {}, "no-such-gnuplot");
  EXPECT_FALSE(std::filesystem::exists(out / "curves.svg"));
}

TEST(WriteReport, TheDriversOwnFiguresAreOnThePage) {
  const auto out = fresh_folder();
  write_report(sample_result(), out, {{"The encoding", "Rows are positions.", R"({"low":-1})"}});
  const std::string page = read_file(out / "report.html");
  EXPECT_THAT(page, HasSubstr("<b>The encoding</b> Rows are positions."));
  EXPECT_THAT(page, HasSubstr("\"0\":{\"low\":-1}"));
}

TEST(WriteReport, AnExperimentWithoutCellsStillHasAPage) {
  ExperimentResult result = sample_result();
  result.cells.clear();
  const auto out = fresh_folder();
  const ReportFiles files = write_report(result, out);
  EXPECT_EQ(files.plot_error, "");
  EXPECT_THAT(read_file(out / "report.html"), HasSubstr("No cell has been run yet."));
  EXPECT_THAT(read_file(out / "report.html"), HasSubstr("There is nothing to draw."));
}

TEST(WritePage, WritesOnlyThePage) {
  const auto out = fresh_folder();
  write_page(sample_result(), out);
  EXPECT_THAT(read_file(out / "report.html"), HasSubstr("written after the last training"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), {}), 1);
}

TEST(WriteReport, AFolderThatCannotBeMadeThrows) {
  const auto folder = fresh_folder();
  std::filesystem::create_directories(folder);
  write_file_atomically(folder / "file", std::string_view("in the way"));
  EXPECT_THROW(write_report(sample_result(), folder / "file"), std::filesystem::filesystem_error);
}

}  // namespace
}  // namespace ordinal::experiments
