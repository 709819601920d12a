// Every option of every part, at both ends of its range and at each of its choices: three steps of training, a test and a
// checkpoint, or a message that says what is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/experiments/drivers/experiment.h"

namespace ordinal::experiments::testing {
namespace {

// The smallest and the largest number that an option may have.
std::vector<std::string> ends_of(const OptionSpec& option) {
  const bool whole = option.type == OptionType::integer;
  const double after_low = whole ? option.range.low + 1.0 : std::max(option.range.low, 1e-300);
  const double low = option.range.above_low ? after_low : option.range.low;
  const double largest = whole ? largest_count : 1e300;
  return {number_text(std::isinf(low) ? -largest : low),
          number_text(std::isinf(option.range.high) ? largest : option.range.high)};
}

std::vector<std::string> values_of(const OptionSpec& option) {
  if (option.type == OptionType::flag) return {"true", "false"};
  if (option.type == OptionType::choice || option.type == OptionType::part) return option.choices;
  const bool number = option.type == OptionType::integer || option.type == OptionType::real;
  std::vector<std::string> values = number ? ends_of(option) : std::vector<std::string>{};
  if (!option.range.automatic.empty()) values.emplace_back(option.range.automatic);
  return values;
}

// One line for each problem, by the program itself: not the words of a library, nothing from the shell.
bool is_clear(const std::string& messages) {
  for (const char* library : {"basic_string", "std::", "vector::", "_M_", "array::", "Assertion"}) {
    if (messages.find(library) != std::string::npos) return false;
  }
  for (std::size_t start = 0; start < messages.size(); start = messages.find('\n', start) + 1) {
    if (messages.compare(start, 7, "train: ") != 0) return false;
  }
  return !messages.empty();
}

class EveryOption : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOption, TrainsOrIsRefusedClearlyAtBothEnds) {
  const PartKind& kind = part_kind(GetParam());
  std::filesystem::create_directories(own_folder() / "no-programs");  // and so no plots
  write_file_atomically(own_folder() / "text.txt", std::string(2000, 'a') + std::string(2000, 'b'));
  for (const PartInfo& part : kind.parts) {
    for (const OptionSpec& option : part.options) {
      for (const std::string& value : values_of(option)) {
        const std::string text = fmt::format("{}({}={})", part.name, option.name, value);
        const auto [key, setting] = setting_of(kind, text);
        std::string arguments = fmt::format("--threads=1 --out run --{}='{}'", key, setting);
        if (part.name == "text") arguments += " --task.file=text.txt";
        if (kind.title == "positions" && part.name == "task") arguments += " --task.name=copy";
        std::filesystem::remove_all(own_folder() / "run");
        const Outcome outcome =
            run_program("train", steps + arguments, "PATH=no-programs /usr/bin/timeout 60");
        if (outcome.exit_code == 0) continue;
        EXPECT_TRUE(outcome.exit_code == 1 || outcome.exit_code == 2) << text << ": " << outcome.exit_code;
        EXPECT_TRUE(is_clear(outcome.err)) << text << ": " << outcome.err;
      }
    }
  }
}

std::vector<std::string> titles() {
  std::vector<std::string> titles;
  for (const PartKind& kind : part_kinds()) titles.push_back(kind.title);
  return titles;
}

INSTANTIATE_TEST_SUITE_P(All, EveryOption, ::testing::ValuesIn(titles()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, ' ', '_');
  return name;
});

}  // namespace
}  // namespace ordinal::experiments::testing
