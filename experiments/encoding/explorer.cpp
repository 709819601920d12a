#include "experiments/encoding/explorer.h"

#include <fmt/format.h>

#include "experiments/report/html.h"
#include "framework/core/options.h"
#include "page_assets.h"

namespace ordinal::experiments {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the character before `at`, an underscore, is a letter by itself. Names such as d_model have more.
bool follows_single_letter(const std::string& text, std::size_t at) {
  if (at == 0) return false;
  std::size_t letter = at - 1;
  while (letter > 0 && (static_cast<unsigned char>(text[letter]) & 0xC0U) == 0x80U) --letter;  // UTF-8
  return letter == 0 || !is_word(text[letter - 1]);
}

// Where the index or exponent after `at` ends: a bracket or a word. `at` itself if there is none.
std::size_t end_of_script(const std::string& text, std::size_t at) {
  const std::size_t first = at + 1;
  if (first == text.size()) return at;
  const char open = text[first];
  if (open == '{' || open == '(') {
    const char close = open == '{' ? '}' : ')';
    int depth = 0;
    for (std::size_t end = first; end < text.size(); ++end) {
      depth += text[end] == open ? 1 : (text[end] == close ? -1 : 0);
      if (depth == 0) return end + 1;
    }
    return at;
  }
  std::size_t end = first;
  while (end < text.size() && is_word(text[end])) ++end;
  constexpr std::size_t longest_index = 2;
  return text[at] == '_' && end - first > longest_index ? at : end;
}

// Plain text with its indices and exponents lowered and raised: q_i, base^(-2i/d).
std::string math(const std::string& text) {
  std::string html;
  for (std::size_t at = 0; at < text.size();) {
    const bool index = text[at] == '_' && follows_single_letter(text, at);
    const std::size_t end = index || text[at] == '^' ? end_of_script(text, at) : at;
    if (end <= at + 1) {
      html += escape_html(std::string(1, text[at++]));
      continue;
    }
    const std::size_t bracket = is_word(text[at + 1]) ? 0 : 1;
    const std::string inside = text.substr(at + 1 + bracket, end - at - 1 - 2 * bracket);
    html += fmt::format("<{0}>{1}</{0}>", index ? "sub" : "sup", math(inside));
    at = end;
  }
  return html;
}

std::string names_of(const ExplorerPage& page) {
  std::vector<std::string> names;
  for (const ExplorerSection& section : page.sections) names.push_back(section.name);
  constexpr std::size_t most_named = 6;
  return names.size() <= most_named ? joined(names) : fmt::format("{} positional encodings", names.size());
}

std::string table(const ExplorerTable& table) {
  std::string html = fmt::format("<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>",
                                 escape_html(table.caption));
  for (const std::string& heading : table.headings)
    html += fmt::format("<th scope=\"col\">{}</th>", escape_html(heading));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& line : table.lines) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_html(line.front()));
    for (std::size_t c = 1; c < line.size(); ++c) html += fmt::format("<td>{}</td>", escape_html(line[c]));
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string panel_html(const ExplorerPanel& panel) {
  return fmt::format("<div class=\"panel\" data-panel=\"{}\">\n<h3>{}</h3>\n<p>{}</p>\n</div>\n", panel.kind,
                     math(panel.title), math(panel.words));
}

std::string section_html(const ExplorerSection& section, std::size_t index) {
  std::string html = fmt::format(
      "<section id=\"encoding-{0}\" data-encoding=\"{0}\" data-offset=\"{1}\" aria-labelledby=\"name-{0}\">\n"
      "<h2 id=\"name-{0}\">{2}</h2>\n",
      index, section.offset, escape_html(section.name));
  for (const std::string& formula : section.formulas)
    html += fmt::format("<p class=\"formula\">{}</p>\n", math(formula));
  html += fmt::format("<p>{}</p>\n<dl class=\"facts\">\n", math(section.words));
  for (const auto& [name, value] : section.facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(name), math(value));
  html += fmt::format("</dl>\n<details><summary>Definition in full</summary>\n<pre>{}</pre></details>\n",
                      escape_html(section.definition));
  for (const ExplorerPanel& panel : section.panels) html += panel_html(panel);
  return html + "</section>\n";
}

// Links to the sections, which explorer.js turns into a chooser.
std::string navigation(const ExplorerPage& page) {
  if (page.sections.size() < 2) return "";
  std::string html = "<nav class=\"chooser\" aria-label=\"encodings\">\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i)
    html += fmt::format("<a href=\"#encoding-{}\">{}</a>\n", i, escape_html(page.sections[i].name));
  return html + "<a href=\"#comparison\">Side by side</a>\n</nav>\n";
}

std::string comparison(const ExplorerPage& page) {
  if (page.comparison.lines.empty()) return "";
  return "<section id=\"comparison\" aria-labelledby=\"comparison-name\">\n"
         "<h2 id=\"comparison-name\">Side by side</h2>\n"
         "<div class=\"panel\" data-panel=\"comparison\">\n"
         "<p>What the last query makes of a key n tokens back, if every number of queries and keys is 1: "
         "only the encoding tells keys apart. What is added to the input counts with the product of its "
         "rows, divided as attention divides products, mean over the heads. <em>Share of attention</em> is "
         "the softmax of the score over all keys.</p>\n</div>\n" +
         table(page.comparison) + "</section>\n";
}

}  // namespace

std::string explorer_page(const ExplorerPage& page) {
  const std::string names = names_of(page);
  std::string html = page_start("Positional encodings: " + names, explorer_style);
  html += "<header>\n<h1>How a transformer is told where a token stands</h1>\n";
  if (page.sections.size() > 1) html += fmt::format("<p class=\"question\">{}</p>\n", escape_html(names));
  html +=
      "<noscript><p class=\"note\">The pictures of this page need JavaScript.</p></noscript>\n</header>\n";
  html += navigation(page) + "<main>\n";
  for (std::size_t i = 0; i < page.sections.size(); ++i) html += section_html(page.sections[i], i);
  html += comparison(page) + "</main>\n<footer><p class=\"note\">Written by</p><pre>" +
          escape_html(page.command) + "</pre></footer>\n";
  return html + "<script type=\"application/json\" id=\"data\">" + explorer_data(page.numbers) +
         "</script>\n<script>" + page_charts + explorer_formulas + explorer_script +
         "</script>\n</body>\n</html>\n";
}

}  // namespace ordinal::experiments
