// For any config or command line: it is accepted, or every problem is a line with its location.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "experiments/settings/checks.h"
#include "framework/core/random.h"
#include "tests/experiments/settings/command.h"

namespace ordinal::experiments {
namespace {

std::string changed(std::string text, Random& random) {
  constexpr char bytes[] = "[]=#\n\r\t .,ax0159-+\0\xff\"'\\";
  const auto byte = [&] { return bytes[random.below(sizeof(bytes) - 1)]; };
  for (std::uint32_t changes = 1 + random.below(4); changes > 0; --changes) {
    const auto at = random.below(static_cast<std::uint32_t>(text.size()));
    const std::uint32_t kind = random.below(3);
    if (kind == 0) text.erase(at, 1 + random.below(4));
    if (kind == 1) text.insert(at, 1, byte());
    if (kind == 2) text[at] = byte();
    if (text.empty()) text = "x";
  }
  return text;
}

// Whether a line names the location of the problem: a place in the file, the command line, an option, a row, or
// keys.
bool says_where(const std::string& line) {
  if (std::regex_search(line, std::regex("fuzz_test\\.cfg:[0-9]+: "))) return true;
  if (line.starts_with("command line: ") || line.starts_with("--") || line.starts_with("[row ")) return true;
  return std::ranges::any_of(all_keys(),
                             [&](const Key& key) { return line.find(key.name) != std::string::npos; });
}

// True if it was accepted. Accepted input can be used and saved; rejected input gives lines that each name a
// location.
bool read(const std::vector<std::string>& words) {
  try {
    const CommandLine line = parsed(train_like(Builds::rows), words);
    if (line.help) return true;
    for (const Key& key : all_keys()) {
      EXPECT_EQ(complaint(key, line.settings.text(key.name)), "") << key.name;
    }
    EXPECT_FALSE(line.settings.print_config().empty());
    return true;
  } catch (const ConfigError& error) {
    std::istringstream lines(error.what());
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(says_where(line)) << line;
    EXPECT_GT(count, 0);
    return false;
  }
}

TEST(Fuzz, ConfigsAreReadOrRefused) {
  std::string original;
  for (const Key& key : all_keys()) {
    if (!key.option.value.empty()) original += key.name + " = " + key.option.value + "\n";
  }
  original += "[task]\nfile = a b.txt # and\nfile = c.txt\n";
  original +=
      "[compare]\nmodel.layers = 1, 2\ntune.train.learning_rate = 1e-3, 2e-3\n[row a b]\nmodel.heads = 2\n";
  const auto path = (std::filesystem::path(::testing::TempDir()) / "fuzz_test.cfg").string();
  Random random({.seed = 2});
  int accepted = 0;
  constexpr int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::ofstream(path, std::ios::binary) << changed(original, random);
    if (read({"--config", path})) ++accepted;
  }
  EXPECT_GT(accepted, rounds / 100);  // both ends are reached
  EXPECT_LT(accepted, rounds - rounds / 100);
}

TEST(Fuzz, CommandLinesAreReadOrRefused) {
  const std::vector<std::string> original = {"--train.steps=5",
                                             "--model.heads",
                                             "2",
                                             "--task.file=a.txt",
                                             "--evaluate.lengths=1x,9",
                                             "--quiet",
                                             "--model.block=attention(window=3), feed_forward",
                                             "--threads",
                                             "3",
                                             "--experiment.seeds=1,2",
                                             "--train.clip=1e-3",
                                             "--out",
                                             "some where",
                                             "--train.warmup=2",
                                             "--task.name=text"};
  Random random({.seed = 3});
  int accepted = 0;
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::string> words = original;
    std::string& word = words[random.below(static_cast<std::uint32_t>(words.size()))];
    word = changed(word, random);
    if (random.below(4) == 0) std::swap(words[random.below(15)], words[random.below(15)]);
    if (read(words)) ++accepted;
  }
  EXPECT_GT(accepted, rounds / 100);
  EXPECT_LT(accepted, rounds - rounds / 100);
}

}  // namespace
}  // namespace ordinal::experiments
