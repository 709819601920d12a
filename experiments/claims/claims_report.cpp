#include "experiments/claims/claims_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "experiments/report/grid.h"
#include "experiments/report/html.h"
#include "experiments/report/table.h"
#include "experiments/results/csv.h"
#include "experiments/results/files.h"
#include "framework/core/part.h"

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
)css";

constexpr const char* page_head = R"html(<h1>Claims</h1>
<p class="question">{}.</p>
<p>“By” is how much the weakest inequality of a statement holds (negative: by how much it fails); for an equality it is
left - right. It is a mean over paired seeds; a verdict is about the
typical seed, and beside it stands how many count. The interval is that of Student’s t and of the sign test, corrected for all claims of its experiment: the
probability that an experiment has any wrong verdict is at most 5 %.</p>
)html";

constexpr const char* table_head =
    R"html(<div class="scroll"><table class="left"><thead><tr><th>claim</th><th>statement, source</th><th>verdict</th>
<th>by</th><th>values</th><th>n</th></tr></thead><tbody>
)html";

// "0.652 (0.501 to 0.803)"; "0.1" without an interval; "–" where nothing was measured.
std::string effect_text(const ClaimResult& result) {
  if (std::isnan(result.effect)) return "–";
  const std::string effect = format_effect(result.effect);
  if (std::isnan(result.low)) return effect;
  return fmt::format("{} ({} to {})", effect, format_effect(result.low), format_effect(result.high));
}

std::string html_row(const ClaimResult& result) {
  const std::string verdict = to_string(result.verdict);
  const auto& claim = result.claim;
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td><code>{}</code><small>{}{}{}</small></td><td "
      "class=\"{}\">{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td></tr>\n",
      escape_html(claim.id), escape_html(claim.text), escape_html(claim.source),
      claim.note.empty() ? "" : ". ", escape_html(claim.note), verdict, verdict,
      escape_html(effect_text(result)), escape_html(result.why),
      result.n > 0 ? std::to_string(result.n) : "");
}

// The address of a file: what would end its path there is percent-encoded.
std::string address(const std::string& path) {
  std::string encoded;
  for (const char c : path) {
    const bool is_special = c == '%' || c == '?' || c == '#';
    encoded += is_special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return encoded;
}

// The config and the experiment's page.
std::string links(const DecidedClaims& decided, const std::filesystem::path& folder) {
  std::vector<std::string> links;
  if (!decided.config.empty()) links.push_back("<code>" + escape_html(decided.config) + "</code>");
  if (!decided.report.empty()) {
    const std::string path = std::filesystem::relative(decided.report, folder).generic_string();
    links.push_back(fmt::format("<a href=\"{}\">all numbers and plots</a>", escape_html(address(path))));
  }
  return links.empty() ? "" : "<p class=\"facts\">" + joined(links, " – ") + "</p>\n";
}

}  // namespace

std::string claims_count(const std::vector<DecidedClaims>& all) {
  std::array<Index, 3> counts{};
  for (const DecidedClaims& decided : all) {
    for (const ClaimResult& result : decided.results) ++counts.at(static_cast<std::size_t>(result.verdict));
  }
  return fmt::format("{} claims: {} hold, {} fail, {} undecided", counts[0] + counts[1] + counts[2],
                     counts[0], counts[1], counts[2]);
}

std::string claims_text(const std::vector<DecidedClaims>& all) {
  std::string text;
  for (const DecidedClaims& decided : all) {
    for (const ClaimResult& result : decided.results) {
      text += fmt::format("{:<6} {:<10} {}\n{:17} {}{}\n", result.claim.id, to_string(result.verdict),
                          result.claim.text, "", result.why,
                          std::isnan(result.effect) ? "" : "; by " + effect_text(result));
    }
  }
  return text + claims_count(all) + "\n";
}

std::string claims_csv(const std::vector<DecidedClaims>& all) {
  std::string text =
      "id,source,statement,expected,verdict,effect,low_corrected,high_corrected,n,values,config,note\n";
  for (const DecidedClaims& decided : all) {
    for (const ClaimResult& result : decided.results) {
      const Claim& claim = result.claim;
      text += csv_line({csv(claim.id), csv(claim.source), csv(claim.text), csv(claim.expected),
                        to_string(result.verdict), csv(result.effect), csv(result.low), csv(result.high),
                        csv(result.n), csv(result.why), csv(decided.config), csv(claim.note)});
    }
  }
  return text;
}

std::string claims_markdown(const std::vector<DecidedClaims>& all) {
  std::string text = fmt::format("# Claims\n\n{}.\n", claims_count(all));
  for (const DecidedClaims& decided : all) {
    text += fmt::format("\n## {}\n\n", escape_markdown(decided.title));
    if (!decided.config.empty()) text += markdown_code(decided.config) + "\n\n";
    text += "| id | statement | source | verdict | by | values | n |\n|---|---|---|---|---|---|---:|\n";
    for (const ClaimResult& result : decided.results) {
      text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", escape_markdown(result.claim.id),
                          markdown_code(result.claim.text), escape_markdown(result.claim.source),
                          to_string(result.verdict), effect_text(result), escape_markdown(result.why),
                          result.n > 0 ? std::to_string(result.n) : "");
    }
    for (const ClaimResult& result : decided.results) {
      if (result.claim.note.empty()) continue;
      text += fmt::format("\n{}: {}\n", escape_markdown(result.claim.id), escape_markdown(result.claim.note));
    }
  }
  return text;
}

std::string claims_page(const std::vector<DecidedClaims>& all, const std::filesystem::path& folder) {
  std::string page =
      page_start("Claims", verdict_style) + fmt::format(page_head, escape_html(claims_count(all)));
  for (const DecidedClaims& decided : all) {
    page += fmt::format("<h2>{}</h2>\n{}{}", escape_html(decided.title), links(decided, folder), table_head);
    for (const ClaimResult& result : decided.results) page += html_row(result);
    page += "</tbody></table></div>\n";
  }
  return page + "</body>\n</html>\n";
}

void write_claims(const std::vector<DecidedClaims>& all, const LockedPath& folder) {
  write_text(folder / "claims.csv", claims_csv(all));
  write_text(folder / "claims.md", claims_markdown(all));
  write_text(folder / "claims.html", claims_page(all, folder));
}

}  // namespace ordinal::experiments
