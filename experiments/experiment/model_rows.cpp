#include "experiments/experiment/model_rows.h"

#include "experiments/experiment/outline.h"
#include "experiments/report/comparison.h"

namespace ordinal::experiments {
namespace {

// "rope" for results/rope and results/rope/
std::string name_of(const std::filesystem::path& folder) {
  return std::filesystem::absolute(folder / "").lexically_normal().parent_path().filename().string();
}

}  // namespace

std::vector<Entrant> entrants_of(const std::vector<ModelRow>& rows) {
  std::vector<Entrant> entrants;
  for (const ModelRow& row : rows) entrants.push_back(row.entrant);
  return entrants;
}

ModelReport write_model_report(const std::vector<ModelRow>& rows, const Entrants& makers,
                               std::vector<CellResult> cells, const Settings& evaluation,
                               const ReportFrame& frame) {
  const std::vector<Entrant> entrants = entrants_of(rows);
  ExperimentResult result = outline_of(entrants);
  result.name = name_of(frame.out);
  result.settings = frame.settings;
  result.command = frame.command;
  result.cells = std::move(cells);
  std::vector<std::string> seeds;
  for (const std::uint64_t seed : seeds_of(result)) seeds.push_back(std::to_string(seed));
  result.manifest = {{"seeds", joined(seeds)}};
  add_tasks(result, entrants, makers, rows.front().models.front().seed);
  add_cells(result, std::move(result.cells));
  write_manifest(result, frame.out);
  std::vector<Figure> figures;
  for (const ModelRow& row : rows) {
    const auto drawn = row_figures(row.entrant, row.models, result, evaluation);
    figures.insert(figures.end(), drawn.begin(), drawn.end());
  }
  const std::filesystem::path page = write_report(result, frame.out, figures);
  return {std::move(result), page};
}

}  // namespace ordinal::experiments
