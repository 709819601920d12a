#include "experiments/report/report.h"

#include <set>
#include <string>

#include "experiments/process/results_folder.h"
#include "experiments/report/plots.h"
#include "experiments/report/table.h"

namespace ordinal::experiments {

std::filesystem::path write_report(const ExperimentResult& result, const LockedPath& out,
                                   const std::vector<Figure>& figures) {
  std::set<std::filesystem::path> written;
  const auto write = [&](const std::filesystem::path& name, const std::string& text) {
    if (text.empty()) return;  // there are no data
    write_text(out / name, text);
    written.insert(out / name);
  };
  write("table.md", markdown_tables(result));
  write("table.csv", table_csv(result));
  write("seeds.csv", seeds_csv(result));
  write("references.csv", references_csv(result));
  for (const MetricSpec& metric : headlines(result.metrics)) {
    const std::string which = metric.id == result.metrics.front().id ? "" : "-" + metric.id;
    write("curves" + which + ".svg", svg(length_curves(result, metric, result.conditions.front())));
  }
  write("training.svg", svg(training_curves(result)));
  write("by_position.svg", svg(position_curves(result)));
  for (const Figure& figure : figures) {
    const std::string file = "figures/" + figure.file + ".svg";
    if (const auto* chart = std::get_if<Chart>(&figure.picture)) write(file, svg(*chart));
    if (const auto* map = std::get_if<Heatmap>(&figure.picture)) write(file, svg(*map));
  }
  write("report.html", report_page(result, figures));
  remove_old(out, report_names, written);
  remove_old(out / "figures", figure_names, written);
  return static_cast<const std::filesystem::path&>(out) / "report.html";
}

}  // namespace ordinal::experiments
