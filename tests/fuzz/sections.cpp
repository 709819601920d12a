// Sections [claim ID] and [withdrawn ID] of a config; the sample has scores for those that refer to its rows.
#include <fmt/format.h>

#include "experiments/claims/decision.h"
#include "experiments/claims/stored_scores.h"
#include "experiments/settings/config_file.h"
#include "framework/core/errors.h"
#include "tests/experiments/report/sample_result.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

using experiments::Claim;
using experiments::ConfigEntry;
using experiments::ExperimentResult;
using experiments::read_config_text;
using experiments::Settings;
using experiments::Source;

Settings settings_of(const std::string& text) {
  const Source file = read_config_text(text, "fuzz.cfg");
  Settings settings;
  for (const ConfigEntry& entry : file) {
    if (!entry.problem.empty()) throw ConfigError(entry.problem);
    if (!entry.kind.empty() && entry.kind != "row")
      settings.add_to_section(entry.kind, entry.id, entry.key, entry.value, entry.origin);
  }
  return settings;
}

}  // namespace

void sections(const std::string& input) {
  static const ExperimentResult sample = experiments::report_test::sample_result(5);
  accepts(
      [&] {
        const Settings settings = settings_of(input);
        const std::vector<Claim> claims = claims_of(settings);
        const std::string scores = experiments::scores_csv(kept_scores(claims, sample));
        decide(claims, experiments::read_scores(scores, "scores", sample.metrics), {1, 2, 3, 4, 5});
      },
      Message::many_lines);
}

}  // namespace ordinal::fuzz
