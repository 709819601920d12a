// configs/claims/claims.md holds a verdict for each claim of the configs beside it, as they state it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/report/table.h"
#include "experiments/settings/config_file.h"
#include "tests/folders.h"

namespace ordinal::experiments {
namespace {

namespace fs = std::filesystem;

fs::path claims_folder() { return source_folder() / "configs/claims"; }

// The start and the end of a claim's line: what the config says of it. The verdict and its numbers are between them.
struct ExpectedLine {
  std::string start;
  std::string end;
};

std::vector<ExpectedLine> lines_expected_of(const fs::path& config) {
  std::map<std::string, std::map<std::string, std::string>> claims;
  for (const ConfigEntry& entry : read_config_file(config.string()).entries)
    if (entry.kind == "claim") claims[entry.id][entry.key] = entry.value;
  std::vector<ExpectedLine> lines;
  for (auto& [id, claim] : claims) {
    lines.push_back({fmt::format("| {} | {} | {} |", escape_markdown(id), escape_markdown(claim["words"]),
                                 escape_markdown(claim["source"])),
                     fmt::format("| {} | {} |", markdown_code(claim["statement"]),
                                 escape_markdown(config.filename().string()))});
  }
  return lines;
}

// The lines of claims.md that hold a verdict.
std::vector<std::string> lines_of_verdicts() {
  std::vector<std::string> lines;
  std::ifstream page(claims_folder() / "claims.md");
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| ") && !line.starts_with("| id |")) lines.push_back(line);
  return lines;
}

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(ShippedClaims, AreListedAsTheConfigsStateThem) {
  const std::vector<std::string> lines = lines_of_verdicts();
  std::ptrdiff_t expected = 0;
  for (const auto& file : fs::directory_iterator(claims_folder())) {
    if (file.path().extension() != ".cfg") continue;
    for (const ExpectedLine& claim : lines_expected_of(file.path())) {
      ++expected;
      const bool is_listed = std::ranges::any_of(lines, [&](const std::string& line) {
        return line.starts_with(claim.start) && line.ends_with(claim.end);
      });
      EXPECT_TRUE(is_listed) << claim.start << " … " << claim.end;
    }
  }
  const auto of_configs = [](const std::string& line) { return line.ends_with(".cfg |"); };
  EXPECT_EQ(std::ranges::count_if(lines, of_configs), expected) << "a claim that no config states";
}

TEST(ShippedClaims, AreCountedByVerdict) {
  const std::vector<std::string> lines = lines_of_verdicts();
  const auto count = [&](const std::string& verdict) {
    return std::ranges::count_if(lines, [&](const std::string& line) {
      return line.find(" | " + verdict + " | ") != std::string::npos;
    });
  };
  const auto [held, failed, undecided] = std::tuple(count("holds"), count("fails"), count("undecided"));
  EXPECT_EQ(held + failed + undecided, std::ssize(lines));
  const std::string head =
      fmt::format("\n{} claims: {} hold, {} fail, {} undecided.", lines.size(), held, failed, undecided);
  EXPECT_NE(text_of(claims_folder() / "claims.md").find(head), std::string::npos) << head;
  std::string readme = text_of(claims_folder() / "README.md");
  std::ranges::replace(readme, '\n', ' ');
  const std::string sentence = fmt::format("Of {} claims, {} hold, {} fail and {} are undecided",
                                           lines.size(), held, failed, undecided);
  EXPECT_NE(readme.find(sentence), std::string::npos) << sentence;
}

}  // namespace
}  // namespace ordinal::experiments
