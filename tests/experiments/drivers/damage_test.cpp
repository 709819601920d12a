// Results that were put together from different runs, damaged or lost: the same numbers, or one clear line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

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

TEST(Results, OfOtherScoringDoNotCount) {
  extrapolate(one_row + "--evaluate.batches=1");
  copy(cell + "result.json", "old.json");
  extrapolate(one_row + "--evaluate.batches=8");
  const std::string table = file("run/table.csv");
  copy("old.json", cell + "result.json");
  extrapolate(one_row + "--evaluate.batches=8");
  EXPECT_EQ(file("run/table.csv"), table);
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

// The checkpoint as a program writes it that knows nothing of hashes, with another number in a tensor and without a key of the
// metadata.
void write_edited(const std::string& left_out) {
  const std::string whole = file("run/checkpoint.safetensors");
  SafetensorsHeader header = parse_safetensors_header(whole);
  std::string data = whole.substr(static_cast<std::size_t>(header.data_begin));
  const float changed = 2.0F;
  const auto first = std::ranges::find(header.tensors, "final_norm.weight", &SafetensorsTensor::name);
  std::memcpy(data.data() + first->begin, &changed, sizeof(changed));
  header.metadata.erase(left_out);
  write("edited.safetensors", render_safetensors_header(header.metadata, header.tensors) + data);
}

// The recipe of experiments/README.md for a checkpoint that is changed in Python.
TEST(Checkpoints, ThatWereEditedAreValidWithoutTheirHashes) {
  train(tiny + "--out run");
  const std::vector<std::pair<std::string, std::string>> uses = {
      {"generate", "--quiet --model edited.safetensors"},
      {"evaluate",
       "--quiet --evaluate.lengths=1x --evaluate.batches=1 --out scored --model edited.safetensors"},
      {"train", steps + "--out tuned --model edited.safetensors"}};
  write_edited("nothing");
  for (const auto& [program, arguments] : uses) {
    expect_refused(
        program, arguments,
        "edited.safetensors: tensor \"final_norm.weight\" is damaged: it does not have the hash that the "
        "file holds (use another checkpoint, or train again; if you have changed the file yourself, leave "
        "xxh3 out of its metadata)");
  }
  write_edited("xxh3");
  for (const auto& [program, arguments] : uses) run_well(program, arguments);
  EXPECT_EQ(SafetensorsFile(own_folder() / "edited.safetensors").values<float>("final_norm.weight").front(),
            2.0F);
  EXPECT_NE(nlohmann::json::parse(file("scored/manifest.json")).at("weights_hash"),
            nlohmann::json::parse(file("run/manifest.json")).at("weights_hash"));
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
