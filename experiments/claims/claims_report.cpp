#include "experiments/claims/claims_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "experiments/claims/claims_page.h"
#include "experiments/claims/question.h"
#include "experiments/claims/stored_scores.h"
#include "experiments/report/table.h"
#include "experiments/results/csv.h"

namespace ordinal::experiments {
namespace {

std::array<Index, standings> counts_of(const std::vector<AskedClaim>& questions) {
  std::array<Index, standings> counts{};
  for (const AskedClaim& question : questions) ++counts.at(static_cast<std::size_t>(question.standing()));
  return counts;
}

std::string source_of(const AskedClaim& question) { return value_of(question.first.claim.section, "source"); }

std::vector<GridCell> line_of(const std::string& verdict, const ClaimResult& result) {
  const WrittenSection& claim = result.claim.section;
  return {{verdict},
          {fmt::format("{}: {} ({})", claim.id, value_of(claim, "words"), value_of(claim, "statement"))},
          {result.measured()},
          {value_of(claim, "source")}};
}

// Withdrawn claims by the last verdict that they had.
std::vector<GridCell> withdrawn_line(const std::vector<WrittenSection>& withdrawn) {
  const auto count = [&](const std::string& verdict) {
    return std::to_string(std::ranges::count_if(withdrawn, [&](const WrittenSection& section) {
      const std::string then = value_of(section, "then");
      return verdict.empty() ? then.empty() : then.starts_with(verdict);
    }));
  };
  return {{"withdrawn, then"}, {count("holds")}, {"–"}, {count("fails")}, {count("undecided")}, {count("")}};
}

// The counts, then a table for each group, by source, so that the claims of a paper stand together. Other settings stand below the
// claim that they ask again.
std::vector<Grid> grids_of(const DecidedClaims& decided) {
  std::vector<std::pair<std::string, std::vector<AskedClaim>>> groups = {
      {"papers", {}}, {"course notes", {}}, {"own findings", {}}};
  for (AskedClaim& question : questions_of(decided.results)) {
    const std::string source = source_of(question);
    const std::size_t group = source.starts_with("course notes") ? 1 : (source.starts_with("own") ? 2 : 0);
    groups[group].second.push_back(std::move(question));
  }
  std::vector<Grid> grids = {{.title = "Claims by verdict",
                              .headings = {"claims of", "hold", "hold in another setting", "not reproduced",
                                           "undecided", "not run"}}};
  for (auto& [title, questions] : groups) {
    std::vector<GridCell> counts = {{title}};
    for (const Index count : counts_of(questions)) counts.push_back({std::to_string(count)});
    grids.front().lines.push_back(counts);
    std::ranges::stable_sort(questions, {}, source_of);
    Grid& grid = grids.emplace_back(Grid{
        .title = "Claims of " + title, .names = 4, .headings = {"verdict", "claim", "measured", "source"}});
    for (const AskedClaim& question : questions) {
      grid.lines.push_back(line_of(to_string(question.standing()), question.first));
      for (const ClaimResult& result : question.again)
        grid.lines.push_back(line_of("↳ again: " + to_string(result.verdict), result));
    }
  }
  if (!decided.withdrawn.empty()) grids.front().lines.push_back(withdrawn_line(decided.withdrawn));
  return grids;
}

// What stands below the tables, one line each.
std::vector<std::string> remarks_of(const DecidedClaims& decided) {
  std::vector<std::string> remarks;
  for (const ClaimResult& result : decided.results)
    if (const std::string note = value_of(result.claim.section, "note"); !note.empty())
      remarks.push_back(result.claim.section.id + ": " + note);
  for (const WrittenSection& section : decided.withdrawn) remarks.push_back(withdrawal(section));
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
  const std::vector<AskedClaim> questions = questions_of(decided.results);
  const auto [hold, elsewhere, fail, undecided, not_run] = counts_of(questions);
  const Index again = std::ssize(decided.results) - std::ssize(questions);
  return text + fmt::format("{}: {} hold, {}{} fail, {} undecided, {} not run yet\n",
                            counted(std::ssize(questions), "claim"), hold,
                            again == 0 ? "" : fmt::format("{} hold in another setting, ", elsewhere), fail,
                            undecided, not_run);
}

std::string claims_csv(const DecidedClaims& decided) {
  std::string text =
      "id,words,source,registered,looks,again,statement,verdict,effect,low_corrected,high_corrected,n,"
      "measured,"
      "config,note\n";
  for (const auto& result : decided.results) {
    const WrittenSection& claim = result.claim.section;
    const Comparison& by = result.comparison;
    const std::filesystem::path config = claim.origin.substr(0, claim.origin.rfind(':'));
    text += csv_line({csv(claim.id)}, value_of(claim, "words"), value_of(claim, "source"),
                     value_of(claim, "registered"), result.claim.looks, value_of(claim, "again"),
                     value_of(claim, "statement"), to_string(result.verdict), by.median(), by.interval.low,
                     by.interval.high, by.n(), result.measured(), config.filename().string(),
                     value_of(claim, "note"));
  }
  return text;
}

std::string claims_markdown(const DecidedClaims& decided) {
  std::string text = fmt::format("# Claims\n\n{}\n\n", claims_procedure);
  for (const Grid& grid : grids_of(decided)) text += markdown(grid);
  for (const std::string& remark : remarks_of(decided)) text += "- " + escape_markdown(remark) + "\n";
  return text;
}

std::string write_claims(const DecidedClaims& decided, const LockedPath& folder) {
  write_text(folder / "claims.csv", claims_csv(decided));
  write_text(folder / "claims.md", claims_markdown(decided));
  write_text(folder / "claims.html", claims_page(decided, grids_of(decided).front()));
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
