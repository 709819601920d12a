#include "experiments/claims/claim.h"

#include <fmt/format.h>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

class Reader {
 public:
  explicit Reader(const WrittenClaim& written) : written_(written) {}

  Claim read() {
    Claim claim{.id = written_.id, .text = value("statement"), .source = value("source")};
    claim.expected = choice("expected", {"", "holds", "fails"});
    claim.note = value("note");
    claim.only_learned = choice("seeds", {"", "learned", "all"}) != "all";
    claim.origin = written_.origin;
    if (claim.text.empty()) {
      problem("statement: got nothing, expected one such as bits(rope, 2x) < bits(sinusoidal, 2x)");
    } else {
      try {
        claim.statement = parse_statement(claim.text);
      } catch (const ConfigError& error) {
        problem(fmt::format("statement: {}", error.what()));
      }
    }
    return claim;
  }

  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::string value(const std::string& key) const {
    const auto found = written_.values.find(key);
    return found == written_.values.end() ? "" : found->second;
  }

  std::string choice(const std::string& key, const std::vector<std::string>& choices) {
    const std::string got = value(key);
    for (const std::string& one : choices) {
      if (got == one) return got;
    }
    problem(fmt::format("{}: got '{}', expected {} or {}", key, got, choices[1], choices[2]));
    return "";
  }

  void problem(const std::string& what) {
    problems_.push_back(fmt::format("{}: [claim {}] {}", written_.origin, written_.id, what));
  }

  const WrittenClaim& written_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<Claim> claims_of(const Settings& settings) {
  std::vector<Claim> claims;
  std::vector<std::string> problems;
  for (const WrittenClaim& written : settings.claims()) {
    Reader reader(written);
    claims.push_back(reader.read());
    problems.insert(problems.end(), reader.problems().begin(), reader.problems().end());
  }
  if (!problems.empty()) throw ConfigError(joined(problems, "\n"));
  return claims;
}

}  // namespace ordinal::experiments
