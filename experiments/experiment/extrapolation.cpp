#include "experiments/experiment/extrapolation.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/claims/sections.h"
#include "experiments/experiment/dry_run.h"
#include "experiments/experiment/outline.h"
#include "experiments/experiment/tuning.h"
#include "experiments/process/streams.h"
#include "experiments/report/verdicts.h"
#include "experiments/settings/command_line.h"
#include "framework/core/errors.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {

namespace {

// Results of different programs are not mixed in one folder.
void check_out(const std::filesystem::path& out, Holds holds) {
  struct Kind {
    Holds holds;
    const char* name;
    const char* what;
  };
  for (const auto& [other, name, what] :
       {Kind{Holds::cells, "cells", "the trainings of an experiment"},
        Kind{Holds::training, "checkpoint.safetensors", "a single training"},
        Kind{Holds::scores, "scores", "scores of checkpoints, which evaluate wrote"}}) {
    if (other == holds || !std::filesystem::exists(out / name)) continue;
    throw ConfigError(fmt::format("{}: it holds {}; choose another --out, or remove it", out.string(), what));
  }
}

}  // namespace

std::string name_by_folder(const std::filesystem::path& folder) {
  return folder_of(
      std::filesystem::absolute(folder / "").lexically_normal().parent_path().filename().string());
}

Extrapolation::Extrapolation(const Settings& settings, std::filesystem::path out, const CellWorkers& workers,
                             Form form)
    : settings_(settings),
      out_(std::move(out)),
      workers_(workers),
      form_(std::move(form)),
      makers_(std::move(form_.makers)),
      entrants_(std::move(form_.rows)) {
  check_tuning(settings);
  if (entrants_.empty()) {
    for (const Row& row : rows_of(settings)) entrants_.push_back(makers_.make(row));
  }
  candidates_ = tuning_candidates(entrants_, settings, makers_);
  read_claims();
  make_cells();
}

void Extrapolation::score_readers() {
  if (has_readers_) return;
  ExperimentResult outline = this->outline();
  add_references(outline, entrants_.front(), makers_, seeds(settings_).front());
  references_ = std::move(outline.references);
  gate_ = std::move(outline.gate);
  has_readers_ = true;
}

LockedPath Extrapolation::folder_of_cell(const Row& row, std::uint64_t seed) const {
  if (form_.holds == Holds::training) return out_;
  const char* all = form_.holds == Holds::scores ? "scores" : "cells";
  return out_ / all / row.folder / fmt::format("seed-{}", seed);
}

void Extrapolation::make_cells() {
  std::vector<Cell> cells;
  for (const Entrant& entrant : entrants_) {
    for (const std::uint64_t seed : seeds(settings_)) {
      const auto scored = entrant.checkpoints.find(seed);
      if (form_.holds == Holds::scores && scored == entrant.checkpoints.end()) continue;
      Cell& cell = cells.emplace_back(Cell{entrant, settings_, seed, folder_of_cell(entrant.row, seed)});
      if (scored != entrant.checkpoints.end()) cell.checkpoint = scored->second;
      cell.initial = form_.initial;
    }
  }
  if (form_.holds != Holds::scores) share_trainings(cells);
  cells_ = std::move(cells);
}

std::vector<Cell> Extrapolation::own_cells() const {
  std::vector<Cell> own;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (workers_.share.value_or(Share()).has(i)) own.push_back(cells_[i]);
  return own;
}

// Rows, lengths, metrics and conditions that claims name must exist.
void Extrapolation::read_claims() {
  claims_ = claims_of(settings_);
  const std::vector<std::string> problems = claim_problems(claims_, outline());
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
}

// A plan for which there is not enough memory has no warnings that come from the scores of readers.
std::string Extrapolation::plan() {
  if (fit_memory(cells_, workers_)) score_readers();
  std::string text = form_.plan;
  if (text.empty()) text = dry_run_text(settings_, entrants_, candidates_, workers_.threads.count());
  const ExperimentResult result = outline();
  Index of_claims = 0;
  for (const Claim& claim : claims_) of_claims += std::ssize(claim.statement.relations);
  for (const auto& lines : {warnings(result), too_few_seeds(result, std::ssize(seeds(settings_)), of_claims)})
    for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Tuning changes rows, so their cells can only be checked afterwards.
void Extrapolation::check_folders() {
  check_out(out_, form_.holds);
  const bool is_tuned = !settings_.tuned().empty();
  check_cells(is_tuned ? tuning_cells(candidates_, settings_, out_) : cells_, workers_);
  score_readers();
}

void Extrapolation::begin() {
  using Holder = FolderLock::Holder;
  lock_.emplace(out_, workers_.share ? Holder::one_of_several : Holder::here,
                settings_.resolved_config() + makers_.data());
  out_ = lock_->path();
  make_cells();
  check_folders();
}

std::optional<ExperimentResult> Extrapolation::run(Progress& progress) {
  auto results = this->results(progress);
  progress.clear();
  if (!results) return std::nullopt;
  if (!workers_.share) return experiment(std::move(*results));
  say_on_stdout(
      fmt::format("part {}/{} of {}: {} of {} cells, all done; after the last part, the same command without "
                  "--part writes the tables and the report\n",
                  workers_.share->index + 1, workers_.share->count, settings_.text("experiment.name"),
                  results->size(), cells_.size()));
  return ExperimentResult();
}

std::optional<std::vector<CellResult>> Extrapolation::results(Progress& progress) {
  const InterruptGuard interrupt;
  if (!settings_.tuned().empty()) {
    const std::vector<Cell> cells = tuning_cells(candidates_, settings_, out_);
    if (!tune(entrants_, cells, settings_, makers_, workers_, progress, interrupt)) return std::nullopt;
    make_cells();
  }
  if (!settings_.tuned().empty()) check_cells(cells_, workers_);
  write_file_atomically(out_ / "resolved.cfg", settings_.resolved_config());
  ResultsSoFar finished;
  if (!workers_.share)
    finished = [&](std::vector<CellResult> so_far) { write_page_so_far(std::move(so_far), progress); };
  auto results = run_cells(own_cells(), workers_, progress, interrupt, finished);
  return interrupt.requested() ? std::nullopt : results;
}

ExperimentResult Extrapolation::outline() const {
  ExperimentResult result = outline_of(entrants_);
  result.name = form_.holds == Holds::cells ? settings_.text("experiment.name") : name_by_folder(out_);
  result.references = references_;
  result.gate = gate_;
  return result;
}

ExperimentResult Extrapolation::experiment(std::vector<CellResult> results) {
  if (!frame_) {
    frame_ = outline();
    frame_->settings = settings_.resolved_config();
    const std::string folder = out_.string();
    const std::string config = (out_ / "resolved.cfg").string();
    frame_->command = form_.command;
    if (form_.command.empty())
      frame_->command = fmt::format("./experiments/run {} --out={}",
                                    quoted_for_shell((config.starts_with('-') ? "./" : "") + config),
                                    quoted_for_shell(folder));
    frame_->manifest = {{"seeds", settings_.text("experiment.seeds")}};
    add_tasks(*frame_, entrants_, makers_);
  }
  ExperimentResult result = *frame_;
  add_cells(result, std::move(results));
  return result;
}

// A page that cannot be written does not stop the trainings; the report at the end says so, too.
void Extrapolation::write_page_so_far(std::vector<CellResult> results, Progress& progress) {
  out_.check();
  try {
    ExperimentResult result = experiment(std::move(results));
    result.missing = std::ssize(cells_) - std::ssize(result.cells);
    write_page(result, out_);
  } catch (const std::exception& error) {
    progress.say(fmt::format("report.html was not written: {}", error.what()));
  }
}

std::vector<ClaimResult> Extrapolation::decide_claims(const ExperimentResult& result) const {
  return decide(claims_, result);
}

std::filesystem::path Extrapolation::report(const ExperimentResult& result) const {
  return write_experiment(result, cells_, out_);
}

}  // namespace ordinal::experiments
