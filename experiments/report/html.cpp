// Every text from outside passes through escape_html; the pictures are SVGs that gnuplot made for us.
#include "experiments/report/html.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "experiments/report/comparison.h"
#include "experiments/report/html_style.h"
#include "experiments/report/table.h"
#include "experiments/report/verdicts.h"

namespace ordinal {
namespace {

std::string header(const ExperimentResult& result) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape_html(result.name), report_style);
  html += fmt::format("<p class=\"question\">{}</p>\n", escape_html(result.question));
  html += fmt::format("<p class=\"facts\">{}<br>Trained up to length {}; {} models of {} encodings.</p>\n",
                      escape_html(result.task), result.train_length, result.cells.size(),
                      encoding_names(result).size());
  return html;
}

std::string verdict_section(const ExperimentResult& result) {
  std::string html = "<h2>What the numbers say</h2>\n<ul class=\"verdicts\">\n";
  for (const std::string& sentence : verdicts(result)) html += "<li>" + escape_html(sentence) + "</li>\n";
  return html +
         "</ul>\n<p class=\"note\">These sentences are computed from the results. Numbers are mean ± "
         "standard "
         "deviation over seeds. Two numbers are called different when the 95 % interval of their paired "
         "difference "
         "over the same seeds (Student’s t) does not hold zero; the intervals are not corrected for making "
         "several "
         "comparisons.</p>\n";
}

/// True for the best mean of a column, and for those that cannot be told from it.
bool is_best(const Comparison& comparison, std::size_t row, std::size_t column, bool lower_is_better) {
  const Index best = best_row(comparison, static_cast<Index>(column), lower_is_better);
  const Entry& entry = comparison.rows[row].entries[column];
  if (best < 0 || !entry.has_number()) return false;
  if (static_cast<std::size_t>(best) == row) return true;
  const PairedComparison pairs =
      compare_entries(entry, comparison.rows[static_cast<std::size_t>(best)].entries[column]);
  return pairs.n >= 2 && pairs.decision == Decision::undecided;
}

std::string table_cell(const Entry& entry, Index usual_n, bool best) {
  const char* kind = entry.has_number() ? (best ? " class=\"best\"" : "") : " class=\"none\"";
  std::string title = entry.why.empty() ? "" : fmt::format(" title=\"{}\"", escape_html(entry.why));
  std::string html = fmt::format("<td{}{}>{}", kind, title, escape_html(cell_text(entry, usual_n)));
  if (entry.has_number() && entry.summary.n > 1) {
    html += fmt::format("<small>{} to {}</small>", format_value(entry.summary.low),
                        format_value(entry.summary.high));
  }
  return html + "</td>";
}

std::string comparison_table(const ExperimentResult& result, Scope scope) {
  const Comparison comparison = compare(result, scope);
  if (comparison.lengths.empty()) return "";
  const char* small = comparison.seeds > 1 ? "; small: 95 % interval of the mean" : "";
  std::string html = fmt::format(
      "<div class=\"scroll\"><table>\n<caption>{}{}; bold: best of the column and all that cannot be told "
      "from "
      "it</caption>\n<thead><tr><th>encoding</th><th>parameters</th>",
      escape_html(table_caption(result, scope)), small);
  for (const Index length : comparison.lengths) {
    html += fmt::format("<th>{}</th>", length_heading(length, result.train_length));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    const ComparisonRow& row = comparison.rows[r];
    const std::string note = row.note.empty() ? "" : fmt::format("<small>{}</small>", escape_html(row.note));
    html += fmt::format("<tr><th scope=\"row\">{}{}</th><td>{}</td>", escape_html(row.encoding), note,
                        group_thousands(row.parameters));
    for (std::size_t c = 0; c < row.entries.size(); ++c) {
      html += table_cell(row.entries[c], comparison.seeds,
                         is_best(comparison, r, c, result.metric.lower_is_better));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
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
  const std::array<std::pair<const PageFigure*, const char*>, 3> main{
      {{&pictures.curves, "c-"}, {&pictures.training, "t-"}, {&pictures.by_position, "p-"}}};
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
      "<th>encoding</th><th>seed</th><th>final training loss (bits)</th><th>seconds</th><th>hash of the "
      "weights</th>"
      "</tr></thead>\n<tbody>\n";
  for (const CellResult& cell : result.cells) {
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
                        escape_html(cell.encoding), cell.seed, format_value(cell.final_train_loss),
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
      "build. The numbers are in <code>table.csv</code> and <code>seeds.csv</code>.</p>\n";
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
  return header(result) + verdict_section(result) + "<h2>The comparison</h2>\n" +
         comparison_table(result, Scope::all_positions) + comparison_table(result, Scope::past_training) +
         picture_sections(pictures) + reproduction(result) + "</body>\n</html>\n";
}

}  // namespace ordinal
