#include "experiments/report/report.h"

#include "experiments/report/plots.h"
#include "experiments/report/table.h"

namespace ordinal::experiments {
namespace {

// An empty SVG means no picture, so its file is removed.
void write_picture(const std::string& svg, const LockedPath& file) {
  if (!svg.empty()) return write_text(file, svg);
  file.check();
  std::filesystem::remove(file);
}

}  // namespace

std::filesystem::path write_report(const ExperimentResult& result, const LockedPath& out,
                                   const std::vector<Figure>& figures) {
  write_text(out / "table.md", markdown_tables(result));
  write_text(out / "table.csv", table_csv(result));
  write_text(out / "seeds.csv", seeds_csv(result));
  if (!result.references.empty()) write_text(out / "references.csv", references_csv(result));
  for (const MetricSpec& metric : headlines(result.metrics)) {
    const std::string which = metric.id == result.metrics.front().id ? "" : "-" + metric.id;
    write_picture(svg(length_curves(result, metric.id)), out / ("curves" + which + ".svg"));
  }
  write_picture(svg(training_curves(result)), out / "training.svg");
  write_picture(svg(score_curves(result)), out / "over_training.svg");
  write_picture(svg(position_curves(result)), out / "by_position.svg");
  for (const Figure& figure : figures) {
    const LockedPath file = out / "figures" / (figure.file + ".svg");
    if (const auto* chart = std::get_if<Chart>(&figure.picture)) write_picture(svg(*chart), file);
    if (const auto* map = std::get_if<Heatmap>(&figure.picture)) write_picture(svg(*map), file);
  }
  write_text(out / "report.html", report_page(result, figures));
  return static_cast<const std::filesystem::path&>(out) / "report.html";
}

}  // namespace ordinal::experiments
