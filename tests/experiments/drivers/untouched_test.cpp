// A refused command leaves every byte and every time of modification as it was: of finished results, of what is damaged, and of what a
// run that was not refused would have written first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "experiments/process/results_folder.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> changes(Entries before) {
  std::vector<std::string> changed;
  for (const auto& [name, entry] : everything()) {
    const auto there = before.find(name);
    if (there == before.end() || there->second != entry) changed.push_back(name);
    before.erase(name);
  }
  for (const auto& [name, entry] : before) changed.push_back(name);
  return changed;
}

struct Refusal {
  std::string arguments;
  std::string message;
  std::function<void()> prepare = {};  // changes the finished folder first
  std::string program = "extrapolation";
  bool is_locked = false;  // it is only noticed when the folder is locked, and the lock names the process
};

// Each is refused in the folder "run" as it is now.
void expect_untouched(const std::vector<Refusal>& refusals) {
  const fs::path run = own_folder() / "run";
  const fs::path finished = own_folder() / "finished";
  fs::rename(run, finished);
  for (const Refusal& refusal : refusals) {
    fs::remove_all(run);
    fs::copy(finished, run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    if (refusal.prepare) refusal.prepare();
    const auto before = everything();
    EXPECT_THAT(error_of(refusal.program, refusal.arguments), HasSubstr(refusal.message));
    auto changed = changes(before);
    if (refusal.is_locked) std::erase(changed, "run/.lock");
    EXPECT_THAT(changed, IsEmpty()) << refusal.arguments << ": " << refusal.message;
  }
}

// ---- What happens to a file

std::function<void()> written(const std::string& name, const std::string& text) {
  return [=] { write(name, text); };
}

std::function<void()> cut(const std::string& name) {
  return [=] { write(name, file(name).substr(0, file(name).size() / 2)); };
}

void flip_last_bit(const std::string& name) {
  std::string bytes = file(name);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write(name, bytes);
}
std::function<void()> flipped(const std::string& name) {
  return [=] { flip_last_bit(name); };
}

std::function<void()> replaced(const std::string& name, const std::string& by) {
  return [=] { fs::copy_file(own_folder() / by, own_folder() / name, fs::copy_options::overwrite_existing); };
}

void remove(const std::string& name) { fs::remove_all(own_folder() / name); }

// The checkpoint in a folder with a weight that is NaN.
void write_with_nan(const std::string& name, const std::string& folder) {
  write_checkpoint(name, folder + "/checkpoint.safetensors", {},
                   [](auto& all) { all.at("final_norm.weight").at(1) = std::nanf(""); });
}

// ---- The finished folders

const std::string two_seeds = tiny + "--experiment.seeds=2 --out run ";
const std::string two_rows = two_seeds + "--compare.model.encoding=none,rope ";
const std::string more_lengths = two_rows + "--evaluate.lengths=1x,2x,4x ";
const std::string first = "run/cells/none/seed-1/";
const std::string last = "run/cells/rope/seed-2/";

TEST(RefusedSlow, OtherProgramsLeaveAnExperimentUntouched) {
  extrapolate(two_rows);
  const std::string message =
      "run: it holds the trainings of an experiment; choose another --out, or remove it";
  expect_untouched({
      {tiny + "--out run --model.encoding=none", message, {}, "train"},
      {"--quiet --model finished/cells/none/seed-1/checkpoint.safetensors --out run",
       message,
       {},
       "evaluate"},
  });
}

TEST(RefusedSlow, DamagedFilesLeaveAnExperimentUntouched) {
  extrapolate(two_rows);
  const std::string checkpoint = checkpoint_of(last);
  const auto unfinished = [&](const std::function<void()>& damage) {
    return [=] {
      damage();
      remove(last + "result.json");
    };
  };
  std::vector<Refusal> all = {
      {more_lengths, "checkpoint.safetensors: tensor ", flipped(checkpoint)},
      {more_lengths, checkpoint + ": ",
       [&] {
         const std::vector<float> values(6);
         SafetensorsWriter writer;
         writer.add("weight", {2, 3}, values);
         writer.write(own_folder() / checkpoint);
       }},
      {two_rows, checkpoint + ": truncated", unfinished(cut(checkpoint))},
      {more_lengths, checkpoint + ": it is step 20 of the training ",
       replaced(checkpoint, "run/cells/rope/seed-1/checkpoint.safetensors")},
      {two_rows, "run/cells/rope/seed-2: result.json: it is damaged",
       [&] {
         std::string text = file(last + "result.json");
         char& digit = text.at(text.find("\"value\":") + 8);
         digit = digit == '1' ? '2' : '1';
         write(last + "result.json", text);
       }},
      {two_rows, "run/cells/rope/seed-2: result.json: it is damaged",
       written(last + "result.json", "{\"scores\": [")},
      {two_rows,
       "run/cells: it is a symbolic link, and results stay in their folder; remove it, or choose another",
       [] {
         fs::rename(own_folder() / "run/cells", own_folder() / "run/moved");
         fs::create_directory_symlink("moved", own_folder() / "run/cells");
       },
       "extrapolation", true},
      {two_rows, "run/.lock: expected a regular file; remove it\n",
       [] {
         remove("run/.lock");
         ASSERT_EQ(::mkfifo((own_folder() / "run/.lock").c_str(), 0600), 0);
       }},
  };
  const std::string whole = file(checkpoint);
  const std::string log_file = (fs::path(checkpoint).parent_path() / "metrics.jsonl").string();
  std::string huge = whole;
  huge[6] = '\x7f';  // a header longer than any file
  for (const std::string& bytes :
       {std::string(), whole.substr(0, 5), whole.substr(0, 100), whole.substr(0, whole.size() - 1),
        whole + "more", huge, std::string(5000, 'x')})
    all.push_back({more_lengths, checkpoint + ": ", written(checkpoint, bytes)});
  for (const char* log :
       {"{\"step\":\"x\"}\nnothing\n{\"step\":5,\"bits_per_token\":null}\n[1]\n{\"step\":", ""})
    all.push_back(
        {more_lengths, log_file + ": its lines up to step 20 are not those", written(log_file, log)});
  expect_untouched(all);
}

// Weights count only if they are of the last step of this training.
TEST(RefusedSlow, WeightsOfAnotherTrainingLeaveAnExperimentUntouched) {
  write("book.txt", std::string(1000, 'a') + std::string(1000, 'b'));
  write("other.txt", std::string(1000, 'b') + std::string(1000, 'a'));
  const std::string text =
      tiny + "--task.name=text --experiment.seeds=2 --compare.model.encoding=rope,none --out ";
  const std::string run = text + "run --task.file=book.txt ";
  extrapolate(run);
  extrapolate(text + "rate --task.file=book.txt --train.learning_rate=0.5");
  extrapolate(text + "text --task.file=other.txt");
  const std::string longer = run + "--evaluate.lengths=1x,2x,4x ";
  const std::string weights = "/cells/none/seed-1/checkpoint.safetensors";
  const std::string own = checkpoint_of("run/cells/none/seed-1");
  const std::string message = own + ": it is step 20 of the training ";
  expect_untouched({
      {longer, message, replaced(own, "run/cells/none/seed-2/checkpoint.safetensors")},
      {longer, message, replaced(own, "rate" + weights)},
      {longer, message, replaced(own, "text" + weights)},
      {longer, own + ": truncated", cut(own)},
      {longer, own + ": it is step 21 of the training ",
       [&] {
         write_checkpoint(own, own, {{"step", "21"}});
       }},
  });
}

TEST(RefusedSlow, WhileAnotherRunWrites) {
  extrapolate(two_rows);
  const std::string busy = "writes its results there; wait for it, or choose another --out";
  std::unique_ptr<FolderLock> other;
  const auto held = [&](const std::string& purpose) {
    return [&other, purpose] {
      other.reset();
      other = std::make_unique<FolderLock>(own_folder() / "run", an_experiment, purpose);
    };
  };
  expect_untouched({
      {two_rows, busy, held("")},
      {two_rows,
       ", or one that joined it, writes results of other settings there; wait for it, or choose another",
       held("other")},
  });
}

TEST(RefusedSlow, DamageLeavesASecondStageUntouched) {
  write("a.cfg", interpolated);
  const std::string run = one_seed + "--out run --config a.cfg ";
  extrapolate(run);
  const std::string stage = checkpoint_of("run/cells/fine-tuned/seed-1");
  expect_untouched({{run + "--evaluate.lengths=1x", stage + ": truncated", cut(stage)}});
}

TEST(RefusedSlow, DamageLeavesATunedExperimentUntouched) {
  const std::string run = tuned_run + "--compare.model.encoding=none --out run ";
  extrapolate(run);
  const std::string candidate = "run/tuning/none/learning_rate=1e-9";
  expect_untouched({
      {run + "--evaluate.lengths=1x,4x", "checkpoint.safetensors: truncated",
       cut("run/cells/none/seed-1/checkpoint.safetensors"), "extrapolation", true},
      {run, checkpoint_of(candidate) + ": truncated",
       [&] {
         cut(candidate + "/checkpoint.safetensors")();
         remove(candidate + "/result.json");
       }},
  });
}

TEST(RefusedSlow, DamageLeavesTheTrainingsOfClaimsUntouched) {
  fs::create_directories(own_folder() / "mine");
  write("mine/a.cfg",
        "[experiment]\nname = small\nseeds = 5\n[claim C]\nwords = w\nstatement = bits(none, 1x) >= 1\n"
        "source = s\nregistered = 2026-11-28\n[compare]\nmodel.encoding = none\n[model]\nd_model = 16\n"
        "heads = 2\nlayers = 1\n[task]\ntrain_length = 16\n[train]\nsteps = 3\nwarmup = 1\nbatch = 4\n"
        "[evaluate]\nbatches = 1\n");
  extrapolate("--quiet --config mine/a.cfg --out run/claims_a");
  const std::string cell = "run/claims_a/cells/none/seed-1";
  expect_untouched(
      {{"--quiet --claims.train=true --claims.folder=mine --out run", checkpoint_of(cell) + ": truncated",
        [&] {
          cut(cell + "/checkpoint.safetensors")();
          remove(cell + "/result.json");
        },
        "claims"}});
}

TEST(RefusedSlow, OtherProgramsLeaveATrainingUntouched) {
  const std::string run = tiny + "--out run ";
  train(run);
  std::vector<Refusal> all = {
      {run + "--model run/checkpoint.safetensors",
       "run/checkpoint.safetensors: results would replace this file, which the command reads"},
  };
  for (Refusal& refusal : all) refusal.program = "train";
  all.push_back({one_seed + "--out run", "run: it holds a single training; choose another"});
  all.push_back({"--quiet --model finished/checkpoint.safetensors --out run",
                 "run: it holds a single training",
                 {},
                 "evaluate"});
  expect_untouched(all);
}

TEST(RefusedSlow, OtherModelsLeaveScoresUntouched) {
  extrapolate(one_seed + "--compare.model.encoding=rope,none --out trained");
  const std::string scoring =
      "--quiet --evaluate.batches=2 --model trained/cells/rope/seed-1/checkpoint.safetensors ";
  run_well("evaluate", scoring + "--evaluate.lengths=1x --out run");
  std::vector<Refusal> all = {
      {scoring + "--evaluate.lengths=1x,2x --out run", "run/cells/rope/seed-1: result.json: it is damaged",
       written("run/cells/rope/seed-1/result.json", "{")},
      {"--quiet --model nan.safetensors --evaluate.lengths=2x --out run",
       "tensor final_norm.weight holds infinite numbers or NaN",
       [] { write_with_nan("nan.safetensors", "trained/cells/rope/seed-1"); }},
  };
  for (Refusal& refusal : all) refusal.program = "evaluate";
  all.push_back(
      {tiny + "--out run", "run: it holds scores of checkpoints, which evaluate wrote", {}, "train"});
  all.push_back({one_seed + "--out run", "run: it holds scores of checkpoints, which evaluate wrote"});
  expect_untouched(all);
}

TEST(RefusedSlow, AFolderThatDoesNotExistIsNotMade) {
  train(steps + "--model.encoding=none --out first");
  write_with_nan("nan.safetensors", "first");
  const auto before = everything();
  for (const char* program : {"train", "evaluate"})
    expect_refused(
        program, "--quiet --model nan.safetensors --evaluate.lengths=1x --out new",
        std::string(program) + ": nan.safetensors: tensor final_norm.weight holds infinite numbers or NaN");
  EXPECT_THAT(changes(before), IsEmpty());
}

}  // namespace
}  // namespace ordinal::experiments::testing
