// One line says what to do, and no file is written. Refusals in a folder of results are in untouched_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results/npy.h"
#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

using ::testing::HasSubstr;

TEST(Refused, AllProblemsOfWordsAndValuesAtOnceWithFileAndLine) {
  write("a.cfg", "# comment\n[train]\nstepz = 3\nbatch = many\n");
  EXPECT_THAT(error_of("extrapolation", "--config a.cfg --train.clip=big", 3),
              HasSubstr("extrapolation: a.cfg:3: unknown key train.stepz (did you mean train.steps?)\n"
                        "extrapolation: a.cfg:4: train.batch: got 'many'"));
}

// As of a text that is given by mistake.
TEST(Refused, AtMostTenProblemsThenTheirNumber) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "It was a dark and stormy night.\n";
  write("novel.txt", text);
  EXPECT_THAT(
      error_of("extrapolation", "--config novel.txt", 11),
      ::testing::EndsWith("novel.txt:10: got 'It was a dark and stormy night.', expected key = value or "
                          "[section]\nextrapolation: 30 more like these\n"));
}

TEST(Refused, WhatSomebodyPastedIsShortened) {
  write("a.cfg", "[model]\nencoding = " + std::string(50'000, 'x') + "\n");
  const std::string error = error_of("extrapolation", "--config a.cfg");
  EXPECT_LT(error.size(), 2100);
  EXPECT_THAT(error, ::testing::AllOf(HasSubstr("model.encoding: got 'xxx"), HasSubstr("xxx …"),
                                      HasSubstr("expected one of none, ")));
}

// Not even root can create a folder in /proc. Positions of tests count, too.
TEST(Refused, InOneLineBeforeAnythingIsWritten) {
  write("file", "x");
  write("short.txt", std::string(600, 'x'));
  const std::string rows = steps + "--experiment.seeds=1 --out run --compare.model.encoding=";
  const std::string text = rows + "none --task.name=text ";
  for (const auto& [program, arguments, message] : std::vector<std::array<std::string, 3>>{
           {"generate", "", "--model is missing (see generate --help)"},
           {"train", "--config nothing.cfg", "nothing.cfg: No such file or directory"},
           {"train", "--config .", "is a directory"},
           {"extrapolation", text, "task text: got no file, expected at least one (set task.file)"},
           {"extrapolation", text + "--task.file=missing.txt", "missing.txt: No such file or directory"},
           {"extrapolation", text + "--task.file=short.txt --evaluate.lengths=1x,64", "expected at least 65"},
           {"train", tiny + "--task.name=mlm --task.file=short.txt --out run",
            "task mlm: got file short.txt, which only of = text reads (write mlm(of=text))"},
           {"extrapolation", rows + "'none,rope(base=1.7e308)@contiguous:ntk'",
            "ntk: base 1.7e+308, raised for s = 2, is infinite, expected a finite one (lower scale or base)"},
           {"extrapolation", rows + "'rope@task(max_position=17)' --task.name=copy",
            "the task gives positions up to 17, expected them below 17 (raise max_position)"}})
    expect_refused(program, arguments, message);
  for (const std::string out : {"/proc/results", "file", "file/results", "/dev/null/results"}) {
    for (const std::string program : {"train", "extrapolation"})
      expect_refused(program, tiny + "--out " + out, out);
  }
  EXPECT_EQ(file("file"), "x");
  EXPECT_FALSE(exists("run"));
}

std::string parity_of(const std::string& inputs, const std::string& targets,
                      const std::string& model = "run/checkpoint.safetensors") {
  return "--quiet --model " + model + " --out out.safetensors --tokens " + inputs + ".npy --targets " +
         targets + ".npy";
}

class RefusedTokens : public ::testing::Test {
 protected:
  void SetUp() override {
    train(tiny + "--out run");
    tokens("good.npy", {2, 5}, 3);
  }

  static void tokens(const std::string& name, const Shape& shape, std::int64_t value) {
    std::size_t count = 1;
    for (const Index size : shape) count *= static_cast<std::size_t>(size);
    const std::vector<std::int64_t> values(count, value);
    write_npy(own_folder() / name, shape, std::span<const std::int64_t>(values));
  }
};

TEST_F(RefusedTokens, OfAnotherShapeRangeOrFormat) {
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
  for (const char* also : {"", " --dry-run"}) {
    expect_refused("parity", parity_of("good", "good") + " --model.encoding=sinusoidal@task" + also,
                   "to take them from (choose others behind @, such as rope@contiguous)");
  }
  expect_refused("generate", "--model run/checkpoint.safetensors --quiet --model.encoding=sinusoidal@task",
                 "no example of a task");
}

TEST_F(RefusedTokens, WithRowColumnAndRange) {
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

using RefusedModel = RefusedTokens;

const std::string trained = "run/checkpoint.safetensors";

TEST_F(RefusedModel, TruncatedForeignOrCorrupt) {
  const std::string whole = file(trained);
  write("truncated", whole.substr(0, whole.size() / 2));
  write("foreign", "PK\x03\x04 this is no checkpoint at all");
  write("corrupt", std::string(whole).replace(9, 1, "!"));
  for (const std::string name : {"truncated", "foreign", "corrupt", "missing"}) {
    expect_refused("generate", "--model " + name, name);
    expect_refused("parity", parity_of("good", "good", name), name);
  }
}

// An input that is also the output would be lost.
TEST_F(RefusedTokens, ThatTheOutputWouldReplace) {
  std::filesystem::create_symlink(trained, own_folder() / "link");
  write("settings.cfg", "[model]\n");
  write("last.cfg", "[model]\n");
  const std::string configs = " --config settings.cfg --config last.cfg";
  const std::string before = file(trained);
  for (const std::string& out : {trained, "run/../" + trained, std::string("link"), std::string("good.npy"),
                                 std::string("settings.cfg")}) {
    expect_refused("parity", parity_of("good", "good") + configs + " --out " + out,
                   ": it cannot be both an input and the output; choose another --out\n");
  }
  EXPECT_TRUE(file(trained) == before) << "the model is lost";
  run_well("parity", parity_of("good", "good") + configs);
}

TEST_F(RefusedModel, WithTensorsThatNobodyReads) {
  write_checkpoint("same", trained, {});
  run_well("parity", parity_of("good", "good", "same"));
  write_checkpoint("more", trained, {}, [](auto& all) {
    for (const char* name : {"output.weight", "final_norm.gain"}) all[name] = {1.0F};
  });
  expect_refused("parity", parity_of("good", "good", "more"),
                 "more: the model has no parameters final_norm.gain, output.weight (");
}

// The weights are finite, what follows from them is not. In double it is.
TEST_F(RefusedModel, WhoseNumbersBecomeInfiniteOrNaN) {
  write_checkpoint("large", trained, {}, [](auto& all) {
    for (auto& [name, values] : all)
      if (!name.starts_with("optimizer.")) std::ranges::for_each(values, [](float& x) { x *= 1e20F; });
  });
  expect_refused("generate", "--quiet --model large",
                 "generate: block.0.attention, forward: NaN at length 1; the weights are too large");
  std::filesystem::remove(own_folder() / "out.safetensors");
  expect_refused("parity", parity_of("good", "good", "large"),
                 "parity: large: block.0.attention, forward: NaN for example 0, token 0; the weights "
                 "are too large: use smaller ones, or --precision double\n");
  EXPECT_FALSE(exists("out.safetensors"));
  run_well("parity", parity_of("good", "good", "large") + " --precision double");
}

// Heads, activation, encoding and the like are in the metadata alone, which other programs may drop. The task says which token
// is which symbol, and which examples score the model.
TEST_F(RefusedModel, WithoutTheSettingsThatNoTensorTells) {
  write_checkpoint("headless", trained, {{"model.heads", ""}});
  const std::string message = "headless: its metadata lacks model.heads, which no tensor says";
  for (const std::string program : {"evaluate", "generate", "train", "encoding"})
    expect_refused(program, "--quiet --model headless", message);
  expect_refused("parity", parity_of("good", "good", "headless"), message);
  write_checkpoint("idle", trained, {{"task.name", ""}, {"task.lengths", ""}});
  expect_refused("generate", "--quiet --model idle",
                 "idle: its metadata lacks task.name, expected the task whose symbols");
  expect_refused("evaluate", "--quiet --out new --model idle",
                 "idle: its metadata lacks task.name; give what is missing, or write it there");
  EXPECT_FALSE(exists("new"));
  run_well("evaluate",
           "--quiet --out new --evaluate.batches=1 --evaluate.lengths=1x --task.name=language --model idle");
}

TEST(RefusedGeneration, OfWhatHasNoTextToContinue) {
  train(tiny + "--model.vocab_size=200 --train.steps=5 --out run");
  const std::string generate = "--quiet --model run/checkpoint.safetensors ";
  EXPECT_THAT(run_well("generate", generate + "--generate.length=100").out, HasSubstr("\uFFFD"))
      << "a token past the alphabet";
  expect_refused("generate", generate + "--generate.prompt=xyz", "got 'xyz', expected symbols of this task");
  for (const auto& [task, message] :
       {std::pair{"flip_flop", "task flip_flop has an answer for each symbol"},
        std::pair{"reverse_string", "expected a causal one (model.causal = true)"}}) {
    train(steps + "--out " + task + " --task.name=" + task);
    expect_refused("generate", std::string("--quiet --model ") + task + "/checkpoint.safetensors", message);
  }
}

}  // namespace
}  // namespace ordinal::experiments::testing
