#include <fmt/format.h>

#include "experiments/settings/command_line.h"
#include "experiments/settings/keys.h"
#include "experiments/settings/options.h"

namespace ordinal {
namespace {

std::string key_help(const Key& key) {
  std::string help = key.help;
  if (!key.choices.empty()) {
    std::string choices;
    for (const std::string& choice : key.choices) choices += (choices.empty() ? "" : ", ") + choice;
    help += ": " + choices;
  }
  return fmt::format("  --{:<28} {} [{}]\n", key.name, help, key.fallback);
}

}  // namespace

std::string help_text(const DriverDescription& driver) {
  std::string text = fmt::format("{}\n\nUsage: {} [options]\n", driver.summary, driver.name);
  for (const std::string& example : driver.examples) text += fmt::format("  {}\n", example);
  text += "\nOptions:\n";
  for (const OutsideOption& option : outside_options()) {
    if (!takes(driver, option.name)) continue;
    const std::string name = option.name + (option.argument.empty() ? "" : " " + option.argument);
    text += fmt::format("  --{:<28} {}\n", name, option.help);
  }
  for (const std::string& section : driver.sections) {
    text += fmt::format("\n[{}], in a config file or as --{}.key=value:\n", section, section);
    for (const Key& key : all_keys()) {
      if (key.section() == section) text += key_help(key);
    }
  }
  return text + "\nExit code: 0 done, 1 failed, 2 something that you can mend, 130 interrupted.\n";
}

}  // namespace ordinal
