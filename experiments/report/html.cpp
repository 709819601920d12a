// All external text passes through escape_html.
#include "experiments/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/report/plots.h"
#include "experiments/report/verdicts.h"
#include "framework/core/options.h"
#include "framework/core/text.h"
#include "page_assets.h"

namespace ordinal::experiments {
namespace {

/// What readers of the numbers must know of how they are made.
constexpr const char* procedure =
    "Numbers are mean ± standard deviation over all seeds; a mean over fewer says how many (n), because the "
    "others diverged or failed. The pairs of ranked rows at the longest length are decided together, by sign "
    "tests over seeds (Holm): at most one report in twenty has a verdict that is due to chance. “By” is the "
    "median of the differences, with its interval at the level of the test; other intervals are those of "
    "95 %. “Read the result” in experiments/README.md says how to compute them again from seeds.csv.";

/// A list, if there is something to list; `kind` is its class.
std::string html_list(const std::vector<std::string>& sentences, const char* kind) {
  if (sentences.empty()) return "";
  std::string html = fmt::format("<ul class=\"{}\">\n", kind);
  for (const std::string& sentence : sentences) html += "<li>" + escape_html(sentence) + "</li>\n";
  return html + "</ul>\n";
}

/// The question, the answer, and of how many seeds it is, if more follow.
std::string header(const ExperimentResult& result) {
  std::string html = fmt::format("<header>\n<p class=\"name\">{}</p>\n<h1 class=\"question\">{}</h1>\n",
                                 escape_html(result.name), escape_html(result.question));
  for (const std::string& sentence : answer(result))
    html += "<p class=\"answer\">" + escape_html(sentence) + "</p>\n";
  if (result.so_far) {
    html += fmt::format(
        "<p class=\"progress\">Preliminary: {} of {} seeds. This page is written again after each.</p>\n",
        result.so_far->done, result.so_far->all);
  }
  return html + "</header>\n";
}

std::string facts(const ExperimentResult& result) {
  return fmt::format("<p class=\"facts\">{}<br>Rows: {}. Models: {}.</p>\n", escape_html(result.task),
                     result.rows.size(), result.cells.size());
}

/// All pairs of ranked rows, which the page shows unless they are many.
std::string pair_tables(const ExperimentResult& result) {
  constexpr Index most_shown = 30;
  Index pairs = 0;
  Index decided = 0;
  for (const Ranking& ranking : rankings_of(result)) {
    pairs += std::ssize(ranking.pairs);
    decided += std::ranges::count_if(
        ranking.pairs, [](const Pair& pair) { return pair.by.decision != Decision::undecided; });
  }
  if (pairs == 0) return "";
  std::string html = fmt::format("<details{}><summary>{} of {} decided</summary>\n<div class=\"pairs\">\n",
                                 pairs <= most_shown ? " open" : "", decided, counted(pairs, "pair"));
  for (const Grid& grid : pair_grids(result)) html += html_table(grid);
  return html + "</div>\n</details>\n";
}

std::string verdict_section(const ExperimentResult& result) {
  std::string html = "<h2>What the numbers say</h2>\n" + html_list(warnings(result), "verdicts");
  return html + pair_tables(result) + "<p class=\"note\">" + procedure + "</p>\n";
}

/// A name or a number, and what is less: "learned", "(overflow = clamp)"; "1.2 ± 0.1", "(n = 4)", "1.1 to 1.3".
std::string table_cell(const GridCell& cell, bool is_name, bool is_detail) {
  const std::size_t remark = std::min(cell.text.find(" ("), cell.text.size());
  const std::size_t spread = std::min(cell.text.find("± "), remark);
  std::string text = escape_html(cell.text.substr(0, spread));
  if (spread < remark) text += "<span>" + escape_html(cell.text.substr(spread, remark - spread)) + "</span>";
  if (remark < cell.text.size()) text += "<small>" + escape_html(cell.text.substr(remark)) + "</small>";
  if (!cell.interval.empty()) text += "<small class=\"detail\">" + escape_html(cell.interval) + "</small>";
  if (is_name) return "<th scope=\"row\">" + text + "</th>";
  const char* kind = is_detail      ? " class=\"detail\""
                     : cell.missing ? " class=\"none\""
                     : cell.best    ? " class=\"best\""
                                    : "";
  const std::string title = cell.why.empty() ? "" : fmt::format(" title=\"{}\"", escape_html(cell.why));
  return fmt::format("<td{}{}>{}</td>", kind, title, text);
}

/// The attributes by which page.js lets readers choose.
std::string data_attributes(const decltype(Figure::tags)& tags) {
  std::string text;
  for (const auto& [name, value] : tags) text += fmt::format(" data-{}=\"{}\"", name, escape_html(value));
  return text;
}

/// Every table, of which page.js shows one at a time. If there are two factors, their tables come first.
std::string all_tables(const ExperimentResult& result) {
  const std::string intervals =
      most_seeds(result) >= seeds_to_decide(1) ? "; small: 95 % interval of the median" : "";
  std::string html = "<div class=\"choose\">\n";
  const auto add = [&](const std::string& name, const std::string& table) {
    html += fmt::format("<div{}>{}</div>\n", data_attributes({{"table", name}}), table);
  };
  for (const Grid& grid : pivot_grids(result)) add(grid.title, html_table(grid));
  for (const auto& metrics : {headlines(result.metrics), other_metrics(result.metrics)})
    for (const MetricSpec& metric : metrics)
      add(metric.title(), html_table(main_grid(result, metric), intervals));
  return html + "</div>\n";
}

/// The curves of the other metrics, and of the headline under the other conditions.
std::string other_curves(const ExperimentResult& result) {
  std::string html;
  const auto add = [&](const MetricSpec& metric, const std::string& condition) {
    const Chart chart = length_curves(result, metric, condition);
    html += html_figure(inside_page(chart), escape_html(chart.title), {{"curve", chart.title}});
  };
  for (const MetricSpec& metric : other_metrics(result.metrics)) add(metric, result.conditions.front());
  for (std::size_t c = 1; c < result.conditions.size(); ++c)
    if (lengths_under(result, result.conditions[c]).size() > 1)
      add(result.metrics.front(), result.conditions[c]);
  return html.empty() ? "" : "<h3>Other curves</h3>\n<div class=\"choose\">\n" + html + "</div>\n";
}

std::string comparison_section(const ExperimentResult& result) {
  std::string html = "<h2>The comparison</h2>\n" + all_tables(result);
  for (const Grid& grid : band_grids(result)) html += html_table(grid);
  return html + html_list(table_notes(result), "note") + other_curves(result);
}

std::string main_figures(const ExperimentResult& result) {
  std::string html;
  for (const MetricSpec& metric : headlines(result.metrics))
    html += html_figure(inside_page(length_curves(result, metric, result.conditions.front())),
                        escape_html(metric.title()) + " at each length that was tested.");
  return html;
}

/// Empty without data.
std::string chart_section(const char* title, const Chart& chart, const char* caption) {
  const std::string figure = html_figure(inside_page(chart), caption);
  return figure.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", title, figure);
}

std::string conditions_section(const ExperimentResult& result) {
  std::string html;
  for (const Grid& grid : condition_grids(result)) html += html_table(grid);
  return html.empty() ? "" : "<h2>Under other conditions</h2>\n" + html;
}

std::string picture_of(const Figure& one) {
  if (const auto* chart = std::get_if<Chart>(&one.picture)) return inside_page(*chart);
  if (const auto* map = std::get_if<Heatmap>(&one.picture)) return inside_page(*map);
  return "<pre>" + escape_html(std::get<std::string>(one.picture)) + "</pre>\n";
}

/// The pictures of models, which readers find by their tags.
std::string gallery(const std::vector<Figure>& figures) {
  if (figures.empty()) return "";
  std::string html = "<h2>Inside the models</h2>\n<div class=\"choose gallery\">\n";
  for (const Figure& one : figures) {
    html +=
        html_figure(picture_of(one),
                    fmt::format("<b>{}</b> {}", escape_html(one.title), escape_html(one.caption)), one.tags);
  }
  return html + "</div>\n";
}

std::string picture_sections(const ExperimentResult& result, const std::vector<Figure>& figures) {
  return conditions_section(result) +
         chart_section("Training curves", training_curves(result),
                       "A failure to train is not a failure to extrapolate: compare rows past the training "
                       "length only where these curves end alike.") +
         chart_section("Loss by position", position_curves(result),
                       "Mean loss at each position of the longest sequences, averaged in bins that widen "
                       "with the position.") +
         gallery(figures);
}

std::string reproduction(const ExperimentResult& result) {
  std::string html = "<h2>How to run it again</h2>\n";
  html += "<pre>" + escape_html(result.command) + "</pre>\n";
  html +=
      "<p>The same settings and seeds give the same weights, bit for bit, with the same version on any "
      "machine. The numbers are in <code>table.csv</code>, <code>seeds.csv</code> and "
      "<code>references.csv</code>.</p>\n";
  html += "<details><summary>Settings (resolved.cfg)</summary>\n<pre>" + escape_html(result.settings) +
          "</pre></details>\n";
  html += "<details><summary>Machine, build and data (manifest.json)</summary>\n<table class=\"left\">\n";
  for (const auto& [key, value] : result.manifest) {
    html += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escape_html(key), escape_html(value));
  }
  return html + "</table></details>\n";
}

}  // namespace

std::string escape_html(const std::string& text) {
  constexpr std::string_view marks = "&<>\"'";
  constexpr std::array names = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string escaped;
  for (const char c : printable_lines(text)) {
    const std::size_t mark = marks.find(c);
    escaped += mark == std::string_view::npos ? std::string(1, c) : names[mark];
  }
  return escaped;
}

std::string html_figure(const std::string& picture, const std::string& caption,
                        const decltype(Figure::tags)& tags) {
  if (picture.empty()) return "";
  return fmt::format("<figure{}>\n{}<figcaption>{}</figcaption>\n</figure>\n", data_attributes(tags), picture,
                     caption);
}

std::string page_start(const std::string& title, const std::string& style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
      escape_html(title), page_style, style);
}

std::string html_table(const Grid& grid, const std::string& legend) {
  const bool has_bold = std::ranges::any_of(
      grid.lines, [](const auto& line) { return std::ranges::any_of(line, &GridCell::best); });
  std::string html = fmt::format(
      "<div class=\"scroll\"><table>\n<caption>{}{}{}</caption>\n<thead><tr>", escape_html(grid.title),
      legend, has_bold ? "; bold: the best row and all that it is not decided to be ahead of" : "");
  for (std::size_t c = 0; c < grid.headings.size(); ++c) {
    const char* kind = c < grid.names ? " class=\"name\"" : c == grid.detail ? " class=\"detail\"" : "";
    html += fmt::format("<th scope=\"col\"{}>{}</th>", kind, escape_html(grid.headings[c]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < grid.lines.size(); ++r) {
    const auto& line = grid.lines[r];
    if (r < grid.rows.size()) {
      html += fmt::format("<tr{} data-row=\"{}\">", line.front().unranked ? " class=\"unranked\"" : "",
                          escape_html(grid.rows[r]));
    } else {
      html += line.front().reference ? "<tr class=\"reference\">" : "<tr>";
    }
    for (std::size_t c = 0; c < line.size(); ++c)
      html += table_cell(line[c], c < grid.names, c == grid.detail);
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string report_page(const ExperimentResult& result, const std::vector<Figure>& figures) {
  return page_start(result.name) + header(result) + main_figures(result) + facts(result) +
         verdict_section(result) + comparison_section(result) + picture_sections(result, figures) +
         reproduction(result) + "<script>" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace ordinal::experiments
