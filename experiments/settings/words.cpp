// The words of a command line.
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <map>
#include <string_view>

#include "experiments/settings/command_line.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

namespace po = boost::program_options;

// Every option that the driver has, and every key.
po::options_description known_options(const DriverDescription& driver) {
  po::options_description known;
  const auto add = [&](const std::string& name) {
    const Key* key = driver.find(name);
    if (key == nullptr) return;
    if (key->takes_value()) {
      known.add_options()(name.c_str(), po::value<std::string>());
    } else {
      known.add_options()(name.c_str(), "");
    }
  };
  for (const Key& option : outside_options()) add(option.name);
  for (const Key& key : all_keys())
    for (const std::string& prefix : {std::string(), compare_prefix, tune_prefix}) add(prefix + key.name);
  return known;
}

// Boost refuses `--key=` but takes an empty word after `--key`. The name after --list may be left out.
std::vector<std::string> with_empty_values(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool empty_value = word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
    result.push_back(empty_value ? word.substr(0, word.size() - 1) : word);
    const bool nothing_listed = word == "--list" && (i + 1 == words.size() || words[i + 1].starts_with("-"));
    if (empty_value || nothing_listed) result.emplace_back();
  }
  return result;
}

// Why a word is unknown to Boost, or not an option.
std::string unknown_option(const std::string& given, const DriverDescription& driver) {
  if (!given.starts_with('-') && !given.ends_with(".safetensors"))
    return fmt::format("got '{0}', expected an option ({1}{0})", given,
                       given.find('=') == std::string::npos ? "for a config file: --config " : "such as --");
  if (!given.starts_with("--") || given == "--")
    return fmt::format("got '{}', expected an option such as --help", given);
  std::vector<std::string> outside;
  for (const Key& option : outside_options())
    if (driver.takes(option.name)) outside.push_back(option.name);
  const std::size_t equals = std::min(given.find('='), given.size());
  const std::string name = given.substr(2, equals - 2);
  const std::string value = given.substr(std::min(equals + 1, given.size()));
  const auto is_read = [&](const Key& key) { return driver.uses(key); };
  return fmt::format("unknown option --{}{}", name, hint_for(name, value, outside, "--", is_read));
}

// Why a word or an option cannot be used; empty if it can.
std::string problem_of(const po::option& option, const ConfigEntry& entry, const DriverDescription& driver) {
  const bool is_word = option.position_key >= 0;
  if (is_word ? driver.several.empty() : option.unregistered)
    return unknown_option(option.original_tokens.front(), driver);
  if (option.original_tokens.size() < 2 || !entry.value.starts_with("--")) return "";
  return fmt::format("--{0} has no value before {1} (if that is the value: --{0}={1})", entry.key,
                     entry.value);  // --out --quiet
}

// The word after an unknown option is not a second mistake.
void read_all(const std::vector<po::option>& options, const DriverDescription& driver, Source& source) {
  bool value_of_unknown = false;
  std::map<std::string, std::string> first;  // value of each option
  for (const po::option& option : options) {
    const bool is_word = option.position_key >= 0;
    const bool is_mistaken = value_of_unknown && is_word;
    value_of_unknown =
        !is_word && option.unregistered && option.original_tokens.front().find('=') == std::string::npos;
    if (is_mistaken) continue;
    const ConfigEntry entry{is_word ? driver.several : option.string_key,
                            option.value.empty() ? "" : option.value.front(), command_line_origin};
    std::string problem = problem_of(option, entry, driver);
    const Key* key = driver.find(entry.key);
    const bool may_repeat = entry.key == "config" || entry.key == driver.several ||
                            (key != nullptr && key->option.type == OptionType::files);
    const std::string& before = first.emplace(entry.key, entry.value).first->second;
    if (problem.empty() && before != entry.value && !may_repeat)
      problem = fmt::format("--{}: got {}, then {}, expected one value (leave one out)", entry.key, before,
                            entry.value);
    source.push_back(problem.empty() ? entry : ConfigEntry{.problem = problem});
  }
}

}  // namespace

Source read_words(const std::vector<std::string>& words, const DriverDescription& driver) {
  using Style = po::command_line_style::style_t;
  const int style = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next;  // no guessing
  Source source;
  try {
    // Boost would drop it and treat every later option as a word.
    if (std::ranges::find(words, "--") != words.end()) throw po::error(unknown_option("--", driver));
    const po::options_description known = known_options(driver);
    read_all(po::command_line_parser(with_empty_values(words))
                 .options(known)
                 .style(style)
                 .allow_unregistered()
                 .run()
                 .options,
             driver, source);
  } catch (const po::error& error) {
    source.push_back({.problem = error.what()});
  }
  for (ConfigEntry& entry : source)
    if (!entry.problem.empty()) entry.problem = one_line("command line: " + entry.problem);
  return source;
}

std::string quoted_for_shell(const std::string& word) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) {
    const std::string shown = printable(std::string_view(&c, 1));
    text += c == '\'' ? "'\\''" : shown.size() > 1 ? "'$'" + shown + "''" : shown;
  }
  return text + "'";
}

}  // namespace ordinal::experiments
