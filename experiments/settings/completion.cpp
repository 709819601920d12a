#include "experiments/settings/completion.h"

#include <algorithm>

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

// Where the last piece of a list begins, after a separator outside brackets and blanks.
std::size_t last_piece(std::string_view text, std::string_view separators) {
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && separators.find(text[i]) != std::string_view::npos) start = i + 1;
  }
  return std::min(text.find_first_not_of(' ', start), text.size());
}

Words part_ends(const PartKind& kind, const std::string& text);

Words value_ends(const OptionSpec& option, const std::string& text) {
  if (option.type == OptionType::flag) return {"true", "false"};
  if (option.type == OptionType::part) return part_ends(kind_of_option(option), text);
  return option.choices;
}

// Of a part that is not complete: "ro", "rope(ba" or "rope(base=500, pairing=ha".
Words part_ends(const PartKind& kind, const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos) return kind.names();
  const PartInfo* part = kind.find(trimmed(text.substr(0, open)));
  if (part == nullptr) return {};
  const std::size_t start = open + 1 + last_piece(text.substr(open + 1), ",");
  const std::size_t equals = text.find('=', start);
  Words ends;
  for (const OptionSpec& option : part->options) {
    if (equals == std::string::npos) {
      ends.push_back(text.substr(0, start) + option.name + "=");
    } else if (text.compare(start, equals - start, option.name) == 0 &&
               equals - start == option.name.size()) {
      ends = with_prefix(text.substr(0, equals + 1), value_ends(option, text.substr(equals + 1)));
    }
  }
  return ends;
}

// Of the value of a key, which may be a list. A word that stands for other parts, such as `same`, is a part, too.
Words key_ends(const Key& key, const std::string& text) {
  if (key.option.type == OptionType::files) return {std::string(files_line)};
  const bool encodings = key.kind == "positional encodings";
  const std::size_t start = last_piece(text, encodings ? ",;+@:" : ",;");
  const std::string before = text.substr(0, start);
  const std::string piece = text.substr(start);
  const bool after_at = encodings && before.find_last_of("@:") != std::string::npos &&
                        before.find_last_of("@:") >= last_piece(before, ",;+");
  if (after_at) return with_prefix(before, part_ends(part_kind("positions"), piece));
  if (!key.kind.empty()) {
    const PartKind& kind = part_kind(key.kind);
    Words ends = part_ends(kind, piece);
    const std::string& other = key.option.value;
    const bool is_word = !other.empty() && other.find_first_of("(,") == std::string::npos;
    if (is_word && kind.find(other) == nullptr && piece.find('(') == std::string::npos) ends.push_back(other);
    return with_prefix(before, std::move(ends));
  }
  Words ends;
  for (const OptionSpec& option : key.is_option() ? key.variants : std::vector<OptionSpec>{key.option}) {
    for (const std::string& end : value_ends(option, piece)) ends.push_back(end);
  }
  return with_prefix(before, std::move(ends));
}

// Of the value of an option outside the sections or of a key.
Words ends_of_value(const DriverDescription& driver, const std::string& name, const std::string& text) {
  const Key* option = driver.find(name);
  if (option == nullptr) return {};
  if (!option->short_for.empty()) option = key_behind(option->target());
  if (option->argument == "FILE" || option->argument == "PATH") return {std::string(files_line)};
  if (option->name != "list") return key_ends(*option, text);
  Words names;
  for (const PartKind& kind : part_kinds()) {
    for (const std::string& part : kind.names()) names.push_back(part);
  }
  return names;
}

// Of every option and key.
Words all_names(const DriverDescription& driver) {
  Words names;
  for (const Key& option : outside_options()) {
    if (driver.takes(option.name)) names.push_back("--" + option.name);
  }
  for (const Key& key : all_keys()) {
    if (driver.uses(key)) names.push_back("--" + key.name + "=");
    if (driver.builds != Builds::rows || !is_comparable(key)) continue;
    names.push_back("--" + std::string(compare_prefix) + key.name + "=");
    names.push_back("--" + std::string(tune_prefix) + key.name + "=");
  }
  return names;
}

Words ends(const DriverDescription& driver, const std::string& previous, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") && equals != std::string::npos) {
    return with_prefix(word.substr(0, equals + 1),
                       ends_of_value(driver, word.substr(2, equals - 2), word.substr(equals + 1)));
  }
  const Key* option =
      previous.starts_with("--") && !word.starts_with("--") ? driver.find(previous.substr(2)) : nullptr;
  if (option != nullptr && option->takes_value()) return ends_of_value(driver, previous.substr(2), word);
  Words names = all_names(driver);
  for (std::string& name : names) {
    const std::size_t dot = name.find('.', word.size());
    if (dot != std::string::npos) name.resize(dot + 1);
  }
  return names;
}

}  // namespace

std::string completions_text(const DriverDescription& driver, const Words& words) {
  const std::string word = words.empty() ? "" : words.back();
  const std::string previous = words.size() < 2 ? "" : words[words.size() - 2];
  Words said;
  std::string text;
  for (const std::string& end : ends(driver, previous, word)) {
    const bool fits = end.starts_with(word) || end.ends_with(files_line);
    if (!fits || std::ranges::find(said, end) != said.end()) continue;
    said.push_back(end);
    text += end + "\n";
  }
  return text;
}

std::string completion_script(const std::string& program, const std::string& shell) {
  const std::string placeholder = "PROGRAM";
  std::string script = shell == "bash" ? bash_completion : zsh_completion;
  for (auto at = script.find(placeholder); at != std::string::npos; at = script.find(placeholder, at)) {
    script.replace(at, placeholder.size(), program);
  }
  return script;
}

}  // namespace ordinal::experiments
