#include "experiments/claims/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "experiments/claims/stored_scores.h"
#include "experiments/report/html.h"
#include "experiments/report/table.h"
#include "experiments/results/csv.h"

namespace ordinal::experiments {
namespace {

constexpr const char* procedure =
    "The claims of a config are decided together, by sign tests over its seeds: at most one config in twenty "
    "has any wrong verdict. If a claim is asked for the k-th time (“look k”), its p is multiplied by k. “By” "
    "is the median of A - B, with its interval at the level of the test.";

// How many claims have each verdict.
std::array<Index, 4> counts_of(const std::vector<ClaimResult>& results) {
  std::array<Index, 4> counts{};
  for (const ClaimResult& result : results) ++counts.at(static_cast<std::size_t>(result.verdict));
  return counts;
}

std::string source_of(const ClaimResult& result) { return value_of(result.claim.section, "source"); }

// The counts, then a table for each group, by source, so that the claims of a paper stand together.
std::vector<Grid> grids_of(const DecidedClaims& decided) {
  std::vector<std::pair<std::string, std::vector<ClaimResult>>> groups = {
      {"papers", {}}, {"course notes", {}}, {"own findings", {}}};
  for (const ClaimResult& result : decided.results) {
    const std::string source = source_of(result);
    const std::size_t group = source.starts_with("course notes") ? 1 : (source.starts_with("own") ? 2 : 0);
    groups[group].second.push_back(result);
  }
  std::vector<Grid> grids = {
      {.title = "Claims by verdict", .headings = {"claims of", "hold", "fail", "undecided", "not run yet"}}};
  for (auto& [title, results] : groups) {
    std::vector<GridCell> counts = {{title}};
    for (const Index count : counts_of(results)) counts.push_back({std::to_string(count)});
    grids.front().lines.push_back(counts);
    std::ranges::stable_sort(results, {}, source_of);
    Grid& grid = grids.emplace_back(Grid{
        .title = "Claims of " + title, .names = 4, .headings = {"verdict", "claim", "measured", "source"}});
    for (const ClaimResult& result : results) {
      const WrittenSection& claim = result.claim.section;
      grid.lines.push_back(
          {{to_string(result.verdict)},
           {fmt::format("{}: {} ({})", claim.id, value_of(claim, "words"), value_of(claim, "statement"))},
           {result.measured()},
           {source_of(result)}});
    }
  }
  return grids;
}

// What stands below the tables, one line each.
std::vector<std::string> remarks_of(const DecidedClaims& decided) {
  std::vector<std::string> remarks;
  for (const ClaimResult& result : decided.results)
    if (const std::string note = value_of(result.claim.section, "note"); !note.empty())
      remarks.push_back(result.claim.section.id + ": " + note);
  for (const WrittenSection& section : decided.withdrawn)
    remarks.push_back(fmt::format("{}, withdrawn: {} ({})", section.id, value_of(section, "words"),
                                  value_of(section, "reason")));
  return remarks;
}

}  // namespace

std::string claims_text(const DecidedClaims& decided) {
  std::string text;
  std::size_t width = 0;
  for (const ClaimResult& result : decided.results) width = std::max(width, result.claim.section.id.size());
  for (const ClaimResult& result : decided.results)
    text +=
        fmt::format("{:<{}} {:<11} {}\n{:{}} {}\n", result.claim.section.id, width, to_string(result.verdict),
                    value_of(result.claim.section, "words"), "", width + 12, result.measured());
  const auto [hold, fail, undecided, not_run] = counts_of(decided.results);
  return text + fmt::format("{}: {} hold, {} fail, {} undecided, {} not run yet\n",
                            counted(std::ssize(decided.results), "claim"), hold, fail, undecided, not_run);
}

std::string claims_csv(const DecidedClaims& decided) {
  std::string text =
      "id,words,source,registered,looks,statement,verdict,effect,low_corrected,high_corrected,n,measured,"
      "config,note\n";
  for (const auto& result : decided.results) {
    const WrittenSection& claim = result.claim.section;
    const Comparison& by = result.comparison;
    const std::filesystem::path config = claim.origin.substr(0, claim.origin.rfind(':'));
    text += csv_line({csv(claim.id)}, value_of(claim, "words"), source_of(result),
                     value_of(claim, "registered"), result.claim.looks, value_of(claim, "statement"),
                     to_string(result.verdict), by.median(), by.interval.low, by.interval.high, by.n(),
                     result.measured(), config.filename().string(), value_of(claim, "note"));
  }
  return text;
}

std::string claims_markdown(const DecidedClaims& decided) {
  std::string text = fmt::format("# Claims\n\n{}\n\n", procedure);
  for (const Grid& grid : grids_of(decided)) text += markdown(grid);
  for (const std::string& remark : remarks_of(decided)) text += "- " + escape_markdown(remark) + "\n";
  return text;
}

std::string claims_page(const DecidedClaims& decided) {
  std::string page = fmt::format("{}<h1>Claims</h1>\n<p>{}</p>\n", page_start("Claims"), procedure);
  for (const Grid& grid : grids_of(decided)) page += html_table(grid);
  page += "<ul>\n";
  for (const std::string& remark : remarks_of(decided)) page += "<li>" + escape_html(remark) + "</li>\n";
  return page + "</ul>\n</body>\n</html>\n";
}

std::string write_claims(const DecidedClaims& decided, const LockedPath& folder) {
  write_text(folder / "claims.csv", claims_csv(decided));
  write_text(folder / "claims.md", claims_markdown(decided));
  write_text(folder / "claims.html", claims_page(decided));
  return claims_text(decided) + fmt::format("table: {}\n", (folder / "claims.md").string());
}

std::string report_claims(const Settings& settings, const ExperimentResult& result,
                          const LockedPath& folder) {
  const std::vector<Claim> claims = claims_of(settings);
  const std::vector<Score> scores = kept_scores(claims, result);
  write_text(folder / "scores.csv", stored_text(settings, scores));
  return write_claims({decide(claims, scores, seeds(settings)), {}}, folder);
}

}  // namespace ordinal::experiments
