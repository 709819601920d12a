#include "tests/check_parts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/settings/parts.h"
#include "experiments/tasks/reader.h"
#include "framework/attention/attention_weights.h"
#include "framework/core/options.h"

namespace ordinal {
namespace {

/// "FloatFollowsDouble" in words: "float follows double".
std::string words(std::string_view name) {
  std::string text;
  for (const char letter : name.substr(0, name.find('/'))) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isupper(byte) && !text.empty()) text += ' ';
    text += static_cast<char>(std::tolower(byte));
  }
  return text;
}

/// What a test checks. Its suite is named if that says more than the kind of part: "answers have a beginning".
std::string check_of(const ::testing::TestInfo& test) {
  const std::string_view suite =
      std::string_view(test.test_suite_name()).substr(std::string_view("Registry/").size());
  const bool of_every_part = suite.starts_with("Every") || suite.starts_with("Registered");
  return of_every_part ? words(test.name()) : words(suite) + ' ' + words(test.name());
}

/// Of a failure's message the three lines that say what is wrong, without those that GoogleTest writes around them.
std::string essence(std::string_view message) {
  std::string text;
  int lines = 0;
  while (!message.empty() && lines < 3) {
    const std::string_view line = message.substr(0, message.find('\n'));
    message.remove_prefix(std::min(message.size(), line.size() + 1));
    if (line.empty() || line.starts_with("Value of: ") || line == "  Actual: false" ||
        line == "Expected: true")
      continue;
    text += fmt::format("    {}\n", line);
    ++lines;
  }
  return text;
}

/// Prints the first failure of each check as it ends.
class FirstFailures final : public ::testing::EmptyTestEventListener {
 public:
  std::set<std::string> passed;
  int cases = 0;
  int failures = 0;

  void OnTestStart(const ::testing::TestInfo& /*test*/) override { failure_.clear(); }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed() && failure_.empty()) failure_ = essence(result.message());
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    ++cases;
    const std::string check = check_of(test);
    if (test.result()->Passed()) {
      passed.insert(check);
      return;
    }
    ++failures;
    if (failed_.insert(check).second) fmt::print(" {}\n{}", check, failure_);
  }

 private:
  std::set<std::string> failed_;
  std::string failure_;
};

// All parts by their kinds: those that a setting names, readers, and what an option of attention names.
std::map<std::string, std::vector<std::string>> parts() {
  std::map<std::string, std::vector<std::string>> kinds;
  for (const experiments::PartKind& kind : experiments::part_kinds()) kinds[kind.title] = kind.names();
  kinds["weights of attention"] = attention_weights().names();
  for (const experiments::Reader& reader : experiments::readers().entries())
    kinds["readers"].push_back(reader.name);
  return kinds;
}

std::vector<std::string> part_names() {
  std::vector<std::string> all;
  for (const auto& [kind, names] : parts()) all.insert(all.end(), names.begin(), names.end());
  return all;
}

int unknown_part(const std::string& name) {
  std::vector<std::string> kinds;
  for (const auto& [kind, names] : parts()) kinds.push_back(kind);
  fmt::print(stderr,
             "check: got '{}'{}, expected the name of one of these parts: {} (extrapolation --list has all "
             "but the readers)\n",
             name, did_you_mean(name, part_names()), joined(kinds));
  return 2;
}

// The checks of one part. A branch has several, which also name its options, such as the weights of attention.
void choose_checks_of(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  GTEST_FLAG_SET(filter, fmt::format("*/{0}:*/{0}_causal*:*/{0}_bidirectional*:"
                                     "*/attention_weights_{0}_causal*:*/attention_weights_{0}_bidirectional*",
                                     name));
}

}  // namespace

int check_part(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "check: got {} names, expected that of one part\n", argc - 1);
    return 2;
  }
  const std::string name = argv[1];
  if (std::ranges::count(part_names(), name) == 0) return unknown_part(name);
  int count = 1;
  ::testing::InitGoogleMock(&count, argv);
  choose_checks_of(name);
  ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  auto* report = new FirstFailures;  // GoogleTest owns its listeners
  listeners.Append(report);
  const bool all_passed = RUN_ALL_TESTS() == 0 && report->cases > 0;
  if (!all_passed) {
    fmt::print("{}: {} of {} checks failed\n", name, report->failures, report->cases);
    return 1;
  }
  fmt::print("{}: all {} checks passed\n", name, report->cases);
  for (const std::string& check : report->passed) fmt::print(" {}\n", check);
  return 0;
}

}  // namespace ordinal
