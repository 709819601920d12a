#include "experiments/settings/completion.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "completion_scripts.h"
#include "experiments/settings/keys.h"
#include "experiments/settings/parts.h"
#include "experiments/settings/rows.h"

namespace ordinal::experiments {
namespace {

using Words = std::vector<std::string>;

Words with_prefix(std::string_view prefix, Words words) {
  for (std::string& word : words) word.insert(0, prefix);
  return words;
}

// The start of the last piece of a text, after a separator outside closed brackets and any blanks.
std::size_t last_piece(std::string_view text, std::string_view separators) {
  std::size_t start = text.size();
  for (int depth = 0; start > 0; --start) {
    const char c = text[start - 1];
    if (depth == 0 && separators.find(c) != std::string_view::npos) break;
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
  }
  return std::min(text.find_first_not_of(' ', start), text.size());
}

// The options of the part whose bracket opens at the end of a text: "alibi+rope(".
std::vector<OptionSpec> options_in(const std::string& text) {
  const std::string name = trimmed(text.substr(0, text.size() - 1));
  for (const PartKind& kind : part_kinds()) {
    if (const PartInfo* part = kind.find(name.substr(last_piece(name, ",;+@:=(")))) return part->options;
  }
  return {};
}

// Completions of a value without brackets. A default that is itself a word, such as `same`, is one, too.
Words choices(const std::vector<OptionSpec>& specs) {
  Words all;
  for (const OptionSpec& spec : specs) {
    all.insert(all.end(), spec.choices.begin(), spec.choices.end());
    if (spec.type == OptionType::flag) all.insert(all.end(), {"true", "false"});
    const bool is_word = !spec.value.empty() && spec.value.find_first_of("(,") == std::string::npos;
    if (is_word && !spec.choices.empty()) all.push_back(spec.value);
  }
  return all;
}

// Completions of a key's value, which may be a list of parts with options in brackets: "rope(base=500)+al".
Words value_ends(const Key& key, const std::string& text) {
  const bool encodings = key.kind == "positional encodings";
  std::size_t start = last_piece(text, "(");
  if (start == 0) {
    start = last_piece(text, encodings ? ",;+@:" : ",;");
    const std::string before = trimmed(text.substr(0, start));
    const bool of_positions = encodings && (before.ends_with('@') || before.ends_with(':'));
    return with_prefix(text.substr(0, start),
                       of_positions ? part_kind("positions").names()
                                    : choices(key.is_option() ? key.variants : std::vector{key.option}));
  }
  std::vector<OptionSpec> options = options_in(trimmed(text.substr(0, start)));
  start += last_piece(text.substr(start), ",");
  const std::size_t equals = text.find('=', start);
  Words names;
  if (equals == std::string::npos) {
    for (const OptionSpec& option : options) names.push_back(option.name + "=");
    return with_prefix(text.substr(0, start), names);
  }
  std::erase_if(options,
                [&](const OptionSpec& option) { return option.name != text.substr(start, equals - start); });
  return with_prefix(text.substr(0, equals + 1), choices(options));
}

// Every option and key, up to the next dot after the word.
Words all_names(const DriverDescription& driver, const std::string& word) {
  Words names;
  for (const Key& option : outside_options()) {
    if (driver.takes(option.name)) names.push_back("--" + option.name);
  }
  for (const Key& key : all_keys()) {
    if (driver.uses(key)) names.push_back("--" + key.name + "=");
    if (driver.builds != Builds::rows || !is_comparable(key)) continue;
    for (const std::string& prefix : {compare_prefix, tune_prefix})
      names.push_back("--" + prefix + key.name + "=");
  }
  for (std::string& name : names) {
    const std::size_t dot = name.find('.', word.size());
    if (dot != std::string::npos) name.resize(dot + 1);
  }
  return names;
}

Words ends(const DriverDescription& driver, const std::string& previous, const std::string& word) {
  const std::size_t start = word.starts_with("--") ? word.find('=') + 1 : 0;  // of a value
  const std::string name = start > 0 ? word.substr(0, start - 1) : word.starts_with("--") ? "" : previous;
  const Key* option = name.starts_with("--") ? driver.find(name.substr(2)) : nullptr;
  if (option != nullptr && !option->short_for.empty()) option = key_behind(option->target());
  if (option == nullptr || !option->takes_value()) return start > 0 ? Words{} : all_names(driver, word);
  const bool is_path = option->argument == "FILE" || option->argument == "PATH";
  if (is_path || option->option.type == OptionType::files)
    return {word.substr(0, start) + std::string(files_line)};
  return with_prefix(word.substr(0, start), value_ends(*option, word.substr(start)));
}

}  // namespace

std::string completions_text(const DriverDescription& driver, const Words& words) {
  const std::string word = words.empty() ? "" : words.back();
  Words said;
  std::string text;
  for (const std::string& end : ends(driver, words.size() < 2 ? "" : words[words.size() - 2], word)) {
    const bool fits = end.starts_with(word) || end.ends_with(files_line);
    if (!fits || std::ranges::find(said, end) != said.end()) continue;
    said.push_back(end);
    text += end + "\n";
  }
  return text;
}

std::string completion_script(const std::string& program, const std::string& shell) {
  const std::string script = shell == "bash" ? bash_completion : zsh_completion;
  return boost::replace_all_copy(script, "PROGRAM", program);
}

}  // namespace ordinal::experiments
