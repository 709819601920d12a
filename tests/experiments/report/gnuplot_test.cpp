// The suite installs gnuplot, so these tests fail, and are not skipped, if it is missing.
#include "experiments/report/gnuplot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A separate empty folder for each test.
std::filesystem::path fresh_folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / (std::string("gnuplot_") + test->name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

const char* const line = "set terminal svg font 'Helvetica,14'\nplot x\n";

TEST(Gnuplot, AScriptBecomesAnSvgAndIsKept) {
  const auto folder = fresh_folder();
  const DrawOutcome outcome = draw_svg(line, folder / "line.svg", "a < b");
  EXPECT_TRUE(outcome.drawn) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  const std::string svg = read_file(folder / "line.svg");
  EXPECT_THAT(svg, HasSubstr("<title>a &lt; b</title>"));
  EXPECT_THAT(svg, HasSubstr("Helvetica, Arial, sans-serif"));
  EXPECT_EQ(read_file(folder / "plots" / "line.gp"), line);
}

TEST(Gnuplot, AFolderMayHaveAnyName) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(fresh_folder());
  for (const char* name : {"-x", "  spaces ", "ha#sh", "new\nline", "\xFF\xFE", "quo\"te's", "a%d`b`"}) {
    const DrawOutcome outcome = draw_svg(line, std::filesystem::path(name) / "line.svg", "");
    EXPECT_TRUE(outcome.drawn) << name << ": " << outcome.error;
  }
  std::filesystem::current_path(before);
}

TEST(Gnuplot, TheTerminalOfTheEnvironmentDoesNotMatter) {
  ::setenv("GNUTERM", "no-such-terminal", 1);
  const DrawOutcome outcome = draw_svg(line, fresh_folder() / "line.svg", "");
  ::unsetenv("GNUTERM");
  EXPECT_TRUE(outcome.drawn) << outcome.error;
}

TEST(Gnuplot, AMissingProgramIsReportedAndDrawsNothing) {
  const auto folder = fresh_folder();
  const DrawOutcome outcome = draw_svg(line, folder / "line.svg", "", "no-such-gnuplot");
  EXPECT_FALSE(outcome.drawn);
  EXPECT_TRUE(outcome.missing);
  EXPECT_THAT(outcome.error, HasSubstr("no-such-gnuplot"));
  EXPECT_FALSE(std::filesystem::exists(folder / "line.svg"));
}

TEST(Gnuplot, AFailingScriptIsReportedInOneLine) {
  const auto folder = fresh_folder();
  const DrawOutcome outcome = draw_svg("this is no gnuplot\n", folder / "line.svg", "");
  EXPECT_FALSE(outcome.drawn);
  EXPECT_FALSE(outcome.missing);
  EXPECT_THAT(outcome.error, HasSubstr("could not draw line.svg"));
  EXPECT_THAT(outcome.error, Not(HasSubstr("\n")));
  EXPECT_FALSE(std::filesystem::exists(folder / "line.svg"));
}

TEST(Gnuplot, AProgramThatSucceedsWithoutAPictureIsAFailure) {
  const DrawOutcome outcome = draw_svg(line, fresh_folder() / "line.svg", "", "true");
  EXPECT_FALSE(outcome.drawn);
  EXPECT_FALSE(outcome.missing);
}

TEST(GnuplotString, QuotesAndControlCharactersAreTamed) {
  EXPECT_EQ(gnuplot_string("plain"), "'plain'");
  EXPECT_EQ(gnuplot_string("it's"), "'it’s'");
  EXPECT_EQ(gnuplot_string("a\nb\x7f"), "'a b '");
}

TEST(GnuplotString, NoTextRunsACommand) {
  const auto folder = fresh_folder();
  const std::string target = (folder / "pwned").string();
  for (const std::string& attack :
       {"`touch " + target + "`", "'; system('touch " + target + "'); #", "\"`touch " + target + "`\"",
        "\\'`touch " + target + "`", "x\nsystem('touch " + target + "')"}) {
    const std::string script =
        "set terminal svg noenhanced\nset title " + gnuplot_string(attack) + "\nplot x\n";
    const DrawOutcome outcome = draw_svg(script, folder / "line.svg", "");
    EXPECT_TRUE(outcome.drawn) << outcome.error;
    EXPECT_FALSE(std::filesystem::exists(target)) << attack;
  }
}

}  // namespace
}  // namespace ordinal::experiments
