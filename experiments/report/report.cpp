// Pictures of an earlier run are never left next to new numbers.
#include "experiments/report/report.h"

#include "experiments/report/causes.h"
#include "experiments/report/comparison.h"
#include "experiments/report/plots.h"
#include "experiments/report/table.h"
#include "experiments/results/files.h"

namespace ordinal::experiments {
namespace {

/// Draws one script, if there is one, and records the outcome.
void draw(const std::string& script, const std::string& title, const LockedPath& svg,
          const std::string& program, ReportFiles& files) {
  remove_file(svg);
  if (script.empty() || files.gnuplot_missing) return;
  const DrawOutcome outcome = draw_svg(script, svg, title, program);
  files.gnuplot_missing = outcome.missing;
  if (outcome.drawn) files.paths.push_back(svg);
  if (files.plot_error.empty()) files.plot_error = outcome.error;
}

void draw_all(const ExperimentResult& result, const LockedPath& out, const std::string& program,
              ReportFiles& files) {
  const auto draw_lines = [&](const Chart& chart, const char* name) {
    draw(has_data(chart) ? chart_script(chart) : "", chart.title, out / name, program, files);
  };
  draw_lines(length_curves(result), "curves.svg");
  const std::vector<Causes> all = causes(result);
  if (!all.empty())
    draw(causes_script(result, all), "Where the loss comes from", out / "causes.svg", program, files);
  draw_lines(training_curves(result), "training.svg");
  draw_lines(position_curves(result), "by_position.svg");
}

}  // namespace

void write_page(const ExperimentResult& result, const LockedPath& out) {
  write_text(out / "report.html", report_page(result));
}

ReportFiles write_report(const ExperimentResult& result, const LockedPath& out,
                         const std::vector<Figure>& figures, const std::string& program) {
  ReportFiles files;
  const auto write = [&](const char* name, const std::string& text) {
    write_text(out / name, text);
    files.paths.push_back(out / name);
  };
  write("table.md", markdown_tables(result));
  write("table.csv", table_csv(result));
  write("seeds.csv", seeds_csv(result));
  if (!result.references.empty()) write("references.csv", references_csv(result));
  draw_all(result, out, program, files);
  write("report.html", report_page(result, figures));
  return files;
}

}  // namespace ordinal::experiments
