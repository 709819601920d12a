#include "experiments/claims/claim.h"

#include <fmt/format.h>

#include "experiments/claims/section_reader.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

Claim read(const WrittenSection& written, SectionReader& section) {
  Claim claim{.id = written.id, .text = section.value("statement"), .source = section.value("source")};
  claim.expected = section.choice("expected", {"holds", "fails"});
  claim.note = section.value("note");
  claim.only_learned = section.only_learned();
  claim.origin = written.origin;
  if (claim.text.empty()) {
    section.problem("statement: got nothing, expected one such as bits(rope, 2x) < bits(sinusoidal, 2x)");
    return claim;
  }
  try {
    claim.statement = parse_statement(claim.text);
  } catch (const ConfigError& error) {
    section.problem(fmt::format("statement: {}", error.what()));
  }
  return claim;
}

}  // namespace

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  std::vector<std::string> problems;
  for (const WrittenSection& written : settings.sections("claim")) {
    SectionReader section(written);
    claims.push_back(read(written, section));
    problems.insert(problems.end(), section.problems().begin(), section.problems().end());
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return claims;
}

}  // namespace ordinal::experiments
