#include <fmt/format.h>

#include "experiments/process/streams.h"
#include "experiments/settings/command_line.h"
#include "experiments/settings/keys.h"

namespace ordinal::experiments {
namespace {

// All choices, or the first of many.
std::string choices_of(const std::vector<std::string>& choices) {
  constexpr std::size_t most = 8;
  if (choices.empty()) return "";
  if (choices.size() <= most) return ": " + joined(choices);
  return fmt::format(": {}, … ({} with --list)", joined({choices.begin(), choices.begin() + 4}),
                     choices.size());
}

std::string key_help(const Key& key) {
  return fmt::format("  --{:<28} {}{} [{}]\n", key.name, key.option.help, choices_of(key.option.choices),
                     key.option.value);
}

}  // namespace

std::string help_text(const DriverDescription& driver, const std::optional<Terminal>& terminal) {
  std::string usage = fmt::format("\n\nUsage: {} [options]\n", driver.name);
  for (const std::string& example : driver.examples) usage += fmt::format("  {}\n", example);
  std::string text = "\nOptions:\n";
  for (const Key& option : outside_options()) {
    if (!driver.takes(option.name)) continue;
    const std::string name = option.name + option.argument + (option.name == driver.several ? "…" : "");
    text += fmt::format("  --{:<28} {}\n", name, option.option.help);
  }
  for (const std::string& section : driver.sections) {
    text += fmt::format("\n[{}], in a config file or as --{}.key=value:\n", section, section);
    for (const Key& key : all_keys()) {
      if (key.section() == section && driver.uses(key)) text += key_help(key);
    }
  }
  if (!driver.keys.empty()) text += "\nOf other sections:\n";
  for (const std::string& key : driver.keys) text += key_help(*find_key(key));
  text +=
      "\nOptions of a part stand in its brackets: rope(base=500). --list shows all parts with their "
      "options.\n";
  if (driver.builds == Builds::rows) {
    text += R"(
[compare], in a config file or as --compare.section.key=a,b,c:
  a row for each value of any key above, and of several keys for each combination; values that hold commas are separated by semicolons. compare.tune.section.key = a, b, c chooses the best value for each row.
[row NAME], in a config file:
  a row that is written out, with keys in full such as model.d_model = 32.
[claim ID], in a config file:
  statement = accuracy(alibi, 2x) > accuracy(rope, 2x) + 0.05  is decided from the results. Also needs words for readers, its source, and registered, its date and commit. Optional: looks, again, note.
)";
  }
  text +=
      "\nExit code: 0 done, 1 failed, 2 an error that you can fix, 128 + N stopped by signal N (Ctrl-C: "
      "130).\n";
  return wrapped(driver.summary, terminal) + usage + wrapped(text, terminal, 33);
}

}  // namespace ordinal::experiments
