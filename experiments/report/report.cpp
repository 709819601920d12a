#include "experiments/report/report.h"

#include <set>
#include <string>

#include "experiments/process/results_folder.h"
#include "experiments/report/plots.h"
#include "experiments/report/table.h"

namespace ordinal::experiments {
namespace {

struct Files {
  const LockedPath& folder;
  std::set<std::filesystem::path> written = {};

  void write(const std::filesystem::path& name, const std::string& text) {
    write_text(folder / name, text);
    written.insert(folder / name);
  }
  /// An empty SVG means no picture.
  void draw(const std::filesystem::path& name, const std::string& svg) {
    if (!svg.empty()) write(name, svg);
  }
};

}  // namespace

std::filesystem::path write_report(const ExperimentResult& result, const LockedPath& out,
                                   const std::vector<Figure>& figures) {
  Files files{out};
  files.write("table.md", markdown_tables(result));
  files.write("table.csv", table_csv(result));
  files.write("seeds.csv", seeds_csv(result));
  if (!result.references.empty()) files.write("references.csv", references_csv(result));
  for (const MetricSpec& metric : headlines(result.metrics)) {
    const std::string which = metric.id == result.metrics.front().id ? "" : "-" + metric.id;
    files.draw("curves" + which + ".svg", svg(length_curves(result, metric, result.conditions.front())));
  }
  files.draw("training.svg", svg(training_curves(result)));
  files.draw("over_training.svg", svg(score_curves(result)));
  files.draw("by_position.svg", svg(position_curves(result)));
  for (const Figure& figure : figures) {
    const std::filesystem::path file = std::filesystem::path("figures") / (figure.file + ".svg");
    if (const auto* chart = std::get_if<Chart>(&figure.picture)) files.draw(file, svg(*chart));
    if (const auto* map = std::get_if<Heatmap>(&figure.picture)) files.draw(file, svg(*map));
  }
  files.write("report.html", report_page(result, figures));
  remove_old(out, report_names, files.written);
  remove_old(out / "figures", figure_names, files.written);
  return static_cast<const std::filesystem::path&>(out) / "report.html";
}

}  // namespace ordinal::experiments
