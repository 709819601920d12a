// Files that no run has made, or another kind of run, stay as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "experiments/results/npy.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void expect_untouched(const std::string& program, const std::string& arguments, const std::string& message) {
  const Entries before = everything();
  expect_refused(program, arguments, message);
  EXPECT_EQ(everything(), before) << program << arguments;
}

TEST(ForeignFiles, OfAUserAreNotReplaced) {
  fs::create_directories(own_folder() / "mine");
  for (const std::string name :
       {"table.md", "resolved.cfg", "training.svg", "curves.svg", "statistics.txt"}) {
    write("mine/" + name, "my own");
    const std::string message = "mine/" + name + ": no run has made it";
    expect_untouched("extrapolation", one_seed + "--out mine", message);
    expect_untouched("train", tiny + "--out mine", message);
    expect_untouched("encoding", "--quiet --encoding.name=rope --out mine", message);
    fs::remove(own_folder() / "mine" / name);
  }
  write("mine/notes.txt", "my own");
  extrapolate(one_seed + "--out mine");
  EXPECT_EQ(file("mine/notes.txt"), "my own");
}

TEST(ForeignFiles, ThatTheCommandReadsAreNotReplaced) {
  extrapolate(one_seed + "--out run");
  extrapolate("--quiet --config run/resolved.cfg --out run");  // as the report says
  write("run/resolved.cfg", "# my own\n" + file("run/resolved.cfg"));
  const std::string message = ": results would replace this file, which the command reads";
  expect_untouched("extrapolation", "--quiet --config run/resolved.cfg --out run",
                   "run/resolved.cfg" + message);
  expect_untouched("extrapolation", one_seed + "--task.name=text --task.file=run/table.md --out run",
                   "run/table.md" + message);
}

TEST(ForeignFiles, OfAnotherRunAreNotMixedWithItsOwn) {
  extrapolate(one_seed + "--out run");
  const std::string inside = "run, which holds the trainings of an experiment; choose another --out";
  expect_untouched("train", tiny + "--out run/cells/sinusoidal/seed-1", inside);
  expect_untouched("extrapolation", one_seed + "--out run/cells", inside);
  expect_untouched("encoding", "--quiet --encoding.name=rope --out run/cells/sinusoidal/seed-1", inside);
  expect_untouched("encoding", "--quiet --encoding.name=rope --out run",
                   "run: it holds the trainings of an experiment");
}

TEST(ForeignFiles, AFolderWithTheNameOfAFileIsNoticedFirst) {
  extrapolate(one_seed + "--out run");
  fs::remove(own_folder() / "run/report.html");
  fs::create_directories(own_folder() / "run/report.html");
  expect_untouched("extrapolation", one_seed + "--experiment.seeds=2 --out run",
                   "run/report.html: expected a file; remove it, or choose another --out");
}

TEST(ForeignFiles, ParityReplacesOnlyWhatItWrote) {
  train(tiny + "--task.name=copy --out run");
  const std::vector<std::int64_t> tokens(5, 3);
  write_npy<std::int64_t>(own_folder() / "tokens.npy", {1, 5}, tokens);
  const std::string parity =
      "--model run/checkpoint.safetensors --tokens tokens.npy --targets tokens.npy --out ";
  fs::copy(own_folder() / "run", own_folder() / "other", fs::copy_options::recursive);
  fs::create_symlink("other/checkpoint.safetensors", own_folder() / "link.safetensors");
  for (const std::string out :
       {"other/checkpoint.safetensors", "other/result.json", "other/.lock", "link.safetensors"})
    expect_untouched("parity", parity + out, out + ": parity has not written it");
  for (int times = 0; times < 2; ++times) run_well("parity", parity + "own.safetensors");
}

TEST(ForeignFiles, OfEarlierRunsOfTheSameProgramAreGoneOrNamed) {
  const auto names = [](const std::string& folder) {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(own_folder() / folder))
      all.insert(entry.path().filename());
    return all;
  };
  run_well("encoding", "--quiet --encoding.name=none --out fresh");
  for (const std::string name : {"rope", "sinusoidal", "none"})
    run_well("encoding", "--quiet --encoding.name=" + name + " --out all");
  EXPECT_EQ(names("all"), names("fresh"));
  extrapolate(one_seed + "--compare.model.encoding=none,rope --out run");
  for (const std::string name : {"run/figures/mine.svg", "run/input.npy"}) write(name, "my own");
  const Outcome fewer = run_well("extrapolation", with_progress + "--compare.model.encoding=none --out run");
  EXPECT_THAT(fewer.err, HasSubstr("run/cells: no row of this run has rope; the tables are without it"));
  for (const std::string& name : names("run/figures")) EXPECT_THAT(name, Not(HasSubstr("rope")));
  for (const std::string name : {"run/figures/mine.svg", "run/input.npy"}) EXPECT_EQ(file(name), "my own");
}

TEST(ForeignFiles, ATruncatedCheckpointIsNoFinishedTraining) {
  train(tiny + "--out run");
  const std::string name = "run/checkpoint.safetensors";
  fs::resize_file(own_folder() / name, 1000);
  expect_untouched("train", tiny + "--out run", "/checkpoint.safetensors: truncated");
}

}  // namespace
}  // namespace ordinal::experiments::testing
