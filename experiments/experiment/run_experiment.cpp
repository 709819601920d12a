#include "experiments/experiment/run_experiment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

#include "experiments/claims/claims_report.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/report/terminal_table.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// In a comparison, a model that could not be trained is a result.
void require_model(const CellResult& result) {
  if (!result.weights_hash.empty()) return;
  const Score& score = result.scores.front();
  if (score.failed) throw PositionError(score.why);
  throw std::runtime_error(score.why);
}

}  // namespace

int run_experiment(const CommandLine& command, const Settings& settings, const std::filesystem::path& out,
                   Form form) {
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const bool is_one = form.holds == Holds::training;
  Extrapolation experiment(settings, out, {threads, command.jobs, command.share}, std::move(form));
  if (command.dry_run) {
    say_on_stdout(experiment.plan());
    return 0;
  }
  experiment.check_folders();  // before it writes the lock
  experiment.begin();
  progress.say(startup_line(threads.count()));
  progress.say(experiment.plan());
  const std::optional<ExperimentResult> result = experiment.run(progress);
  if (!result) return say_interrupted(command.invocation);
  if (command.share) return 0;
  if (is_one) require_model(result->cells.front());
  const std::filesystem::path page = experiment.report(*result);
  draw_on_stdout(terminal_table(*result, terminal_of(STDOUT_FILENO)));
  if (!settings.sections("claim").empty()) {
    const std::vector<DecidedClaims> decided = {{"", result->name, page, experiment.decide_claims(*result)}};
    write_claims(decided, experiment.out());
    say_on_stdout(claims_text(decided));
  }
  if (is_one) say_on_stdout(fmt::format("checkpoint: {}\n", kept_path(experiment.out(), 0).string()));
  say_on_stdout(fmt::format("report: {}\n", page.string()));
  return 0;
}

}  // namespace ordinal::experiments
