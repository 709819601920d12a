// One line says what to do, and no file is written. Refusals in a folder of results are in untouched_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "framework/storage/safetensors.h"
#include "framework/training/checkpoint.h"
#include "tests/experiments/drivers/program.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

const std::string one_cell = tiny + "--experiment.seeds=1 --compare.model.encoding=none --out run ";

TEST(RefusedExtrapolation, OfAnUnusableTextWritesNothing) {
  write("empty.txt", "");
  write("short.txt", std::string(600, 'x'));
  const std::string run = one_cell + "--task.name=text ";
  expect_refused("extrapolation", run, "task text: got no file, expected at least one (set task.file)");
  expect_refused("train", tiny + "--task.name='mlm(of=text)' --out run",
                 "task text: got no file, expected at least one (set task.file)");
  expect_refused("train", tiny + "--task.name=mlm --task.file=short.txt --out run",
                 "task mlm: got file short.txt, which only of = text reads (write mlm(of=text))");
  expect_refused("extrapolation", run + "--task.file=missing.txt", "missing.txt: No such file or directory");
  expect_refused("extrapolation", run + "--task.file=.", "is a directory");
  expect_refused("extrapolation", run + "--task.file=empty.txt", "empty.txt: the file is empty");
  expect_refused("extrapolation", run + "--task.file=short.txt --evaluate.lengths=1x,64",
                 "expected at least 65");
  expect_refused("extrapolation", run + "--task.file=short.txt --task.file=missing.txt", "missing.txt");
  write("copy.txt", std::string(600, 'x'));
  for (const std::string again : {"short.txt", "copy.txt"}) {
    expect_refused("extrapolation", run + "--task.file=short.txt --task.file=" + again,
                   again + ": it is the same text as short.txt, expected different ones");
  }
  EXPECT_FALSE(exists("run"));
}

// Not even root can create a folder in /proc.
TEST(RefusedOut, WhereNothingCanBeWritten) {
  write("file", "x");
  for (const std::string out : {"/proc/results", "file", "file/results", "/dev/null/results"}) {
    expect_refused("train", tiny + "--out " + out, out);
    expect_refused("extrapolation", tiny + "--out " + out, out);
  }
  EXPECT_EQ(read_file(own_folder() / "file"), "x");
}

TEST(RefusedGeneration, FromASafetensorsFileOfSomeoneElse) {
  const std::vector<float> values(6);
  SafetensorsWriter writer;
  writer.add("weight", {2, 3}, values);
  writer.write(own_folder() / "other.safetensors");
  expect_refused("generate", "--model other.safetensors", "its metadata lacks model.d_model, ");
}

class RefusedTokens : public ::testing::Test {
 protected:
  void SetUp() override { train(tiny + "--out run"); }

  static void tokens(const std::string& name, const Shape& shape, std::int64_t value) {
    std::size_t count = 1;
    for (const Index size : shape) count *= static_cast<std::size_t>(size);
    const std::vector<std::int64_t> values(count, value);
    write_npy(own_folder() / name, shape, std::span<const std::int64_t>(values));
  }
};

std::string parity_of(const std::string& inputs, const std::string& targets,
                      const std::string& model = "run/checkpoint.safetensors") {
  return "--quiet --model " + model + " --out out.safetensors --tokens " + inputs + ".npy --targets " +
         targets + ".npy";
}

TEST_F(RefusedTokens, OfAnotherShapeRangeOrFormat) {
  tokens("good.npy", {2, 5}, 3);
  tokens("flat.npy", {10}, 3);
  tokens("short.npy", {2, 0}, 0);
  tokens("few.npy", {0, 5}, 0);
  tokens("wide.npy", {2, 6}, 3);
  tokens("far.npy", {2, 5}, std::int64_t{1} << 40);
  tokens("ignored.npy", {2, 5}, -100);
  write("text.npy", "no tokens");
  write_npy(own_folder() / "real.npy", {2, 5}, std::span<const double>(std::vector<double>(10, 3.0)));
  expect_refused("parity", parity_of("missing", "good"), "missing.npy");
  expect_refused("parity", parity_of("text", "good"), "text.npy: not a .npy file");
  expect_refused("parity", parity_of("real", "good"),
                 "real.npy: expected an array of <i8 in C order; save np.asc");
  for (const auto& [name, shape] : {std::pair{"flat", "(10)"}, {"short", "(2, 0)"}, {"few", "(0, 5)"}})
    expect_refused("parity", parity_of(name, "good"),
                   fmt::format("{}.npy: got shape {}, expected (B, L) with B and L at least 1", name, shape));
  expect_refused("parity", parity_of("good", "wide"),
                 "wide.npy: got shape (2, 6), expected that of the tokens, (2, 5)");
  expect_refused("parity", parity_of("far", "good"), "far.npy: row 0, column 0: got 1099511627776");
  EXPECT_FALSE(exists("out.safetensors"));
  run_well("parity", parity_of("good", "ignored"));
  run_well("parity", parity_of("good", "good") + " --precision double");
}

// Only a task's own examples have them.
TEST_F(RefusedTokens, AtPositionsOfATask) {
  tokens("good.npy", {2, 5}, 3);
  for (const char* also : {"", " --dry-run"}) {
    expect_refused("parity", parity_of("good", "good") + " --model.encoding=sinusoidal@task" + also,
                   "to take them from (choose others behind @, such as rope@contiguous)");
  }
  expect_refused("generate", "--model run/checkpoint.safetensors --quiet --model.encoding=sinusoidal@task",
                 "no example of a task");
}

TEST_F(RefusedTokens, WithRowColumnAndRange) {
  tokens("good.npy", {2, 5}, 3);
  const auto with = [](const std::string& name, std::int64_t value) {
    std::vector<std::int64_t> values(10, 3);
    values[7] = value;
    write_npy(own_folder() / (name + ".npy"), {2, 5}, std::span<const std::int64_t>(values));
    return name;
  };
  const std::string inputs = ".npy: row 1, column 2: got {}, expected 0 to 29 (vocab_size 30)";
  for (const std::int64_t value : {30, -1, -2, -100}) {
    expect_refused("parity", parity_of(with("x", value), "good"),
                   "x" + fmt::format(fmt::runtime(inputs), value) + "\n");
  }
  for (const std::int64_t value : {30, -2, -99}) {
    expect_refused("parity", parity_of("good", with("y", value)),
                   "y" + fmt::format(fmt::runtime(inputs), value) + ", or -1 or -100 to ignore it\n");
  }
  run_well("parity", parity_of("good", with("y", -1)));
}

// The checkpoint of the test with additional tensors, changed metadata (a key whose value is empty is left out), and parameters
// times a factor.
std::string altered_model(const std::map<std::string, Shape>& tensors, const Metadata& metadata,
                          float factor = 1.0F) {
  const SafetensorsFile file(own_folder() / "run/checkpoint.safetensors");
  SafetensorsWriter writer;
  Metadata all = metadata;
  for (const auto& [key, value] : file.metadata()) all.emplace(key, value);
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  for (const auto& [key, value] : all) writer.set_metadata(key, value);
  std::map<std::string, std::vector<float>> values;
  std::map<std::string, Shape> shapes = tensors;
  for (const std::string& name : file.names()) shapes[name] = file.shape(name);
  for (const auto& [name, shape] : shapes) {
    values[name] = tensors.contains(name)
                       ? std::vector<float>(static_cast<std::size_t>(element_count(shape)), 1.0F)
                       : file.values<float>(name);
    if (!name.starts_with("optimizer.")) {
      for (float& value : values[name]) value *= factor;
    }
    writer.add(name, shape, std::span<const float>(values[name]));
  }
  writer.write(own_folder() / "altered.safetensors");
  return "altered.safetensors";
}

using RefusedModel = RefusedTokens;

TEST_F(RefusedModel, WithTensorsThatNobodyReads) {
  tokens("good.npy", {2, 5}, 3);
  run_well("parity", parity_of("good", "good", altered_model({}, {})));
  expect_refused(
      "parity",
      parity_of("good", "good", altered_model({{"output.weight", {30, 16}}, {"final_norm.gain", {16}}}, {})),
      "altered.safetensors: checkpoint: the model has no parameters final_norm.gain, output.weight (");
}

// The weights are finite, what follows from them is not. In double it is.
TEST_F(RefusedModel, WhoseNumbersBecomeInfiniteOrNaN) {
  tokens("good.npy", {2, 5}, 3);
  const std::string model = altered_model({}, {}, 1e20F);
  expect_refused("generate", "--quiet --model " + model,
                 "generate: block.0.attention, forward: NaN at length 1; the weights are too large");
  expect_refused(
      "parity", parity_of("good", "good", model),
      "parity: altered.safetensors: block.0.attention, forward: NaN for example 0, token 0; the weights "
      "are too large for --precision float: use --precision double, or smaller ones\n");
  EXPECT_FALSE(exists("out.safetensors"));
  run_well("parity", parity_of("good", "good", model) + " --precision double");
}

// Heads, activation, encoding and the like are in the metadata alone, which other programs may drop.
TEST_F(RefusedModel, WithoutTheSettingsThatNoTensorTells) {
  tokens("good.npy", {2, 5}, 3);
  const std::vector<std::pair<std::string, std::string>> programs = {
      {"evaluate", "--quiet --out new --model altered.safetensors"},
      {"generate", "--quiet --model altered.safetensors"},
      {"train", tiny + "--out new --model altered.safetensors"},
      {"encoding", "--quiet --out new --model altered.safetensors"},
      {"parity", parity_of("good", "good", "altered.safetensors")}};
  altered_model({}, {{"model.heads", ""}});
  for (const auto& [program, arguments] : programs) {
    expect_refused(program, arguments,
                   "altered.safetensors: its metadata lacks model.heads; no tensor says what they are");
  }
  EXPECT_FALSE(exists("new"));
}

// The task says which token is which symbol, and which examples score the model.
TEST_F(RefusedModel, WithoutItsTask) {
  const std::string model = altered_model({}, {{"task.name", ""}});
  expect_refused("generate", "--quiet --model " + model,
                 "altered.safetensors: its metadata lacks task.name, expected the task whose symbols");
  expect_refused(
      "evaluate", "--quiet --out new --model " + model,
      "altered.safetensors: its metadata lacks task.name; give these settings, or write them into it");
  EXPECT_FALSE(exists("new"));
  run_well(
      "evaluate",
      "--quiet --out new --evaluate.batches=1 --evaluate.lengths=1x --task.name=language --model " + model);
}

TEST_F(RefusedTokens, OfAPromptThatTheTaskDoesNotKnow) {
  expect_refused("generate", "--model run/checkpoint.safetensors --generate.prompt=xyz",
                 "'x' is not a symbol of this task");
}

TEST(GeneratedTokens, PastTheAlphabetShowAsReplacementCharacters) {
  train(tiny + "--model.vocab_size=200 --train.steps=5 --out run");
  EXPECT_THAT(run_well("generate", "--model run/checkpoint.safetensors --generate.length=100").out,
              HasSubstr("\uFFFD"));
  expect_refused("train", tiny + "--model.vocab_size=20 --out other",
                 "model.vocab_size = 20, but the task has 30 different tokens");
}

TEST(RefusedGeneration, OfATaskWithAnAnswerForEachSymbol) {
  train(tiny + "--task.name=flip_flop --train.steps=5 --out run");
  expect_refused("generate", "--quiet --model run/checkpoint.safetensors",
                 "task flip_flop has an answer for each symbol");
}

TEST(RefusedGeneration, OfAModelThatSeesBothWays) {
  train(tiny + "--task.name=reverse_string --train.steps=5 --out run");
  expect_refused("generate", "--quiet --model run/checkpoint.safetensors",
                 "expected a causal one (model.causal = true)");
}

}  // namespace
}  // namespace ordinal::experiments::testing
