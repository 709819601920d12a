// extrapolation: the main experiment. Trains each positional encoding at one length, tests it at longer ones,
// and writes a table, plots and a report.
#include <fmt/format.h>
#include <unistd.h>

#include "experiments/claims/claims_report.h"
#include "experiments/experiment/extrapolation.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/programs/driver.h"
#include "experiments/report/terminal_table.h"
#include "experiments/settings/rows.h"

namespace ordinal::experiments {
namespace {

int extrapolation(const CommandLine& command) {
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const std::filesystem::path out =
      command.out.empty()
          ? std::filesystem::path("results") / bounded_name(command.settings.text("experiment.name"))
          : std::filesystem::path(command.out);
  Extrapolation experiment(command.settings, out, {threads, command.jobs, command.share});
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
  const std::filesystem::path page = experiment.report(*result);
  draw_on_stdout(terminal_table(*result, terminal_of(STDOUT_FILENO)));
  if (!command.settings.sections("claim").empty()) {
    const std::vector<DecidedClaims> decided = {{"", result->name, page, experiment.decide_claims(*result)}};
    write_claims(decided, experiment.out());
    say_on_stdout(claims_text(decided));
  }
  say_on_stdout(fmt::format("report: {}\n", page.string()));
  return 0;
}

}  // namespace
DriverDescription extrapolation_driver() {
  return {.name = "extrapolation",
          .summary =
              "Trains a transformer with each positional encoding at one sequence length, tests it at longer "
              "ones, and writes a table, plots and a report. Finished cells are skipped, interrupted ones "
              "continue.",
          .examples = {"extrapolation --config configs/extrapolation.cfg",
                       "extrapolation --config configs/quick.cfg --train.steps=2000 --out results/longer",
                       "extrapolation --config configs/extrapolation.cfg --part=2/8"},
          .sections = {"experiment", "task", "model", "train", "finetune", "evaluate"},
          .unread = {"train.seed"},
          .options = {"out", "jobs", "part"},
          .builds = Builds::rows,
          .body = extrapolation};
}

}  // namespace ordinal::experiments
