// Every option of every part, at both ends of its range and at each of its choices: three steps of training, a test and a
// checkpoint, or a message that says what is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "experiments/experiment/run_cells.h"
#include "experiments/programs/driver.h"
#include "experiments/tasks/task.h"
#include "tests/experiments/drivers/experiment.h"
#include "tests/experiments/with.h"

namespace ordinal::experiments::testing {
namespace {

const std::string smallest_run =
    "[model]\nd_model = 8\nlayers = 1\nheads = 2\n[task]\ntrain_length = 8\n"
    "[train]\nsteps = 3\nwarmup = 1\nbatch = 2\nlog_every = 5\n[evaluate]\nbatches = 2\nlengths = 1x,2x\n";

// An option at one end: "rope(base=1)", and the settings that a model needs for it.
struct End {
  std::string text;
  Values settings;
};

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

std::vector<End> ends_of(const PartKind& kind) {
  std::vector<End> ends;
  for (const PartInfo& part : kind.parts) {
    for (const OptionSpec& option : part.options) {
      for (const std::string& value : values_of(option)) {
        const std::string text = fmt::format("{}({}={})", part.name, option.name, value);
        if (std::ranges::count(ends, text, &End::text) > 0) continue;  // automatic is 0
        End& end = ends.emplace_back(End{text, {setting_of(kind, text)}});
        if (part.name == "text") end.settings.emplace_back("task.file", own_folder() / "text.txt");
        if (kind.title == "positions" && part.name == "task") end.settings.emplace_back("task.name", "copy");
      }
    }
  }
  return ends;
}

// By the program itself: not the words of a library.
void expect_clear(const std::string& message, const std::string& of) {
  EXPECT_NE(message, "") << of;
  for (const char* library : {"basic_string", "std::", "vector::", "_M_", "array::", "Assertion"})
    EXPECT_EQ(message.find(library), std::string::npos) << of << ": " << message;
}

// Why `train` would refuse it before training; empty if it trains.
std::string refusal_of(const End& end) {
  const std::string config = "--config=" + (own_folder() / "smallest.cfg").string();
  std::vector<std::string> words = {"train", config};
  for (const auto& [key, value] : end.settings) words.push_back(fmt::format("--{}={}", key, value));
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  try {
    const CommandLine command =
        parse_command_line(static_cast<int>(arguments.size()), arguments.data(), train_driver());
    const Entrant entrant = Entrants().make(rows_of(command.settings).front());
    entrant.check_targets();
    Threads threads(1);
    return memory_problem({{entrant, command.settings, 1, own_folder()}}, {threads});
  } catch (const std::runtime_error& error) {
    return error.what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string text_of(const Values& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += fmt::format("{} = {}\n", key, value);
  return text;
}

// Configs of experiments, each with an end in each row, since rows with other metrics cannot be compared. Conditions are of
// all rows.
std::map<std::string, std::string> experiments_of(const PartKind& kind) {
  std::map<std::string, std::string> configs;
  for (const End& end : ends_of(kind)) {
    if (const std::string refusal = refusal_of(end); !refusal.empty()) {
      expect_clear(refusal, end.text);
      continue;
    }
    if (kind.title == "conditions") {
      std::string& config = configs[""];
      config += (config.empty() ? "evaluate.conditions = " : ", ") + end.text;
    } else {
      std::string metrics;
      for (const MetricSpec& metric : task_of(with(end.settings))->metrics()) metrics += metric.id + " ";
      configs[metrics] += fmt::format("[row {}]\n{}", end.text, text_of(end.settings));
    }
  }
  return configs;
}

// Each score is a number, or says why there is none. A test in which nothing is asked has no score.
void expect_scores(const std::filesystem::path& result_file) {
  const CellResult result = cell_from_json(read_file(result_file));
  EXPECT_FALSE(result.weights_hash.empty() && result.scores.empty()) << result.row;
  for (const Score& score : result.scores)
    if (!std::isfinite(score.value)) expect_clear(score.why, result.row);
}

class EveryOption : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOption, TrainsOrIsRefusedClearlyAtBothEnds) {
  write("text.txt", std::string(2000, 'a') + std::string(2000, 'b'));
  write("smallest.cfg", smallest_run);
  for (const auto& [metrics, config] : experiments_of(part_kind(GetParam()))) {
    write("ends.cfg", config);
    std::filesystem::remove_all(own_folder() / "run");
    run_well("extrapolation",
             "--quiet --threads=1 --config smallest.cfg --config ends.cfg --experiment.seeds=1, --out run",
             "/usr/bin/timeout 600");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(own_folder() / "run"))
      if (entry.path().filename() == "result.json") expect_scores(entry.path());
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
