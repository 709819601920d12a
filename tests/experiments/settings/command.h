// Config files and command lines for tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/settings/command_line.h"
#include "framework/core/errors.h"
#include "tests/framework/storage/scratch_folder.h"
#include "tests/message_of.h"

namespace ordinal::experiments {

/// The path of a config file with this text, for the running test alone.
inline std::string config(const std::string& name, const std::string& text) {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  const std::string owner = std::string(test.test_suite_name()) + "_" + test.name() + "_";
  const auto path = std::filesystem::path(::testing::TempDir()) / (owner + name);
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

/// The command line of a program, whose name is added.
inline CommandLine parsed(const DriverDescription& driver, std::vector<std::string> words) {
  words.insert(words.begin(), driver.name);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return parse_command_line(static_cast<int>(argv.size()), argv.data(), driver);
}

/// The lines that refuse it; none if it is accepted.
inline std::vector<std::string> refusals(const DriverDescription& driver,
                                         const std::vector<std::string>& words) {
  std::istringstream stream(message_of<ConfigError>([&] { parsed(driver, words); }));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A program that reads all sections of a training.
inline DriverDescription train_like(Builds builds = Builds::nothing) {
  return {.name = "train",
          .summary = "",
          .sections = {"experiment", "task", "model", "train", "finetune", "evaluate", "generate", "encoding",
                       "benchmark"},
          .options = {"out", "model", "precision"},
          .builds = builds};
}

}  // namespace ordinal::experiments
