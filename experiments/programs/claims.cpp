// claims: decides the claims of every config in a folder, from the scores stored beside it or from trainings.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "experiments/claims/claims_report.h"
#include "experiments/claims/stored_scores.h"
#include "experiments/experiment/extrapolation.h"
#include "experiments/process/results_folder.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// A config with claims and its stored scores.
struct ClaimStudy {
  fs::path config;
  Settings settings;
  std::vector<Claim> claims = {};
  StoredScores stored = {};

  /// Beside the config, or in --out.
  std::string file_of_scores() const { return config.stem().string() + ".scores.csv"; }
  fs::path results_in(const fs::path& out) const { return out / ("claims_" + config.stem().string()); }
  /// Scores of other settings decide nothing.
  std::vector<ClaimResult> decided() const {
    if (stored.changed.empty()) return decide(claims, stored.scores, seeds(settings));
    std::vector<ClaimResult> results = decide(claims, {}, seeds(settings));
    for (ClaimResult& result : results)
      result.why = "its settings changed since its scores were stored: " + stored.changed;
    return results;
  }
};

std::vector<std::string> configs_in(const std::string& folder) {
  std::vector<std::string> configs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cfg") configs.push_back(entry.path().string());
  std::ranges::sort(configs);
  return configs;
}

ClaimStudy read_study(const std::string& config, const fs::path& out) {
  ClaimStudy study{config, read_settings(read_config_file(config), extrapolation_driver())};
  study.claims = claims_of(study.settings);
  for (const fs::path& folder : {study.config.parent_path(), out}) {  // of trainings there, unless changed
    const fs::path path = folder / study.file_of_scores();
    if (!fs::exists(path)) continue;
    StoredScores stored = read_stored(read_file(path), path.string(), study.settings);
    if (study.stored.scores.empty() || stored.changed.empty()) study.stored = std::move(stored);
  }
  return study;
}

// Checks that a config can be trained. Its task may read a file that the command names.
void check_training(ClaimStudy& study, const Settings& given, const fs::path& out,
                    const CellWorkers& workers) {
  const bool needs_file = std::ranges::any_of(rows_of(study.settings), [](const Row& row) {
    return row.settings->task.file.empty() && lacks_file(row.settings->task.name.only());
  });
  if (needs_file && given->task.file.empty())
    throw ConfigError("task.file: got nothing, expected --task.file=TEXT, on which to train this");
  if (needs_file) study.settings.set("task.file", joined(given->task.file, "\n"), command_line_origin);
  Extrapolation(study.settings, study.results_in(out), workers).check_folders();
  FolderLock::check_free(study.results_in(out));
}

// Reads the configs of a folder. Throws ConfigError with the problems of all, before anything is trained.
std::vector<ClaimStudy> read_studies(const CommandLine& command, const fs::path& out) {
  Threads threads(command.threads);
  std::vector<ClaimStudy> studies;
  std::vector<std::string> problems;
  std::map<std::string, std::string> first;  // the config that has a claim, by its ID
  const std::string& folder = command.settings->claims.folder;
  for (const std::string& config : configs_in(folder)) {
    try {
      ClaimStudy& study = studies.emplace_back(read_study(config, out));
      for (const Claim& claim : study.claims)
        if (const auto [with, is_new] = first.emplace(claim.section.id, config); !is_new)
          problems.push_back(
              fmt::format("{}: [claim {}] is also in {}", config, claim.section.id, with->second));
      if (command.settings->claims.train && !study.claims.empty())
        check_training(study, command.settings, out, {threads, command.jobs});
    } catch (const std::runtime_error& error) {
      std::istringstream lines(error.what());
      for (std::string line; std::getline(lines, line);)
        problems.push_back(line.starts_with(config) ? line : config + ": " + line);
    }
  }
  for (const ClaimStudy& study : studies)
    for (const Claim& claim : study.claims)
      if (const std::string* again = claim.section.find("again"); again != nullptr && !first.contains(*again))
        problems.push_back(fmt::format("{}: [claim {}] again: got '{}', expected the ID of another claim",
                                       claim.section.origin, claim.section.id, *again));
  if (problems.empty() && first.empty())
    problems.push_back(fmt::format(
        "claims.folder: got {}, expected a folder with configs (*.cfg) that have a section [claim ID], "
        "such as configs/claims",
        folder));
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return studies;
}

// Copies the scores of a training to --out, for the next time.
StoredScores gathered(const ClaimStudy& study, const LockedPath& out) {
  const std::string scores = read_file(study.results_in(out) / "scores.csv");
  write_text(out / study.file_of_scores(), scores);
  return read_stored(scores, study.file_of_scores(), study.settings);
}

int claims(const CommandLine& command) {
  const bool trains = command.settings->claims.train;
  const fs::path out = command.out.empty() ? "results/claims" : command.out;
  if (!command.settings.sections("claim").empty())
    throw ConfigError(
        fmt::format("{0}: got claims, which `extrapolation --config {0}` decides; expected the folder "
                    "of many configs: --claims.folder",
                    command.config));
  std::vector<ClaimStudy> studies = read_studies(command, out);
  check_results_folder(out, "claims");
  std::optional<FolderLock> lock;
  if (!command.dry_run)
    lock.emplace(out, "claims", trains ? "trainings of " + command.settings->claims.folder : "");
  DecidedClaims decided;
  for (ClaimStudy& study : studies) {
    if (trains && !study.claims.empty()) {
      say_on_stdout(study.config.string() + "\n");
      const int code = run_experiment(command, study.settings, study.results_in(out));
      if (code != 0) return code;
      if (lock) study.stored = gathered(study, lock->path());
    }
    std::ranges::move(study.decided(), std::back_inserter(decided.results));
    std::ranges::move(study.settings.sections("withdrawn"), std::back_inserter(decided.withdrawn));
  }
  say_on_stdout(lock ? write_claims(decided, lock->path()) : claims_text(decided));
  return 0;
}

}  // namespace

DriverDescription claims_driver() {
  return {
      .name = "claims",
      .summary =
          "Decides the claims about positional encodings that a folder of configs states in sections "
          "[claim ID], from the scores stored beside each config (NAME.scores.csv beside NAME.cfg): holds, "
          "fails, undecided or not run yet, and what was measured. Writes claims.md, claims.html and "
          "claims.csv. With "
          "--claims.train=true it trains what the configs need first, and writes NAME.scores.csv of each; "
          "finished trainings are skipped, interrupted ones continue. Real text needs --task.file.",
      .examples = {"claims", "claims --claims.train=true --task.file=tinyshakespeare.txt",
                   "claims --claims.folder=my_claims --out results/mine"},
      .sections = {"claims"},
      .keys = {"task.file"},
      .options = {"out", "jobs"},
      .body = claims};
}

}  // namespace ordinal::experiments
