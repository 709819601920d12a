// claims: decides the claims of every config in a folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/claims/claims_report.h"
#include "experiments/claims/deterministic.h"
#include "experiments/runs/extrapolation.h"
#include "experiments/runs/machine.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/driver.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

constexpr int interrupted_exit = 130;  // what a shell reports for Ctrl-C

// A config with claims, and its experiment.
struct Study {
  std::string config;
  CommandLine command;
  std::unique_ptr<Extrapolation> experiment = {};
  std::filesystem::path out = {};
};

std::vector<std::string> configs_in(const std::string& folder) {
  std::vector<std::string> configs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".cfg") configs.push_back(entry.path().string());
  }
  if (configs.empty()) {
    throw ConfigError(fmt::format("claims.folder: got {}, expected a folder with configs (*.cfg)", folder));
  }
  std::ranges::sort(configs);
  return configs;
}

// A config as extrapolation reads it, with the files that were given to this program.
CommandLine read(const std::string& config, const Settings& given) {
  std::vector<std::string> words = {"claims", "--config", config};
  for (const std::string& file : given.list("task.file")) words.push_back("--task.file=" + file);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), extrapolation_driver());
}

// The configs of the set. What needs a text is left out, with a line, if none is given.
std::vector<Study> studies(const CommandLine& command, Progress& progress) {
  const Settings& settings = command.settings;
  const bool full = settings.text("claims.set") == "full";
  std::vector<Study> all;
  for (const std::string& config : configs_in(settings.text("claims.folder"))) {
    const ConfigFile file = read_config_file(config);
    const auto is_text = [](const ConfigEntry& entry) {
      return entry.key == "task.name" && (entry.value == "text" || entry.value.starts_with("text("));
    };
    const bool of_text = std::ranges::any_of(file.entries, is_text);
    const bool quick = std::ranges::any_of(file.entries, [](const ConfigEntry& entry) {
      return entry.key == "claims.set" && entry.value == "quick";
    });
    if (!full && !quick) continue;
    if (of_text && settings.list("task.file").empty()) {
      progress.say(fmt::format("{} is left out: it needs --task.file=TEXT", config));
      continue;
    }
    Settings files = settings;
    if (!of_text) files.reset("task.file");
    all.push_back({config, read(config, files)});
  }
  return all;
}

// Makes all experiments, so that all that is wrong is known before anything is trained.
void prepare(std::vector<Study>& all, const std::filesystem::path& out, Threads& threads, int jobs) {
  std::vector<std::string> problems;
  for (Study& study : all) {
    study.out = out / study.command.settings.text("experiment.name");
    try {
      study.experiment = std::make_unique<Extrapolation>(study.command.settings, study.out, threads, jobs);
    } catch (const ConfigError& error) {
      problems.emplace_back(error.what());
    }
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
}

int claims(const CommandLine& command) {
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const std::filesystem::path out = command.out.empty() ? "results/claims" : command.out;
  std::vector<Study> all = studies(command, progress);
  prepare(all, out, threads, command.jobs);
  if (command.dry_run) {
    for (const Study& study : all) fmt::print("{}\n{}\n", study.config, study.experiment->plan());
    return 0;
  }
  progress.say(startup_line(threads.count()));
  const InterruptGuard interrupt;
  std::vector<DecidedClaims> decided = {deterministic_claims()};
  for (Study& study : all) {
    progress.say(study.config);
    const auto result = study.experiment->run(progress, interrupt);
    progress.finish_line();
    if (!result) {
      fmt::print(stderr, "interrupted; everything so far is saved. Continue with:\n  {}\n",
                 command.invocation);
      return interrupted_exit;
    }
    const ReportFiles report =
        write_report(*result, study.out, study.experiment->draw_figures(study.out / "figures"));
    decided.push_back(
        {study.config, result->task, report.paths.back(), study.experiment->decide_claims(*result)});
    write_claims(decided, out);
  }
  write_claims(decided, out);
  fmt::print("{}table: {}\n", claims_text(decided), (out / "claims.html").string());
  return 0;
}

}  // namespace

DriverDescription claims_driver() {
  return {.name = "claims",
          .summary =
              "Decides claims about positional encodings: trains what the sections [claim ID] of a folder of "
              "configs need,\n"
              "and prints for each claim its source, what was measured and a verdict: holds, fails or "
              "undecided. Finished\n"
              "trainings are skipped, interrupted ones continue. Claims about real text need --task.file.",
          .examples = {"claims", "claims --claims.set=full --task.file=tinyshakespeare.txt",
                       "claims --claims.folder=my_claims --out results/mine"},
          .sections = {"claims"},
          .keys = {"task.file"},
          .options = {"out", "jobs"},
          .builds = Builds::nothing,
          .body = claims};
}

}  // namespace ordinal::experiments
