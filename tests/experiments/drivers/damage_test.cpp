// Results that were put together from different runs, damaged or lost: the same numbers, or one clear line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/process/folder_lock.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string one_row = one_seed + "--compare.model.encoding=none --out run ";
const std::string cell = "run/cells/none/seed-1/";

void copy(const std::string& from, const std::string& to) {
  std::filesystem::copy_file(own_folder() / from, own_folder() / to,
                             std::filesystem::copy_options::overwrite_existing);
}

TEST(Checkpoints, ThatAreGoneOrNotThoseThatWereScoredAreNamedInTheReport) {
  const std::string two = without("experiment.seeds", one_row) + " --experiment.seeds=2";
  extrapolate(two);
  const std::string log = file(cell + "metrics.jsonl");
  std::filesystem::remove(own_folder() / (cell + "checkpoint.safetensors"));
  extrapolate(two);
  EXPECT_THAT(file("run/report.html"),
              AllOf(HasSubstr("none: models that are missing"), HasSubstr("Seed 1: ")));
  EXPECT_EQ(file(cell + "metrics.jsonl"), log);
  EXPECT_FALSE(exists(cell + "checkpoint.safetensors"));
  copy("run/cells/none/seed-2/checkpoint.safetensors", cell + "checkpoint.safetensors");
  extrapolate(two);
  EXPECT_THAT(file("run/report.html"), HasSubstr("does not hold the weights that were scored"));
}

TEST(TwoRuns, InOneFolderAreOneTooMany) {
  const FolderLock other(own_folder() / "run");
  for (const std::string program : {"extrapolation", "train"}) {
    expect_refused(program, program == "train" ? tiny + "--out run" : one_row,
                   "writes its results there; wait for it, or choose another --out");
  }
  EXPECT_EQ(run_program("extrapolation", one_row + "--dry-run").exit_code, 0) << "which only reads";
}

// The first one still trains when its folder is taken away and the second one begins; it saves at its end.
TEST(TwoRuns, AFolderThatIsBegunAgainIsThatOfTheSecond) {
  const std::string first = tiny + "--train.log_every=2000 --train.checkpoint_every=2000 --train.steps=2000 ";
  const std::string command =
      "cd '" + own_folder().string() + "' && { " + quoted_program("train") + first +
      "--out run >first.txt 2>&1 & until [ -s run/metrics.jsonl ]; do sleep 0.02; done; mv run gone; " +
      quoted_program("train") + tiny + "--out run >second.txt 2>&1 || exit 99; wait $!; }";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2) << file("second.txt");
  EXPECT_THAT(file("first.txt"), AllOf(HasSubstr("train: run: the folder or its .lock was removed"),
                                       HasSubstr("nothing more is written")));
  EXPECT_EQ(std::ranges::count(file("first.txt"), '\n'), 1);
  train(tiny + "--out alone");
  EXPECT_EQ(file("run/checkpoint.safetensors"), file("alone/checkpoint.safetensors"));
  EXPECT_EQ(file("run/resolved.cfg"), file("alone/resolved.cfg"));
}

TEST(Results, StayInTheirFolder) {
  write("precious", "kept");
  std::filesystem::create_directories(own_folder() / cell);
  for (const std::string name : {"run/report.html", "run/table.csv", "run/cells/none/seed-1/metrics.jsonl"})
    std::filesystem::create_symlink(own_folder() / "precious", own_folder() / name);
  std::filesystem::create_directory_symlink("run", own_folder() / "link");
  extrapolate(one_seed + "--compare.model.encoding=none --out link");
  EXPECT_EQ(file("precious"), "kept");
  EXPECT_THAT(file("run/report.html"), HasSubstr("</html>"));
}

TEST(Results, MayHoldAFolderWithALockOfItsOwn) {
  const std::string trained = steps + "--model.encoding=none";
  train(trained + " --out run");
  train(trained + " --model run/checkpoint.safetensors --out run/tuned");
  train(trained + " --out run");
}

}  // namespace
}  // namespace ordinal::experiments::testing
