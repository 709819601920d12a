#include "experiments/claims/claims_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/claims/question.h"
#include "experiments/report/html.h"
#include "experiments/report/table.h"
#include "page_assets.h"

namespace ordinal::experiments {
namespace {

constexpr const char* style = R"(
thead th { overflow-wrap: normal; }
.claim { border-bottom: 1px solid var(--line); padding: .6rem 0; }
.claim summary { cursor: pointer; list-style: none; }
.claim summary b { display: block; font-size: .85rem; color: var(--quiet); }
.claim[data-verdict^=holds] summary b { color: var(--good); }
.claim[data-verdict^="not rep"] summary b { color: var(--bad); }
.bars { display: grid; grid-template-columns: minmax(5rem, 14rem) 1fr; gap: .15rem .6rem; margin: .3rem 0; max-width: 44rem;
  font-size: .86rem; font-weight: 400; }
.bars i { display: block; height: .7rem; margin-top: .35rem; background: var(--accent); }
)";

// The paper of "Press et al. 2022, Table 2 (perplexity …)".
std::string paper_of(const ClaimResult& result) {
  const std::string source = value_of(result.claim.section, "source");
  return source.substr(0, std::min(source.find(" ("), source.find_first_of(",;")));
}

// The encodings of all rows of a claim, one on each line.
std::string encodings_of(const ClaimResult& result) {
  std::vector<std::string> names;
  for (const Quantity& side : result.claim.statement.sides)
    if (std::ranges::count(names, side.encoding) == 0) names.push_back(side.encoding);
  return joined(names, "\n");
}

// Both sides as bars: of a fraction to 1, of bits to the larger one.
std::string bars(const ClaimResult& result) {
  if (result.comparison.n() == 0) return "";
  double longest = 0.0;
  for (std::size_t i = 0; i < result.sides.size(); ++i) {
    const double mean = result.sides[i].summary.mean;
    longest = std::max(longest, result.claim.statement.sides[i].metric.is_fraction() ? 1.0 : mean);
  }
  std::string html = "<div class=\"bars\">";
  for (std::size_t i = 0; i < result.sides.size(); ++i) {
    const Quantity& side = result.claim.statement.sides[i];
    const double mean = result.sides[i].summary.mean;
    html += fmt::format("<span>{}, {}: {}</span><i style=\"width:{:.1f}%\"></i>", escape_html(side.row),
                        escape_html(side.length), format_value(mean), 100.0 * mean / longest);
  }
  return html + "</div>\n";
}

std::string setting(const ClaimResult& result, const std::string& verdict) {
  const WrittenSection& claim = result.claim.section;
  std::string html = fmt::format("<p>{}<code>{}</code>: {}<br>{}</p>\n", verdict, escape_html(claim.id),
                                 escape_html(value_of(claim, "statement")), escape_html(result.measured()));
  if (const std::string note = value_of(claim, "note"); !note.empty())
    html += "<p>" + escape_html(note) + "</p>\n";
  return html;
}

std::string claim_entry(const AskedClaim& question) {
  const ClaimResult& first = question.first;
  std::string html = fmt::format(
      "<details class=\"claim\" data-verdict=\"{0}\" data-paper=\"{1}\" "
      "data-encoding=\"{2}\">\n<summary><b>{0}</b>{3}"
      "{4}</summary>\n",
      to_string(question.standing()), escape_html(paper_of(first)), escape_html(encodings_of(first)),
      escape_html(value_of(first.claim.section, "words")), bars(first));
  html += setting(first, "");
  for (const ClaimResult& again : question.again)
    html += "<p>Again: " + escape_html(value_of(again.claim.section, "words")) + "</p>\n" + bars(again) +
            setting(again, "<b>" + to_string(again.verdict) + "</b> ");
  return html + "<p>" + escape_html(value_of(first.claim.section, "source")) + "</p>\n</details>\n";
}

}  // namespace

const char* const claims_procedure =
    "The claims of a config are decided together, by sign tests over its seeds: at most one config in twenty "
    "has any wrong verdict. If a claim is asked for the k-th time (“look k”), its p is multiplied by k. “By” "
    "is the median of A - B, with its interval at the level of the test. A claim that was asked again in "
    "other settings counts once.";

std::string claims_page(const DecidedClaims& decided, const Grid& counts) {
  std::string page = fmt::format("{}<h1>Claims</h1>\n<p>{}</p>\n{}<div class=\"choose\">\n",
                                 page_start("Claims", style), claims_procedure, html_table(counts));
  for (const AskedClaim& question : questions_of(decided.results)) page += claim_entry(question);
  page += "</div>\n<h2>Withdrawn</h2>\n<ul>\n";
  for (const WrittenSection& section : decided.withdrawn)
    page += "<li>" + escape_html(withdrawal(section)) + "</li>\n";
  return page + "</ul>\n<script>" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace ordinal::experiments
