// Claims as a user decides them: sections of a config, and the program that runs a folder of configs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string two_rows =
    "[experiment]\nname = small\nseeds = 7\n[task]\ntrain_length = 16\n"
    "[model]\nd_model = 16\nlayers = 1\nheads = 2\n[compare]\nmodel.encoding = none, learned\n"
    "[train]\nsteps = 20\nwarmup = 5\nbatch = 4\n[evaluate]\nlengths = 1x, 2x\nbatches = 1\n";
const std::string two_rows_b = "[experiment]\nname = other\n" + two_rows.substr(two_rows.find("seeds"));
const std::string three_claims =
    "[claim C1]\nstatement = fails(learned, 2x)\nsource = a table\n"
    "[claim C2]\nstatement = bits(none, 1x) > 60\nexpected = fails\nseeds = all\n"
    "[claim C3]\nstatement = learned(none) >= 0.5\nnote = 20 steps are few.\n";

TEST(ClaimsSlow, OfAConfigAreDecidedBesideItsReport) {
  write("a.cfg", two_rows + three_claims);
  EXPECT_THAT(extrapolate("--quiet --config a.cfg --out run").out,
              AllOf(HasSubstr("C1     holds"), HasSubstr("C2     fails"),
                    HasSubstr("3 claims: 1 hold, 2 fail, 0 undecided")));
  EXPECT_THAT(column("id", "run/claims.csv"), ElementsAre("C1", "C2", "C3"));
  EXPECT_EQ(csv("run/claims.csv")[1].at("n"), "7");
  EXPECT_EQ(csv("run/claims.csv")[0].at("source"), "a table");
  EXPECT_THAT(file("run/claims.html"), HasSubstr("20 steps are few."));
  EXPECT_THAT(file("run/resolved.cfg"), HasSubstr("[claim C2]"));
}

TEST(ClaimsSlow, OfAFolderAreOneTable) {
  std::filesystem::create_directories(own_folder() / "mine");
  write("mine/a.cfg", two_rows + three_claims + "[claims]\nset = quick\n");
  write("mine/b.cfg", two_rows_b + "[claims]\nset = full\n[claim D1]\nstatement = bits(none, 1x) < 90\n");
  write("mine/c.cfg",
        "[task]\nname = text\n[claims]\nset = quick\n[claim E1]\nstatement = bits(none, 1x) < 90\n");
  EXPECT_THAT(run_well("claims", "--claims.folder=mine --out run").err,
              HasSubstr("c.cfg is left out: it needs --task.file=TEXT"));
  const std::vector<std::string> ids = column("id", "run/claims.csv");
  EXPECT_EQ(ids.front(), "S1");
  EXPECT_EQ(ids.back(), "C3");
  EXPECT_THAT(run_program("claims", "--quiet --claims.folder=mine --claims.set=full --dry-run --out run").out,
              AllOf(HasSubstr("mine/a.cfg"), HasSubstr("mine/b.cfg")));
}

// Lines of claims.csv about trainings; S14 is a time.
std::vector<std::map<std::string, std::string>> of_trainings(const std::string& out) {
  auto lines = csv(out + "/claims.csv");
  std::erase_if(lines, [](const auto& line) { return line.at("id").starts_with("S"); });
  return lines;
}

TEST(ClaimsSlow, InPartsAreThoseOfOneProcess) {
  std::filesystem::create_directories(own_folder() / "mine");
  write("mine/a.cfg", two_rows + three_claims);
  write("mine/b.cfg", two_rows_b + "[claim D1]\nstatement = bits(none, 1x) < 90\n");
  const std::string command = "--quiet --claims.folder=mine --threads=1 --out ";
  run_well("claims", command + "one");
  for (const std::string part : {"2/2", "1/2"}) {
    EXPECT_THAT(run_well("claims", command + "parts --part=" + part).out,
                HasSubstr("part " + part + " of other: 7 of 14 cells"));
    EXPECT_FALSE(exists("parts/claims.csv"));
  }
  const auto trained = written_at("parts/small/cells/none/seed-1/result.json");
  run_well("claims", command + "parts");
  EXPECT_EQ(written_at("parts/small/cells/none/seed-1/result.json"), trained);
  EXPECT_EQ(of_trainings("parts"), of_trainings("one"));
}

TEST(Claims, AboutATextNeedOneFromTheirConfigOrTheCommandLine) {
  std::filesystem::create_directories(own_folder() / "mine");
  write("text.txt", std::string(4000, 'a'));
  const std::string claim = "[claim E1]\nstatement = bits(none, 1x) < 90\n";
  write("mine/a.cfg", two_rows + "[task]\nname = text\nfile = text.txt\n" + claim);
  write("mine/b.cfg", two_rows_b + "[compare]\ntask.name = text;\n" + claim);
  const Outcome outcome = run_well("claims", "--quiet --claims.folder=mine --dry-run");
  EXPECT_THAT(outcome.out, HasSubstr("mine/a.cfg"));
  EXPECT_EQ(outcome.err, "mine/b.cfg is left out: it needs --task.file=TEXT\n");
}

TEST(RefusedClaims, AreNamedAllAtOnceBeforeAnythingIsTrained) {
  write("a.cfg",
        two_rows + "[claim A]\nstatement = bits(rope, 1x) < 3\n[claim B]\nstatement = bits(none, 5x) < 3\n");
  EXPECT_THAT(error_of("extrapolation", "--quiet --config a.cfg --out run", 2),
              AllOf(HasSubstr("[claim A] statement: column 1: got row 'rope'"),
                    HasSubstr("[claim B] statement: column 1: got length '5x'")));
  write("b.cfg", two_rows + "[claim A]\nstatement = bits(none, 1x) << 3\nsauce = x\n");
  expect_refused("extrapolation", "--quiet --config b.cfg --out run",
                 "unknown key [claim A] sauce, expected one of words, statement, source");
  write("c.cfg", two_rows + "[claim A]\nstatement = bits(none, 1x) << 3\n[claim B]\nsource = me\n");
  EXPECT_THAT(run_program("extrapolation", "--quiet --config c.cfg --out run").err,
              AllOf(HasSubstr("in column 17, at '<'"), HasSubstr("[claim B] statement: got nothing")));
  EXPECT_FALSE(exists("run"));
  std::filesystem::create_directories(own_folder() / "twice");
  write("twice/a.cfg", two_rows + "[claim A]\nstatement = bits(none, 1x) < 3\n");
  write("twice/b.cfg", two_rows + "[claim A]\nstatement = bits(none, 1x) < 3\nx = 1\n");
  write("twice/c.cfg", two_rows + "[claim A]\nstatement = bits(none, 1x) < 3\n");
  EXPECT_THAT(error_of("claims", "--quiet --claims.folder=twice --out run", 3),
              AllOf(HasSubstr("twice/b.cfg"), HasSubstr("unknown key [claim A] x"),
                    HasSubstr("twice/c.cfg: experiment.name = small is also that of twice/a.cfg"),
                    HasSubstr("twice/c.cfg: [claim A] is also in twice/a.cfg")));
  std::filesystem::create_directories(own_folder() / "broken");
  write("broken/a.cfg", "[task]\nname = copy(symbols=8\n[claim A]\n");
  write("broken/b.cfg", "[model]\nd_model = 15\nheads = 2\n[claim B]\n");
  const Outcome broken = run_program("claims", "--quiet --claims.folder=broken --out run");
  EXPECT_THAT(broken.err,
              AllOf(HasSubstr("broken/a.cfg:2: task.name"), HasSubstr("\nclaims: broken/b.cfg: [row ")));
  expect_refused("claims", "--quiet --claims.folder=nowhere --out run",
                 "claims.folder: got nowhere, expected a folder with configs");
}

}  // namespace
}  // namespace ordinal::experiments::testing
