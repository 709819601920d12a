#include "experiments/claims/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "experiments/report/html.h"
#include "experiments/report/table.h"
#include "experiments/results/csv.h"
#include "experiments/results/files.h"

namespace ordinal::experiments {
namespace {

constexpr const char* procedure =
    "The claims of a config are decided together, by sign tests over its seeds: at most one config in twenty "
    "has any wrong verdict. If a claim is asked for the k-th time (“look k”), its p is multiplied by k. “By” "
    "is "
    "the median difference, with its interval at the level of the test; a margin is not taken off.";

constexpr const char* claims_style = R"css(
tbody th { min-width: min(8rem, 20vw); }
#words { font: inherit; width: 14rem; }
)css";

// Hides claims without one of the words.
constexpr const char* filter = R"html(
<p class="controls"><label>with the words <input id="words" type="search" placeholder="rope fails"></label></p>
<script>
document.getElementById('words').addEventListener('input', (event) => {
  const wanted = event.target.value.toLowerCase().split(/\s+/);
  for (const row of document.querySelectorAll('tbody tr'))
    row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
});
</script>
)html";

using Results = std::vector<const ClaimResult*>;

Results results_of(const std::vector<DecidedClaims>& all) {
  Results results;
  for (const DecidedClaims& decided : all)
    for (const ClaimResult& result : decided.results) results.push_back(&result);
  return results;
}

// By source, so that the claims of a paper stand together.
std::vector<std::pair<std::string, Results>> groups_of(const std::vector<DecidedClaims>& all) {
  std::vector<std::pair<std::string, Results>> groups = {
      {"papers", {}}, {"course notes", {}}, {"own findings", {}}};
  Results results = results_of(all);
  std::ranges::stable_sort(results, {}, [](const ClaimResult* result) { return result->claim.source; });
  for (const ClaimResult* result : results) {
    const std::string& source = result->claim.source;
    groups[source.starts_with("course notes") ? 1 : (source.starts_with("own") ? 2 : 0)].second.push_back(
        result);
  }
  return groups;
}

std::array<Index, 4> counts_of(const Results& results) {
  std::array<Index, 4> counts{};
  for (const ClaimResult* result : results) ++counts.at(static_cast<std::size_t>(result->verdict));
  return counts;
}

// The counts, then a table for each group.
std::vector<Grid> grids_of(const std::vector<DecidedClaims>& all) {
  std::vector<Grid> grids = {
      {.title = "Claims by verdict", .headings = {"claims of", "hold", "fail", "undecided", "not run yet"}}};
  for (const auto& [title, results] : groups_of(all)) {
    std::vector<GridCell> counts = {{title}};
    for (const Index count : counts_of(results)) counts.push_back({std::to_string(count)});
    grids.front().lines.push_back(counts);
    Grid& grid = grids.emplace_back(Grid{
        .title = "Claims of " + title, .names = 4, .headings = {"verdict", "claim", "measured", "source"}});
    for (const ClaimResult* result : results) {
      const Claim& claim = result->claim;
      grid.lines.push_back({{to_string(result->verdict)},
                            {.text = claim.id + ": " + claim.words, .note = claim.text},
                            {result->measured()},
                            {claim.source}});
    }
  }
  return grids;
}

// What stands below the tables, one line each.
std::vector<std::string> remarks(const std::vector<DecidedClaims>& all) {
  std::vector<std::string> lines;
  for (const ClaimResult* result : results_of(all))
    if (!result->claim.note.empty()) lines.push_back(result->claim.id + ": " + result->claim.note);
  for (const DecidedClaims& decided : all)
    for (const WrittenSection& section : decided.withdrawn)
      lines.push_back(
          fmt::format("{}, withdrawn: {} ({})", section.id, *section.find("words"), *section.find("reason")));
  return lines;
}

}  // namespace

std::string claims_text(const std::vector<DecidedClaims>& all) {
  std::string text;
  for (const ClaimResult* result : results_of(all))
    text += fmt::format("{:<20} {:<11} {}\n{:32} {}\n", result->claim.id, to_string(result->verdict),
                        result->claim.words, "", result->measured());
  const auto [hold, fail, undecided, not_run] = counts_of(results_of(all));
  return text + fmt::format("{} claims: {} hold, {} fail, {} undecided, {} not run yet\n",
                            results_of(all).size(), hold, fail, undecided, not_run);
}

std::string claims_csv(const std::vector<DecidedClaims>& all) {
  std::string text =
      "id,words,source,registered,looks,statement,verdict,effect,low_corrected,high_corrected,n,measured,"
      "config,note\n";
  for (const DecidedClaims& decided : all) {
    const std::string config = std::filesystem::path(decided.config).filename().string();
    for (const ClaimResult& result : decided.results) {
      const Claim& claim = result.claim;
      const Comparison& by = result.comparison;
      text += csv_line({csv(claim.id)}, claim.words, claim.source, claim.registered, claim.looks, claim.text,
                       to_string(result.verdict), by.median(), by.interval.low, by.interval.high, by.n(),
                       result.measured(), config, claim.note);
    }
  }
  return text;
}

std::string claims_markdown(const std::vector<DecidedClaims>& all) {
  std::string text = fmt::format("# Claims\n\n{}\n\n", procedure);
  for (const Grid& grid : grids_of(all)) text += markdown(grid);
  for (const std::string& line : remarks(all)) text += "- " + escape_markdown(line) + "\n";
  return text;
}

std::string claims_page(const std::vector<DecidedClaims>& all) {
  std::string page =
      fmt::format("{}<h1>Claims</h1>\n<p>{}</p>{}", page_start("Claims", claims_style), procedure, filter);
  for (const Grid& grid : grids_of(all)) page += html_table(grid);
  page += "<ul>\n";
  for (const std::string& line : remarks(all)) page += "<li>" + escape_html(line) + "</li>\n";
  return page + "</ul>\n</body>\n</html>\n";
}

void write_claims(const std::vector<DecidedClaims>& all, const LockedPath& folder) {
  write_text(folder / "claims.csv", claims_csv(all));
  write_text(folder / "claims.md", claims_markdown(all));
  write_text(folder / "claims.html", claims_page(all));
}

}  // namespace ordinal::experiments
