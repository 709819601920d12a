// Draws first, so that the page can include the pictures; pictures of an earlier run are never left next to
// new numbers.
#include "experiments/report/report.h"

#include <fmt/format.h>

#include "experiments/report/causes.h"
#include "experiments/report/comparison.h"
#include "experiments/report/files.h"
#include "experiments/report/html.h"
#include "experiments/report/plots.h"
#include "experiments/report/table.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

/// Draws one script into `figure`, and records the outcome.
void draw(const std::string& script, const std::string& title, const LockedPath& svg,
          const std::string& program, ReportFiles& files, PageFigure& figure) {
  remove_file(svg);
  if (files.gnuplot_missing) return;
  const DrawOutcome outcome = draw_svg(script, svg, title, program);
  files.gnuplot_missing = outcome.missing;
  if (!outcome.drawn) {
    if (files.plot_error.empty()) files.plot_error = outcome.error;
    return;
  }
  files.paths.push_back(svg);
  figure.svg = read_file(svg);
}

void draw(const Chart& chart, const LockedPath& svg, const std::string& program, ReportFiles& files,
          PageFigure& figure) {
  if (has_data(chart)) return draw(chart_script(chart), chart.title, svg, program, files, figure);
  remove_file(svg);
  figure.text = "There is nothing to draw.";
}

/// The charts without pictures.
PagePictures captions(const ExperimentResult& result) {
  PagePictures pictures;
  pictures.curves = {.title = "Score by length",
                     .caption = result.metrics.front().name + " at each length that was tested"};
  pictures.curves.caption += result.train_length == 0
                                 ? "."
                                 : fmt::format("; training used lengths up to {}.", trained_lengths(result));
  pictures.training = {
      .title = "Training curves",
      .caption =
          "A failure to train is not a failure to extrapolate: compare rows past the training "
          "length only where these curves end alike."};
  pictures.by_position = {
      .title = "Loss by position",
      .caption =
          "Mean loss at each position of the longest sequences, averaged in bins that widen "
          "with the position."};
  return pictures;
}

PagePictures draw_all(const ExperimentResult& result, const LockedPath& out, const std::string& program,
                      ReportFiles& files) {
  PagePictures pictures = captions(result);
  draw(length_curves(result), out / "curves.svg", program, files, pictures.curves);
  const std::vector<Causes> all = causes(result);
  if (!all.empty()) {
    pictures.causes = {
        .title = "Where the loss comes from",
        .caption =
            "What each row loses from the training length to the longest one, beside what two changes cost "
            "by "
            "themselves: "
            "positions not seen in training, at the training length; and keys further back than the training "
            "length, at the longest. Where both hold the same loss, they overlap, and do not add up to it. A "
            "window also hides tokens that must be recalled from outside it, which counts against it."};
    draw(causes_script(result, all), pictures.causes->title, out / "causes.svg", program, files,
         *pictures.causes);
  }
  draw(training_curves(result), out / "training.svg", program, files, pictures.training);
  draw(position_curves(result), out / "by_position.svg", program, files, pictures.by_position);
  return pictures;
}

}  // namespace

void write_page(const ExperimentResult& result, const LockedPath& out) {
  PagePictures pictures = captions(result);
  for (PageFigure* figure : {&pictures.curves, &pictures.training, &pictures.by_position})
    figure->text = "Drawn after the last training; with JavaScript now.";
  write_text(out / "report.html", report_page(result, pictures));
}

ReportFiles write_report(const ExperimentResult& result, const LockedPath& out,
                         const std::vector<ExtraFigure>& extra, const std::string& program) {
  ReportFiles files;
  const auto write = [&](const char* name, const std::string& text) {
    write_text(out / name, text);
    files.paths.push_back(out / name);
  };
  write("table.md", markdown_tables(result));
  write("table.csv", table_csv(result));
  write("seeds.csv", seeds_csv(result));
  if (!result.references.empty()) write("references.csv", references_csv(result));
  PagePictures pictures = draw_all(result, out, program, files);
  for (const ExtraFigure& figure : extra) {
    pictures.extra.push_back({figure.title, figure.caption,
                              std::filesystem::exists(figure.svg) ? read_file(figure.svg) : "", figure.text,
                              figure.tags});
  }
  write("report.html", report_page(result, pictures));
  return files;
}

}  // namespace ordinal::experiments
