// Claims as a user decides them: sections of a config, and the program that decides those of a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Ne;
using ::testing::Not;

namespace fs = std::filesystem;

const std::string none_rope =
    "[experiment]\nname = small\nseeds = 7\n[task]\nname = copy(symbols=8)\ntrain_length = 4\n"
    "[model]\nd_model = 16\nlayers = 1\nheads = 2\n[compare]\nmodel.encoding = none, learned\n"
    "[train]\nsteps = 20\nwarmup = 5\nbatch = 4\n[evaluate]\nlengths = 1x, 2x\nbatches = 1\n";

std::string claim(const std::string& id, const std::string& statement, const std::string& more = "") {
  return "[claim " + id + "]\nwords = so\nstatement = " + statement +
         "\nsource = own\nregistered = 2026-11-28\n" + more;
}
const std::string three_claims =
    claim("C1", "accuracy(none, 1x) >= 0.99") +
    claim("C2", "accuracy(none, 2x) > accuracy(none, 1x) + 0.05", "note = 20 steps are few.\n") +
    claim("C3", "accuracy(learned, 2x) >= 0.5");

TEST(ClaimsSlow, OfAConfigAreDecidedBesideItsReport) {
  write("a.cfg", none_rope + three_claims);
  EXPECT_THAT(extrapolate("--quiet --config a.cfg --out run --evaluate.gate=0.001").out,
              AllOf(HasSubstr("accuracy of learned at 2x (trained) has a value in 0 of 7 seeds"),
                    HasSubstr("\n3 claims: ")));
  EXPECT_THAT(column("id", "run/claims.csv"), ElementsAre("C1", "C2", "C3"));
  EXPECT_EQ(csv("run/claims.csv")[1].at("n"), "7");
  EXPECT_THAT(file("run/claims.md"), HasSubstr("20 steps are few."));
  EXPECT_THAT(file("run/resolved.cfg"), HasSubstr("[claim C2]"));
}

// Verdicts in the tree are those of the program, and of a second implementation in Python.
TEST(ShippedClaims, AreRecomputedFromTheirScores) {
  for (const std::string name : {"tests/fixtures/claims", "configs/claims"}) {
    const fs::path folder = source_folder() / name;
    if (!fs::exists(folder / "claims.md")) continue;
    run_well("claims", "--quiet --out run --claims.folder='" + folder.string() + "'");
    EXPECT_EQ(file("run/claims.md"), read_file(folder / "claims.md")) << name;
    if (std::system("python3 -c '' 2>/dev/null") != 0)
      GTEST_SKIP() << "python3 is missing: no second opinion";
    const std::string command = "cd '" + own_folder().string() + "' && '" +
                                (source_folder() / "tests/fixtures/claims/recompute.py").string() + "' '" +
                                folder.string() + "' run/claims.csv >differences.txt 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << name << "\n" << file("differences.txt");
  }
}

TEST(ShippedClaims, EachWithItsVerdictHaveATestThatCanFail) {
  const std::string folder = "'" + (source_folder() / "tests/fixtures/claims").string() + "'";
  run_well("claims", "--quiet --out run --claims.folder=" + folder);
  std::string table = file("run/claims.csv");
  write("wrong.csv", table.replace(table.find(",holds,"), 7, ",fails,"));
  const std::string script = (source_folder() / "tests/fixtures/claims/recompute.py").string();
  EXPECT_NE(std::system(
                ("'" + script + "' " + folder + " '" + (own_folder() / "wrong.csv").string() + "' >/dev/null")
                    .c_str()),
            0);
}

TEST(ClaimsSlow, AreTrainedByTwoCommandsAndStored) {
  fs::create_directories(own_folder() / "mine");
  write("mine/claims.cfg", none_rope + three_claims);
  write("mine/b.cfg", none_rope + claim("D1", "accuracy(none, 1x) >= 0.01"));
  write("mine/c.cfg", "[withdrawn E1]\nwords = less\nreason = the floor\n");
  EXPECT_THAT(run_well("claims", "--claims.folder=mine --out none").out,
              HasSubstr("4 claims: 0 hold, 0 fail, 0 undecided, 4 not run yet"));
  const std::string command = "--quiet --claims.folder=mine --claims.train=true --threads=1 --out ";
  EXPECT_THAT(run_well("claims", command + "one --dry-run").out,
              AllOf(HasSubstr("mine/claims.cfg\n"), HasSubstr("mine/b.cfg\n"), HasSubstr("4 not run yet")));
  EXPECT_FALSE(exists("one"));
  run_well("claims", command + "one");
  run_at_once(2, "claims", command + "two ");
  const auto trained = written_at("two/claims_b/cells/none/seed-1/result.json");
  run_well("claims", command + "two");
  EXPECT_EQ(written_at("two/claims_b/cells/none/seed-1/result.json"), trained);
  EXPECT_EQ(file("two/claims.scores.csv"), file("one/claims.scores.csv"));
  EXPECT_EQ(file("two/claims.csv"), file("one/claims.csv"));
  for (const std::string name : {"claims", "b"})
    write("mine/" + name + ".scores.csv", file("one/" + name + ".scores.csv"));
  EXPECT_THAT(run_well("claims", "--claims.folder=mine --out again").out, HasSubstr("0 not run yet"));
  for (const std::string name : {"claims.csv", "claims.md"})
    EXPECT_EQ(file("again/" + name), file("one/" + name));
  EXPECT_THAT(file("again/claims.md"), HasSubstr("- E1, withdrawn: less (the floor)\n"));
  EXPECT_FALSE(exists("again/claims_b"));
}

TEST(Claims, AskAgainWhatAnotherClaimStates) {
  fs::create_directories(own_folder() / "mine");
  write("mine/a.cfg", none_rope + claim("A1", "accuracy(none, 1x) >= 0.01") +
                          claim("A2", "accuracy(none, 1x) >= 0.02", "again = A1\n") +
                          claim("A3", "accuracy(none, 1x) >= 0.03", "again = B1\n"));
  const Outcome refused = run_program("claims", "--claims.folder=mine --out out");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("[claim A3] again: got 'B1', expected the ID of another claim"));
  write("mine/b.cfg", none_rope + claim("B1", "accuracy(none, 2x) >= 0.01"));
  EXPECT_THAT(run_well("claims", "--claims.folder=mine --out out").out, HasSubstr("\n2 claims: 0 hold, "));
}

TEST(ClaimsSlow, AreGatheredFromTrainingsOfExtrapolation) {
  fs::create_directories(own_folder() / "mine");
  write("mine/a.cfg", none_rope + three_claims);
  extrapolate("--quiet --config mine/a.cfg --out one/claims_a");
  const auto trained = written_at("one/claims_a/cells/none/seed-1/result.json");
  run_well("claims", "--quiet --claims.folder=mine --claims.train=true --out one");
  EXPECT_EQ(written_at("one/claims_a/cells/none/seed-1/result.json"), trained);
  EXPECT_EQ(file("one/a.scores.csv"), file("one/claims_a/scores.csv"));
  EXPECT_EQ(column("verdict", "one/claims.csv"), column("verdict", "one/claims_a/claims.csv"));
}

// Scores of other settings decide nothing.
TEST(ClaimsSlow, AreNotDecidedByScoresOfOtherSettings) {
  fs::create_directories(own_folder() / "mine");
  write("mine/a.cfg", none_rope + three_claims);
  run_well("claims", "--quiet --claims.folder=mine --claims.train=true --out one");
  write("mine/a.scores.csv", file("one/a.scores.csv"));
  const auto decided = [](const std::string& from, const std::string& to) {
    std::string config = none_rope + three_claims;
    write("mine/a.cfg", config.replace(config.find(from), from.size(), to));
    return run_well("claims", "--claims.folder=mine --out again").out;
  };
  EXPECT_THAT(decided("words = so", "words = other"), HasSubstr(" 0 not run yet"));
  for (const auto& [from, to, message] :
       {std::tuple("steps = 20", "steps = 21", "train.steps = 20, the config 21"),
        {"symbols=8", "symbols=7", "task.name = copy(symbols=8), the config copy(symbols=7)"},
        {"none, learned", "none, rope, learned",
         "[compare] model.encoding = none, learned, the config none, rope, learned"}})
    EXPECT_THAT(decided(from, to),
                AllOf(HasSubstr(std::string("its settings changed since its scores were stored: they have ") +
                                message),
                      HasSubstr(" 3 not run yet")));
  const auto without_line = [](std::string text, const std::string& start) {
    const std::size_t at = text.find("# " + start);
    return text.erase(at, text.find('\n', at) + 1 - at);
  };
  write("mine/a.scores.csv", without_line(file("one/a.scores.csv"), "model.norm = "));
  EXPECT_THAT(decided("words = so", "words = other"), HasSubstr(" 0 not run yet")) << "at its default";
  write("mine/a.scores.csv", without_line(file("one/a.scores.csv"), "train.steps = "));
  EXPECT_THAT(decided("words = so", "words = other"),
              HasSubstr("the config has train.steps = 20, they do not"));
  std::string other_data = file("one/a.scores.csv");
  write("mine/a.scores.csv", other_data.replace(other_data.find("data of copy(symbols=8) = "), 30,
                                                "data of copy(symbols=8) = 0000"));
  EXPECT_THAT(decided("words = so", "words = other"), HasSubstr("data of copy(symbols=8) = 0000"));
  write("mine/a.scores.csv", other_data.substr(other_data.find("row,seed")));
  EXPECT_THAT(decided("words = so", "words = other"),
              HasSubstr("the config has experiment.seeds = 7, they do not"));
}

// Only the rows of the lengths, metrics and conditions of a claim.
TEST(ClaimsSlow, AreStoredInFewLines) {
  write("a.cfg", none_rope + claim("C1", "accuracy(none, 2x) >= 0.99"));
  extrapolate("--quiet --config a.cfg --out run --evaluate.conditions=trained,window");
  EXPECT_THAT(column("length", "run/scores.csv"), Contains("4"));  // all lengths
  EXPECT_THAT(column("metric", "run/scores.csv"), Each("accuracy"));
  EXPECT_THAT(column("condition", "run/scores.csv"), Each("trained"));
  EXPECT_THAT(column("row", "run/scores.csv"), Contains("learned"));
}

TEST(ClaimsSlow, AboutATextAreTrainedWithOneFromTheirConfigOrTheCommandLine) {
  fs::create_directories(own_folder() / "mine");
  write("text.txt", std::string(4000, 'a'));
  const auto on_text = [](std::string config, const std::string& file) {
    return config.replace(config.find("copy(symbols=8)"), 15, "text") + file;
  };
  write("mine/a.cfg", on_text(none_rope, "") + claim("E1", "bits(none, 1x) >= 90"));
  write("mine/b.cfg", on_text(none_rope, "[task]\nfile = text.txt\n") + claim("E2", "bits(none, 1x) >= 90"));
  expect_refused("claims", "--config mine/a.cfg",
                 "mine/a.cfg: got claims, which `extrapolation --config mine/a.cfg`");
  const Outcome decided = run_well("claims", "--quiet --claims.folder=mine --dry-run");
  EXPECT_THAT(decided.out, AllOf(HasSubstr("2 not run yet"), Not(HasSubstr("mine/b.cfg\n"))));
  const std::string command = "--quiet --claims.folder=mine --claims.train=true --out run";
  expect_refused("claims", command,
                 "mine/a.cfg: task.file: got nothing, expected --task.file=TEXT, on which to train this");
  EXPECT_FALSE(exists("run"));
  EXPECT_THAT(run_well("claims", command + " --dry-run --task.file=text.txt").out, HasSubstr("mine/a.cfg\n"));
}

TEST(RefusedClaims, AreNamedAllAtOnceBeforeAnythingIsTrained) {
  write("a.cfg",
        none_rope + claim("A", "accuracy(rope, 1x) >= 0.3") + claim("B", "accuracy(none, 5x) >= 0.3"));
  EXPECT_THAT(error_of("extrapolation", "--quiet --config a.cfg --out run", 2),
              AllOf(HasSubstr("[claim A] statement: got row 'rope'"),
                    HasSubstr("[claim B] statement: got length '20'")));
  EXPECT_FALSE(exists("run"));
}

TEST(RefusedClaims, NameALengthAtWhichTheConditionIsNotTested) {
  write("a.cfg", none_rope + claim("A", "accuracy(none, 1x, window) >= 0.1"));
  EXPECT_THAT(error_of("extrapolation",
                       "--quiet --config a.cfg --out run --evaluate.conditions=trained,window@2x", 1),
              HasSubstr("[claim A] statement: got length '4', expected one of 8\n"));
}

TEST(RefusedClaims, OfAFolderAreNamedAllAtOnce) {
  fs::create_directories(own_folder() / "twice");
  const std::string one = claim("A", "accuracy(none, 1x) >= 0.3");
  write("twice/a.cfg", none_rope + one);
  write("twice/b.cfg", none_rope + claim("B", "accuracy(none, 1x) < 0.3"));
  write("twice/c.cfg", none_rope + one);
  write("twice/d.cfg", none_rope);
  write("twice/d.scores.csv", "row,seed\nnone,1\n");
  EXPECT_THAT(error_of("claims", "--quiet --claims.folder=twice --claims.train=true --out run", 3),
              AllOf(HasSubstr("twice/b.cfg:"), HasSubstr("got 'accuracy(none, 1x) < 0.3', expected A > B"),
                    HasSubstr("twice/c.cfg: [claim A] is also in twice/a.cfg"),
                    HasSubstr("twice/d.cfg: twice/d.scores.csv: got columns row, seed, expected row, ")));
  expect_refused("claims", "--quiet --claims.folder=nowhere --out run",
                 "claims.folder: got nowhere, expected a folder with configs");
  fs::create_directories(own_folder() / "plain");
  write("plain/a.cfg", none_rope);
  expect_refused(
      "claims", "--quiet --claims.folder=plain --out run",
      "claims.folder: got plain, expected a folder with configs (*.cfg) that have a section [claim ID], "
      "such as configs/claims\n");
  EXPECT_FALSE(exists("run"));
}

}  // namespace
}  // namespace ordinal::experiments::testing
