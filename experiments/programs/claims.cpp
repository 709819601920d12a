// claims: decides the claims of every config in a folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "experiments/claims/claims_report.h"
#include "experiments/claims/untrained.h"
#include "experiments/experiment/extrapolation.h"
#include "experiments/process/folder_lock.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// A config with claims, and its experiment.
struct Study {
  std::string config;
  std::unique_ptr<Settings> settings = {};  // the experiment keeps a reference to them
  std::unique_ptr<Extrapolation> experiment = {};
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

// Whether a config has a task that reads a file but names no file. An invalid task is refused when the config is read.
bool needs_file(const Source& config) {
  bool lacks = false;
  for (const ConfigEntry& entry : config.entries) {
    if (entry.key == "task.file") return false;
    const bool compared = entry.key == compare_prefix + "task.name" || entry.key == tune_prefix + "task.name";
    if (entry.key != "task.name" && !compared) continue;
    for (const std::string& task :
         compared ? factor_values(entry.value) : std::vector<std::string>{entry.value})
      lacks = lacks || (complaint(*find_key("task.name"), task).empty() && lacks_file(parse_part(task)));
  }
  return lacks;
}

// Why a config is skipped; empty if it is not.
std::string left_out(const Source& config, const Settings& settings) {
  const auto says = [&](const auto& is) { return std::ranges::any_of(config.entries, is); };
  const bool is_full =
      says([](const ConfigEntry& entry) { return entry.key == "claims.set" && entry.value == "full"; });
  if (!says([](const ConfigEntry& entry) { return entry.kind == "claim"; })) return "it has no [claim ID]";
  if (is_full && settings.text("claims.set") != "full") return "it belongs to --claims.set=full";
  if (needs_file(config) && settings.list("task.file").empty()) return "it needs --task.file=TEXT";
  return "";
}

// Collects the problems of all configs, so that all are reported before anything is trained.
std::vector<Study> studies_of(const Settings& settings, const std::filesystem::path& out,
                              const CellWorkers& workers) {
  std::vector<Study> studies;
  std::map<std::string, std::string> configs;  // by what must be unique among them
  std::vector<std::string> problems;
  const auto problem = [&](const std::string& config, const std::string& what) {
    std::istringstream lines(what);
    for (std::string line; std::getline(lines, line);)
      problems.push_back(line.starts_with(config) ? line : fmt::format("{}: {}", config, line));
  };
  const auto require_first = [&](const std::string& config, const std::string& what, const char* where) {
    const auto [first, is_new] = configs.emplace(what, config);
    if (!is_new) problem(config, fmt::format("{} is also {} {}", what, where, first->second));
  };
  const auto add = [&](const std::string& config, Source source) {
    if (needs_file(source))
      source.entries.push_back({"task.file", settings.text("task.file"), command_line_origin});
    Study study{config, std::make_unique<Settings>(read_settings(source, extrapolation_driver()))};
    const std::string name = study.settings->text("experiment.name");
    require_first(config, "experiment.name = " + name, "that of");
    for (const WrittenSection& claim : study.settings->sections("claim"))
      require_first(config, fmt::format("[claim {}]", claim.id), "in");
    study.experiment = std::make_unique<Extrapolation>(*study.settings, out / bounded_name(name), workers);
    study.experiment->check_folders();
    studies.push_back(std::move(study));
  };
  for (const std::string& config : configs_in(settings.text("claims.folder"))) {
    const Source source = read_config_file(config);
    const std::string why = left_out(source, settings);
    if (!why.empty()) {
      say_on_stderr(fmt::format("{} is left out: {}\n", config, why));
      continue;
    }
    try {
      add(config, source);
    } catch (const ConfigError& error) {
      problem(config, error.what());
    } catch (const DataError& error) {
      problem(config, error.what());
    } catch (const CheckpointError& error) {
      problem(config, error.what());
    }
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return studies;
}

int claims(const CommandLine& command) {
  const bool decides = !command.share;
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const std::filesystem::path out = command.out.empty() ? "results/claims" : command.out;
  const CellWorkers workers{threads, command.jobs, command.share};
  std::vector<Study> all = studies_of(command.settings, out, workers);
  if (command.dry_run) {
    for (const Study& study : all)
      say_on_stdout(fmt::format("{}\n{}\n", study.config, study.experiment->plan()));
    return 0;
  }
  const FolderLock lock(out, command.share ? FolderLock::Holder::one_of_several : FolderLock::Holder::here);
  progress.say(startup_line(threads.count()));
  std::vector<DecidedClaims> decided;
  if (decides) {
    decided = {deterministic_claims(), timed_claims(threads)};
    write_claims(decided, lock.path());
  }
  for (Study& study : all) {
    progress.say(study.config);
    study.experiment->begin();
    const std::optional<ExperimentResult> result = study.experiment->run(progress);
    if (!result) return say_interrupted(command.invocation);
    if (!decides) continue;
    const std::filesystem::path page = study.experiment->report(*result);
    decided.push_back({study.config, result->task, page, study.experiment->decide_claims(*result)});
    write_claims(decided, lock.path());
  }
  if (!decides) return 0;
  say_on_stdout(fmt::format("{}table: {}\n", claims_text(decided), (out / "claims.html").string()));
  return 0;
}

}  // namespace

DriverDescription claims_driver() {
  return {
      .name = "claims",
      .summary =
          "Decides claims about positional encodings. Trains what the sections [claim ID] of a folder of "
          "configs need, prints for each claim a verdict (holds, fails or undecided) and what was measured, "
          "and writes claims.html, claims.md and claims.csv, which also name the sources. Finished trainings "
          "are skipped, interrupted ones continue. Claims about real text need --task.file.",
      .examples = {"claims", "claims --claims.set=full --task.file=tinyshakespeare.txt",
                   "claims --claims.folder=my_claims --out results/mine", "claims --part=2/8"},
      .sections = {"claims"},
      .keys = {"task.file"},
      .options = {"out", "jobs", "part"},
      .body = claims};
}

}  // namespace ordinal::experiments
