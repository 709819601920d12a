// claims: decides the claims of every config in a folder, from the scores stored beside it or from trainings.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "experiments/claims/claims_report.h"
#include "experiments/experiment/extrapolation.h"
#include "experiments/process/folder_lock.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/results/files.h"
#include "experiments/settings/config_file.h"
#include "experiments/settings/rows.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

// A config with claims, its stored scores and, if it is trained, its experiment, which keeps a reference to the settings.
struct Study {
  std::string config;
  Settings settings;
  std::vector<Claim> claims = {};
  StoredScores scores = {};
  std::unique_ptr<Extrapolation> experiment = {};

  DecidedClaims decided() const {
    return {config, decide(claims, scores, seeds(settings)), settings.sections("withdrawn")};
  }
  /// encodings.csv for encodings.cfg
  fs::path file_of_scores() const { return fs::path(config).filename().replace_extension(".csv"); }
};

std::vector<std::string> configs_in(const std::string& folder) {
  std::vector<std::string> configs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cfg") configs.push_back(entry.path().string());
  if (configs.empty()) {
    throw ConfigError(fmt::format("claims.folder: got {}, expected a folder with configs (*.cfg)", folder));
  }
  std::ranges::sort(configs);
  return configs;
}

// Whether a row has a task that reads a file but names no file.
bool needs_file(const Settings& settings) {
  return std::ranges::any_of(rows_of(settings), [](const Row& row) {
    return row.settings.list("task.file").empty() && lacks_file(parse_part(row.settings.text("task.name")));
  });
}

// Reads the configs of a folder. Collects the problems of all, so that all are reported before anything is trained.
class StudyReader {
 public:
  StudyReader(const CommandLine& command, fs::path out, const CellWorkers& workers)
      : given_(command.settings), out_(std::move(out)), workers_(workers) {}

  std::deque<Study> read() {
    for (const std::string& config : configs_in(given_.text("claims.folder"))) {
      try {
        add(config);
      } catch (const std::runtime_error& error) {
        std::istringstream lines(error.what());
        for (std::string line; std::getline(lines, line);)
          problems_.push_back(line.starts_with(config) ? line : fmt::format("{}: {}", config, line));
      }
    }
    if (!problems_.empty()) throw ConfigError(joined(problems_, "\n"));
    return std::move(studies_);
  }

 private:
  void add(const std::string& config) {
    Study& study =
        studies_.emplace_back(Study{config, read_settings(read_config_file(config), extrapolation_driver())});
    study.claims = claims_of(study.settings);
    for (const Claim& claim : study.claims) require_first(config, fmt::format("[claim {}]", claim.id));
    const fs::path stored = fs::path(config).parent_path() / study.file_of_scores();
    if (fs::exists(stored)) study.scores = read_scores(read_file(stored), stored.string());
    if (!given_.flag("claims.train") || study.claims.empty()) return;
    if (needs_file(study.settings)) {
      if (given_.list("task.file").empty())
        return say_on_stderr(fmt::format("{} is not trained: it needs --task.file=TEXT\n", config));
      study.settings.set("task.file", given_.text("task.file"), command_line_origin);
    }
    const std::string name = study.settings.text("experiment.name");
    require_first(config, "experiment.name = " + name);
    study.experiment = std::make_unique<Extrapolation>(study.settings, out_ / folder_of(name), workers_);
    study.experiment->check_folders();
  }

  void require_first(const std::string& config, const std::string& what) {
    const auto [first, is_new] = first_.emplace(what, config);
    if (!is_new) problems_.push_back(fmt::format("{}: {} is also in {}", config, what, first->second));
  }

  const Settings& given_;
  fs::path out_;
  const CellWorkers& workers_;
  std::deque<Study> studies_;
  std::map<std::string, std::string> first_;  // the config that has it, by what must be unique among them
  std::vector<std::string> problems_;
};

std::vector<DecidedClaims> decided(const std::deque<Study>& studies) {
  std::vector<DecidedClaims> all;
  for (const Study& study : studies) all.push_back(study.decided());
  return all;
}

int claims(const CommandLine& command) {
  if (command.share && !command.settings.flag("claims.train"))
    throw ConfigError("--part: got it without --claims.train=true, expected both: parts are of trainings");
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const fs::path out = command.out.empty() ? "results/claims" : command.out;
  const CellWorkers workers{threads, command.jobs, command.share};
  std::deque<Study> studies = StudyReader(command, out, workers).read();
  if (command.dry_run) {
    for (const Study& study : studies)
      if (study.experiment) say_on_stdout(fmt::format("{}\n{}\n", study.config, study.experiment->plan()));
    say_on_stdout(claims_text(decided(studies)));
    return 0;
  }
  const FolderLock lock(out, command.share ? FolderLock::Holder::one_of_several : FolderLock::Holder::here);
  for (Study& study : studies) {
    if (!study.experiment) continue;
    progress.say(study.config);
    study.experiment->begin();
    const std::optional<ExperimentResult> result = study.experiment->run(progress);
    if (!result) return say_interrupted(command.invocation);
    if (command.share) continue;
    study.experiment->report(*result);
    const std::string scores = scores_csv(study.claims, *result);
    write_text(lock.path() / study.file_of_scores(), scores);
    study.scores = read_scores(scores, study.file_of_scores().string());
    write_claims(decided(studies), lock.path());
  }
  if (command.share) return 0;
  write_claims(decided(studies), lock.path());
  say_on_stdout(fmt::format("{}table: {}\n", claims_text(decided(studies)), (out / "claims.html").string()));
  return 0;
}

}  // namespace

DriverDescription claims_driver() {
  return {.name = "claims",
          .summary =
              "Decides the claims about positional encodings that a folder of configs states in sections "
              "[claim ID]. Reads the scores "
              "stored beside each config (NAME.csv beside NAME.cfg), prints for each claim a verdict (holds, "
              "fails, undecided "
              "or not run yet) and what was measured, and writes claims.html, claims.md and claims.csv. With "
              "--claims.train=true it trains what the configs need first, and writes NAME.csv of each; "
              "finished trainings are "
              "skipped, interrupted ones continue. Training on real text needs --task.file.",
          .examples = {"claims", "claims --claims.train=true --task.file=tinyshakespeare.txt",
                       "claims --claims.folder=my_claims --out results/mine",
                       "claims --claims.train=true --part=2/8"},
          .sections = {"claims"},
          .keys = {"task.file"},
          .options = {"out", "jobs", "part"},
          .body = claims};
}

}  // namespace ordinal::experiments
