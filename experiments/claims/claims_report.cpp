#include "experiments/claims/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "experiments/report/grid.h"
#include "experiments/report/html.h"
#include "experiments/report/table.h"
#include "experiments/results/csv.h"
#include "experiments/results/files.h"

namespace ordinal::experiments {
namespace {

constexpr const char* verdict_style = R"css(
td.holds { color: var(--good); font-weight: 700; }
td.fails { color: var(--bad); font-weight: 700; }
td.undecided { color: var(--quiet); }
table.left thead th, table.left td:nth-child(3) { white-space: nowrap; overflow-wrap: normal; }
table.left td:nth-child(2) { min-width: min(22rem, 42vw); }
table.left td:nth-child(4) { min-width: 9rem; overflow-wrap: normal; }
table.left td:nth-child(5) { min-width: 10rem; overflow-wrap: normal; }
table.left td:nth-child(n + 6) { white-space: nowrap; overflow-wrap: normal; }
#words { font: inherit; width: 14rem; }
)css";

constexpr const char* page_head = R"html(<h1>Claims</h1>
<p class="question">{}.</p>
<p>“By” is how much the weakest inequality of a statement holds (negative: by how much it fails); for an equality it is
left - right. It is the median of the differences over seeds, with an interval from order statistics at the level of its sign
test. {}</p>
<p class="controls"><label>show <select id="verdict"><option value="">all verdicts</option><option>holds</option>
<option>fails</option><option>undecided</option></select></label>
<label>with the words <input id="words" type="search" placeholder="rope addition"></label></p>
)html";

constexpr const char* table_head =
    R"html(<section class="paper"><h2>{}</h2>
<div class="scroll"><table class="left"><thead><tr><th>claim</th><th>what it says, source</th><th>verdict</th>
<th>by</th><th>values</th><th>n</th><th>config</th></tr></thead><tbody>
)html";

// Hides claims with another verdict or without one of the words, and papers that have no claim left to show.
constexpr const char* filter_script = R"html(<script>
const verdict = document.getElementById('verdict'), words = document.getElementById('words');
function show() {
  const wanted = words.value.toLowerCase().split(/\s+/);
  for (const paper of document.querySelectorAll('.paper')) {
    const name = paper.querySelector('h2').textContent;
    let shown = 0;
    for (const row of paper.querySelectorAll('tbody tr')) {
      const text = (name + ' ' + row.textContent).toLowerCase();
      const has = (!verdict.value || row.querySelector('.' + verdict.value)) && wanted.every((word) => text.includes(word));
      row.hidden = !has;
      shown += has ? 1 : 0;
    }
    paper.hidden = shown === 0;
  }
}
verdict.addEventListener('change', show);
words.addEventListener('input', show);
show();
</script>
)html";

// A claim and the experiment that decided it.
struct Line {
  const ClaimResult* result;
  const DecidedClaims* of;
};

// "Press et al. 2022" for "Press et al. 2022, Table 2 (20.05 to 43.54)"; all course notes count as one paper.
std::string paper_of(const std::string& source) {
  for (const std::string notes : {"course notes", "against course notes"})
    if (source.starts_with(notes)) return "Course notes";
  const std::string paper = source.substr(0, source.find_first_of(",;("));
  return paper.empty() ? "Without a source" : paper.substr(0, paper.find_last_not_of(' ') + 1);
}

std::vector<Line> lines_of(const std::vector<DecidedClaims>& all) {
  std::vector<Line> lines;
  for (const DecidedClaims& decided : all)
    for (const ClaimResult& result : decided.results) lines.push_back({&result, &decided});
  return lines;
}

std::map<std::string, std::vector<Line>> by_paper(const std::vector<DecidedClaims>& all) {
  std::map<std::string, std::vector<Line>> papers;
  for (const Line& line : lines_of(all)) papers[paper_of(line.result->claim.source)].push_back(line);
  return papers;
}

constexpr const char* promise =
    "The comparisons of all claims of an experiment are decided together: at most one experiment in twenty "
    "has any wrong "
    "verdict.";

// "0.652 (0.501 to 0.803)"; "0.1" without an interval; "–" where nothing was measured.
std::string effect_text(const ClaimResult& result) {
  if (std::isnan(result.effect)) return "–";
  std::string effect = format_effect(result.effect);
  if (std::isnan(result.low)) return effect;
  return fmt::format("{} ({} to {})", effect, format_effect(result.low), format_effect(result.high));
}

// The address of a file. Characters that would end its path there are percent-encoded.
std::string address(const std::string& path) {
  std::string encoded;
  for (const char c : path) {
    const bool is_special = c == '%' || c == '?' || c == '#';
    encoded += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return encoded;
}

// "text.cfg", or the title of claims without a config.
std::string config_name(const DecidedClaims& decided) {
  return decided.config.empty() ? decided.title : std::filesystem::path(decided.config).filename().string();
}

// The same, as a link to the experiment's page if there is one.
std::string link(const DecidedClaims& decided, const std::filesystem::path& folder) {
  std::string name = escape_html(config_name(decided));
  if (decided.report.empty()) return name;
  const std::string path = std::filesystem::relative(decided.report, folder).generic_string();
  return fmt::format("<a href=\"{}\" title=\"{}\">{}</a>", escape_html(address(path)),
                     escape_html(decided.title), name);
}

std::string html_row(const Line& line, const std::filesystem::path& folder) {
  const ClaimResult& result = *line.result;
  const std::string verdict = to_string(result.verdict);
  const auto& claim = result.claim;
  const std::string formal = claim.words.empty() || claim.text.empty()
                                 ? ""
                                 : fmt::format("<small><code>{}</code></small>", escape_html(claim.text));
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td>{}{}<small>{}{}{}</small></td><td "
      "class=\"{}\">{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
      escape_html(claim.id), escape_html(claim.said()), formal, escape_html(claim.source),
      claim.note.empty() ? "" : ". ", escape_html(claim.note), verdict, verdict,
      escape_html(effect_text(result)), escape_html(result.why), result.n > 0 ? std::to_string(result.n) : "",
      link(*line.of, folder));
}

}  // namespace

std::string claims_count(const std::vector<DecidedClaims>& all) {
  std::array<Index, 3> counts{};
  for (const Line& line : lines_of(all)) ++counts.at(static_cast<std::size_t>(line.result->verdict));
  return fmt::format("{} claims: {} hold, {} fail, {} undecided", counts[0] + counts[1] + counts[2],
                     counts[0], counts[1], counts[2]);
}

std::string claims_text(const std::vector<DecidedClaims>& all) {
  std::string text;
  for (const auto& [result, of] : lines_of(all)) {
    text += fmt::format("{:<6} {:<10} {}\n{:17} {}{}\n", result->claim.id, to_string(result->verdict),
                        result->claim.said(), "", result->why,
                        std::isnan(result->effect) ? "" : "; by " + effect_text(*result));
  }
  return text + claims_count(all) + "\n";
}

std::string claims_csv(const std::vector<DecidedClaims>& all) {
  std::string text =
      "id,words,source,statement,expected,verdict,effect,low_corrected,high_corrected,n,values,config,note\n";
  for (const auto& [result, of] : lines_of(all)) {
    const Claim& claim = result->claim;
    text += csv_line({csv(claim.id)}, claim.words, claim.source, claim.text, claim.expected,
                     to_string(result->verdict), result->effect, result->low, result->high, result->n,
                     result->why, of->config, claim.note);
  }
  return text;
}

std::string claims_markdown(const std::vector<DecidedClaims>& all) {
  std::string text = fmt::format("# Claims\n\n{}. {}\n", claims_count(all), promise);
  for (const auto& [paper, lines] : by_paper(all)) {
    text += fmt::format("\n## {}\n\n", escape_markdown(paper));
    text +=
        "| id | claim | source | verdict | by | values | n | statement | config "
        "|\n|---|---|---|---|---|---|---:|---|---|\n";
    for (const auto& [result, of] : lines) {
      const Claim& claim = result->claim;
      text += fmt::format(
          "| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(claim.id),
          escape_markdown(claim.said()), escape_markdown(claim.source), to_string(result->verdict),
          effect_text(*result), escape_markdown(result->why), result->n > 0 ? std::to_string(result->n) : "",
          claim.text.empty() ? "" : markdown_code(claim.text), escape_markdown(config_name(*of)));
    }
    for (const auto& [result, of] : lines) {
      if (result->claim.note.empty()) continue;
      text +=
          fmt::format("\n{}: {}\n", escape_markdown(result->claim.id), escape_markdown(result->claim.note));
    }
  }
  return text;
}

std::string claims_page(const std::vector<DecidedClaims>& all, const std::filesystem::path& folder) {
  std::string page =
      page_start("Claims", verdict_style) + fmt::format(page_head, escape_html(claims_count(all)), promise);
  for (const auto& [paper, lines] : by_paper(all)) {
    page += fmt::format(table_head, escape_html(paper));
    for (const Line& line : lines) page += html_row(line, folder);
    page += "</tbody></table></div></section>\n";
  }
  return page + filter_script + "</body>\n</html>\n";
}

void write_claims(const std::vector<DecidedClaims>& all, const LockedPath& folder) {
  write_text(folder / "claims.csv", claims_csv(all));
  write_text(folder / "claims.md", claims_markdown(all));
  write_text(folder / "claims.html", claims_page(all, folder));
}

}  // namespace ordinal::experiments
