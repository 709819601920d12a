// Every text from outside passes through escape_html; the pictures are SVGs that gnuplot made for us.
#include "experiments/report/html.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/report/grid.h"
#include "experiments/report/html_style.h"
#include "experiments/report/verdicts.h"

namespace ordinal::experiments {
namespace {

std::string header(const ExperimentResult& result) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape_html(result.name), report_style);
  html += fmt::format("<p class=\"question\">{}</p>\n", escape_html(result.question));
  const std::string trained =
      result.train_length == 0 ? "" : fmt::format("Trained up to length {}. ", result.train_length);
  html += fmt::format("<p class=\"facts\">{}<br>{}Rows: {}. Models: {}.</p>\n", escape_html(result.task),
                      trained, compare(result).rows.size(), result.cells.size());
  return html;
}

std::string verdict_section(const ExperimentResult& result) {
  std::string html = "<h2>What the numbers say</h2>\n<ul class=\"verdicts\">\n";
  for (const std::string& sentence : verdicts(result)) html += "<li>" + escape_html(sentence) + "</li>\n";
  return html +
         "</ul>\n<p class=\"note\">These sentences are computed from the results. Numbers are mean ± "
         "standard deviation over seeds. Rows are compared by paired differences over the same seeds "
         "(Student’s "
         "t), because rows of one seed share the order of the data, the validation examples and the initial "
         "values of what they have in common. All sentences are corrected together (Holm), so that at most "
         "one report in twenty holds one that chance has written; each interval has the confidence at which "
         "its comparison was tested.</p>\n";
}

std::string name_cell(const GridCell& cell) {
  const std::string note = cell.note.empty() ? "" : fmt::format("<small>{}</small>", escape_html(cell.note));
  return fmt::format("<th scope=\"row\">{}{}</th>", escape_html(cell.text), note);
}

std::string table_cell(const GridCell& cell) {
  const char* kind = cell.missing ? " class=\"none\"" : (cell.best ? " class=\"best\"" : "");
  const std::string title = cell.why.empty() ? "" : fmt::format(" title=\"{}\"", escape_html(cell.why));
  const std::string small = cell.interval.empty() ? "" : fmt::format("<small>{}</small>", cell.interval);
  return fmt::format("<td{}{}>{}{}</td>", kind, title, escape_html(cell.text), small);
}

std::string table(const Grid& grid, const std::string& legend = "") {
  std::string html = fmt::format("<div class=\"scroll\"><table>\n<caption>{}{}</caption>\n<thead><tr>",
                                 escape_html(grid.title), legend);
  for (std::size_t c = 0; c < grid.headings.size(); ++c) {
    html +=
        fmt::format("<th{}>{}</th>", c < grid.names ? " class=\"name\"" : "", escape_html(grid.headings[c]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& line : grid.lines) {
    html += line.front().reference ? "<tr class=\"reference\">" : "<tr>";
    for (std::size_t c = 0; c < line.size(); ++c)
      html += c < grid.names ? name_cell(line[c]) : table_cell(line[c]);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string main_table(const ExperimentResult& result, const MetricInfo& metric) {
  return table(main_grid(result, metric),
               fmt::format("{}; bold: best of the column and all that cannot be told from it",
                           compare(result, metric.id).seeds > 1 ? "; small: 95 % interval of the mean" : ""));
}

std::string further_tables(const char* heading, const char* best_of, const std::vector<Grid>& grids) {
  if (grids.empty()) return "";
  std::string html = fmt::format(
      "<h3>{}</h3>\n<p class=\"note\">Bold: best of the {} and all that cannot be told from it.</p>\n",
      heading, best_of);
  for (const Grid& grid : grids) html += table(grid);
  return html;
}

std::string comparison_section(const ExperimentResult& result) {
  std::string html = "<h2>The comparison</h2>\n" + main_table(result, result.metrics.front());
  const std::vector<std::string> notes = table_notes(result);
  if (!notes.empty()) html += "<ul class=\"note\">\n";
  for (const std::string& note : notes) html += "<li>" + escape_html(note) + "</li>\n";
  if (!notes.empty()) html += "</ul>\n";
  for (std::size_t m = 1; m < result.metrics.size(); ++m) html += main_table(result, result.metrics[m]);
  for (const Grid& grid : class_grids(result)) html += table(grid);
  return html + further_tables("One table for each length", "table", pivot_grids(result)) +
         further_tables("Under each condition", "column", condition_grids(result));
}

std::string figure(const PageFigure& figure, const std::string& prefix, const char* kind) {
  std::string body;
  if (!figure.svg.empty()) {
    body = embed_svg(figure.svg, prefix);
  } else if (!figure.text.empty()) {
    body = "<pre>" + escape_html(figure.text) + "</pre>";
  } else {
    body = "<p class=\"note\">Not drawn.</p>";
  }
  return fmt::format("<figure class=\"{}\">\n{}\n<figcaption>{}</figcaption>\n</figure>\n", kind, body,
                     escape_html(figure.caption));
}

std::string picture_sections(const PagePictures& pictures) {
  std::vector<std::pair<const PageFigure*, const char*>> main{{&pictures.curves, "c-"}};
  if (pictures.causes) main.emplace_back(&*pictures.causes, "w-");
  main.emplace_back(&pictures.training, "t-");
  main.emplace_back(&pictures.by_position, "p-");
  std::string html;
  for (const auto& [picture, prefix] : main) {
    html += "<h2>" + escape_html(picture->title) + "</h2>\n" + figure(*picture, prefix, "chart");
  }
  if (pictures.extra.empty()) return html;
  html += "<h2>Inside the models</h2>\n";
  for (std::size_t i = 0; i < pictures.extra.size(); ++i) {
    html += "<h3>" + escape_html(pictures.extra[i].title) + "</h3>\n";
    html += figure(pictures.extra[i], fmt::format("x{}-", i), "small");
  }
  return html;
}

std::string cells_table(const ExperimentResult& result) {
  std::string html =
      "<details><summary>Every model that was trained</summary>\n<div class=\"scroll\"><table>\n<thead><tr>"
      "<th>row</th><th>seed</th><th>final training loss (bits)</th><th>seconds</th><th>hash of the "
      "weights</th>"
      "</tr></thead>\n<tbody>\n";
  for (const CellResult& cell : result.cells) {
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
                        escape_html(cell.row), cell.seed, format_value(cell.final_train_loss),
                        format_value(cell.seconds), escape_html(cell.weights_hash));
  }
  return html + "</tbody>\n</table></div></details>\n";
}

std::string reproduction(const ExperimentResult& result) {
  std::string html = "<h2>How to run it again</h2>\n";
  html += "<pre>" + escape_html(result.command) + "</pre>\n";
  html +=
      "<p>The same settings and seeds give the same weights, bit for bit, on the same kind of machine with "
      "the same "
      "build. The numbers are in <code>table.csv</code>, <code>seeds.csv</code> and "
      "<code>references.csv</code>.</p>\n";
  html += cells_table(result);
  html += "<details><summary>Settings (resolved.cfg)</summary>\n<pre>" + escape_html(result.settings) +
          "</pre></details>\n";
  html += "<details><summary>Machine, build and data (manifest.json)</summary>\n<table class=\"left\">\n";
  for (const auto& [key, value] : result.manifest) {
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escape_html(key), escape_html(value));
  }
  return html + "</table></details>\n";
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string embed_svg(const std::string& svg, const std::string& prefix) {
  const std::size_t start = svg.find("<svg");
  if (start == std::string::npos) return "";
  std::string element = svg.substr(start);
  for (const char* mark : {" id=\"", " id='", "href=\"#", "href='#", "url(#"}) {
    replace_all(element, mark, mark + prefix);
  }
  return element;
}

std::string report_page(const ExperimentResult& result, const PagePictures& pictures) {
  return header(result) + verdict_section(result) + comparison_section(result) + picture_sections(pictures) +
         reproduction(result) + "</body>\n</html>\n";
}

}  // namespace ordinal::experiments
