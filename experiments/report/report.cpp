#include "experiments/report/report.h"

#include "experiments/report/causes.h"
#include "experiments/report/comparison.h"
#include "experiments/report/plots.h"
#include "experiments/report/table.h"
#include "experiments/results/files.h"

namespace ordinal::experiments {
namespace {

void draw(bool any, const auto& picture, const LockedPath& file) {
  any ? write_text(file, svg(picture)) : remove_file(file);
}

void draw(const Chart& chart, const LockedPath& file) { draw(has_data(chart), chart, file); }

}  // namespace

void write_page(const ExperimentResult& result, const LockedPath& out) {
  write_text(out / "report.html", report_page(result));
}

std::filesystem::path write_report(const ExperimentResult& result, const LockedPath& out,
                                   const std::vector<Figure>& figures) {
  write_text(out / "table.md", markdown_tables(result));
  write_text(out / "table.csv", table_csv(result));
  write_text(out / "seeds.csv", seeds_csv(result));
  if (!result.references.empty()) write_text(out / "references.csv", references_csv(result));
  draw(length_curves(result), out / "curves.svg");
  draw(training_curves(result), out / "training.svg");
  draw(position_curves(result), out / "by_position.svg");
  draw(!causes(result).empty(), causes_bars(result), out / "causes.svg");
  for (const Figure& figure : figures) {
    const LockedPath file = out / "figures" / (figure.file + ".svg");
    if (const auto* chart = std::get_if<Chart>(&figure.picture)) draw(*chart, file);
    if (const auto* map = std::get_if<Heatmap>(&figure.picture)) draw(true, *map, file);
  }
  write_text(out / "report.html", report_page(result, figures));
  return out / "report.html";
}

}  // namespace ordinal::experiments
