#include "experiments/experiment/extrapolation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "experiments/claims/claims_report.h"
#include "experiments/experiment/figures.h"
#include "experiments/experiment/outline.h"
#include "experiments/experiment/tuning.h"
#include "experiments/process/machine.h"
#include "experiments/process/streams.h"
#include "experiments/report/terminal_table.h"
#include "experiments/report/verdicts.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/safetensors.h"

namespace ordinal::experiments {

namespace {

// The folders of rows in `rows` that no row of this run has.
std::string other_rows(const std::filesystem::path& rows, const std::vector<Entrant>& own) {
  std::vector<std::string> others;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(rows, none)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::none_of(own, [&](const Entrant& one) { return one.row.folder == name; }))
      others.push_back(name);
  }
  std::ranges::sort(others);
  if (others.empty()) return "";
  return fmt::format("{}: no row of this run has {}; the tables are without it, and it stays\n",
                     rows.string(), joined(others));
}

// In a comparison, a model that could not be trained is a result.
void require_model(const CellResult& result) {
  if (!result.weights_hash.empty()) return;
  const Score& score = result.scores.front();
  if (score.failed) throw PositionError(score.why);
  throw std::runtime_error(score.why);
}

}  // namespace

std::string name_by_folder(const std::filesystem::path& folder) {
  return folder_of(
      std::filesystem::absolute(folder / "").lexically_normal().parent_path().filename().string());
}

Extrapolation::Extrapolation(const Settings& settings, std::filesystem::path out, const CellWorkers& workers,
                             Form form)
    : settings_(settings), out_(std::move(out)), workers_(workers), form_(std::move(form)) {
  check_tuning(settings);
  if (form_.rows.empty()) {
    for (const Row& row : rows_of(settings)) form_.rows.push_back(form_.makers.make(row));
  }
  candidates_ = tuning_candidates(form_.rows, settings, form_.makers);
  if (trains()) {
    for (const auto* trained : {&form_.rows, &candidates_})
      for (const Entrant& entrant : *trained) entrant.check_targets();
  }
  prepare();
  claims_ = claims_of(settings_);
}

LockedPath Extrapolation::folder_of_cell(const Row& row, std::uint64_t seed) const {
  if (form_.holds == a_training) return out_;
  return out_ / "cells" / row.folder / fmt::format("seed-{}", seed);
}

void Extrapolation::prepare() {
  cells_.clear();
  for (const Entrant& entrant : form_.rows) {
    for (const std::uint64_t seed : seeds(settings_)) {
      const auto scored = entrant.checkpoints.find(seed);
      if (!trains() && scored == entrant.checkpoints.end()) continue;
      Cell& cell = cells_.emplace_back(Cell{entrant, settings_, seed, folder_of_cell(entrant.row, seed)});
      if (scored != entrant.checkpoints.end()) cell.checkpoint = scored->second;
      cell.initial = form_.initial;
    }
  }
  if (trains()) place_trainings(cells_, out_);
  ExperimentResult frame = outline_of(form_.rows, form_.makers);
  frame.can_add_seeds = form_.holds == an_experiment;
  frame.name = frame.can_add_seeds ? settings_->experiment.name : name_by_folder(out_);
  frame.settings = form_.resolved.empty() ? settings_.resolved_config() : form_.resolved;
  const std::string config = (out_ / "resolved.cfg").string();
  frame.command = !form_.command.empty()
                      ? form_.command
                      : fmt::format("./experiments/run {} --out={}",
                                    quoted_for_shell((config.starts_with('-') ? "./" : "") + config),
                                    quoted_for_shell(out_.string()));
  frame.manifest.insert(frame.manifest.begin(), {"seeds", settings_->experiment.seeds});
  if (!frame_.references.empty()) {  // they, and the gates of the rows, are as before
    frame.references = std::move(frame_.references);
    frame.rows = std::move(frame_.rows);
  }
  frame_ = std::move(frame);
}

void Extrapolation::score_readers() {
  if (frame_.references.empty()) add_references(frame_, form_.rows, seeds(settings_).front());
}

// A plan for which there is not enough memory has no warnings that come from the scores of readers.
std::string Extrapolation::plan() {
  const std::string problem = memory_problem(cells_, workers_);
  if (problem.empty()) score_readers();
  std::string text = form_.plan;
  if (trains()) text += dry_run_text(settings_, form_.rows, candidates_, workers_.threads.count());
  text += doubtful_lengths(settings_);
  if (!problem.empty()) text += "warning: " + problem + "\n";
  text += other_rows(out_ / "cells", form_.rows);
  for (const auto& lines :
       {warnings(frame_), too_few_seeds(frame_, std::ssize(seeds(settings_)), std::ssize(claims_))})
    for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Tuning changes rows, so their cells can only be checked afterwards.
void Extrapolation::check_folders() {
  check_results_folder(out_, form_.holds);
  const bool has_results =
      std::filesystem::exists(out_ / "cells") || std::filesystem::exists(checkpoint_in(out_));
  if (trains() && has_results && !std::filesystem::exists(out_ / "trainings"))
    throw ConfigError(
        fmt::format("{}: its results have no trainings/, as those of earlier versions; choose another --out, "
                    "or remove it",
                    out_.string()));
  if (form_.holds == a_training && finished_result(cells_.front()))
    const SafetensorsFile readable(cells_.front().checkpoint);
  const bool is_tuned = !settings_.tuned().empty();
  check_cells(is_tuned ? tuning_cells(candidates_, settings_, out_) : cells_, workers_);
  score_readers();
}

void Extrapolation::begin() {
  lock_.emplace(out_, form_.holds, frame_.settings + frame_.manifest.back().second);  // the hash of the data
  out_ = lock_->path();
  prepare();
  check_folders();
}

std::optional<ExperimentResult> Extrapolation::run(Progress& progress) {
  auto results = this->results(progress);
  progress.clear();
  if (!results) return std::nullopt;
  return experiment(std::move(*results));
}

std::optional<std::vector<CellResult>> Extrapolation::results(Progress& progress) {
  const InterruptGuard interrupt;
  if (trains())
    std::filesystem::create_directories(out_ / "trainings");  // before any cells: see check_folders()
  if (!settings_.tuned().empty()) {
    const std::vector<Cell> cells = tuning_cells(candidates_, settings_, out_);
    if (!tune(form_.rows, cells, form_.makers, workers_, progress, interrupt)) return std::nullopt;
    frame_.references.clear();  // of the task before it was tuned
    prepare();
    check_cells(cells_, workers_);
    score_readers();
  }
  write_file_atomically(out_ / "resolved.cfg", frame_.settings);
  const AfterSeed after_seed = [&, is_first = true](std::vector<CellResult> cells, SeedsSoFar seeds) mutable {
    report_so_far(std::move(cells), seeds, std::exchange(is_first, false), progress);
  };
  auto results = run_cells(cells_, workers_, progress, interrupt, after_seed);
  return interrupt.requested() ? std::nullopt : results;
}

ExperimentResult Extrapolation::experiment(std::vector<CellResult> cells) const {
  ExperimentResult result = frame_;
  result.cells = std::move(cells);
  set_learned(result);
  std::set<std::string> builds;
  for (const CellResult& cell : result.cells) builds.insert(cell.builds);
  const auto facts = machine_facts();
  result.manifest.insert(result.manifest.begin(), facts.begin(), facts.end());
  result.manifest.emplace_back("trained_by", fmt::format("{}", fmt::join(builds, "; ")));
  return result;
}

// A report that cannot be written does not stop the trainings; the one at the end says so, too.
void Extrapolation::report_so_far(std::vector<CellResult> cells, SeedsSoFar seeds, bool is_first,
                                  Progress& progress) const {
  out_.check();
  ExperimentResult result = experiment(std::move(cells));
  result.so_far = seeds;
  try {
    const std::string page = report(result).string();
    if (!is_first)
      return progress.say(fmt::format("report: {} has {} of {} seeds", page, seeds.done, seeds.all));
    auto terminal = terminal_of(STDERR_FILENO);
    if (terminal) terminal->colors = false;  // say() shows only plain text
    progress.say("\n" + terminal_table(result, terminal) + "report: " + page + "\n");
  } catch (const std::exception& error) {
    progress.say(fmt::format("the report was not written: {}", error.what()));
  }
}

std::filesystem::path Extrapolation::report(const ExperimentResult& result) const {
  write_file_atomically(out_ / "manifest.json", manifest_json(result));
  std::vector<Figure> figures;
  for (const Entrant& row : form_.rows)
    std::ranges::move(row_figures(row, cells_, result), std::back_inserter(figures));
  if (claims_.empty())
    remove_old(out_, claim_names, {});  // else they are of an equal command, or written next
  return write_report(result, out_, figures);
}

int run_experiment(const CommandLine& command, const Settings& settings, const std::filesystem::path& out,
                   Form form) {
  Threads threads(command.threads);
  Progress progress(command.quiet);
  const bool is_one = form.holds == a_training;
  const std::filesystem::path initial = form.initial;
  Extrapolation experiment(settings, out, {threads, command.jobs}, std::move(form));
  if (command.dry_run) {
    say_on_stdout(wrapped(experiment.plan(), terminal_of(STDOUT_FILENO)));
    return 0;
  }
  for (const Row& row : rows_of(settings))
    for (const std::string& file : row.settings->task.file) check_input(file, out);
  for (const std::string& file : command.files) check_input(file, out, experiment.resolved_config());
  if (!initial.empty()) check_input(initial, out);
  experiment.check_folders();  // before it writes the lock
  experiment.begin();
  progress.say(startup_line(threads.count()));
  progress.say(wrapped(experiment.plan(), terminal_of(STDERR_FILENO)));
  const std::optional<ExperimentResult> result = experiment.run(progress);
  if (!result) return say_interrupted(command.invocation);
  if (is_one) require_model(result->cells.front());
  const std::filesystem::path page = experiment.report(*result);
  draw_on_stdout(terminal_table(*result, terminal_of(STDOUT_FILENO)));
  if (!settings.sections("claim").empty()) say_on_stdout(report_claims(settings, *result, experiment.out()));
  if (is_one) say_on_stdout(fmt::format("checkpoint: {}\n", checkpoint_in(experiment.out()).string()));
  say_on_stdout(fmt::format("report: {}\n", page.string()));
  // Claims that need a model are undecided without one, and the next config goes on.
  if (settings.sections("claim").empty() &&
      std::ranges::all_of(result->cells, [](const CellResult& cell) { return cell.weights_hash.empty(); }))
    throw std::runtime_error("no row has a trained model: " + result->cells.front().scores.front().why);
  return 0;
}

}  // namespace ordinal::experiments
