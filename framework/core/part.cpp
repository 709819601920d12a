#include "framework/core/part.h"

#include <fmt/format.h>

#include <utility>

#include "framework/core/errors.h"
#include "framework/core/options.h"
#include "framework/core/text.h"

namespace ordinal {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::vector<std::string> split_outside_brackets(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != separator || depth != 0) continue;
    pieces.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  pieces.push_back(trimmed(text.substr(start)));
  return pieces;
}

Part parse_part(std::string_view given) {
  const std::string text = trimmed(given);
  const auto wrong = [&](const std::string& what) {
    return ConfigError(printable(fmt::format(
        "got '{}', {}, expected a name, or a name with options: name(option=value)", text, what)));
  };
  const std::size_t open = text.find('(');
  Part part{trimmed(text.substr(0, open))};
  if (part.name.empty()) throw wrong("which names nothing");
  if (part.name.find_first_of(")=, \t\r\n") != std::string::npos)
    throw wrong(fmt::format("where '{}' is no name", part.name));
  if (open == std::string::npos) return part;
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size())
      throw wrong(fmt::format("with '{}' after the options", text.substr(i + 1)));
  }
  if (depth != 0) throw wrong("where a bracket is not closed");
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  if (trimmed(inside).empty()) return part;
  for (const std::string& piece : split_outside_brackets(inside, ',')) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == piece.size())
      throw wrong(fmt::format("where '{}' sets no option", piece));
    const auto [place, is_new] =
        part.options.emplace(trimmed(piece.substr(0, equals)), trimmed(piece.substr(equals + 1)));
    if (!is_new) throw wrong(fmt::format("where {} is set twice", place->first));
  }
  return part;
}

std::string to_string(const Part& part) {
  if (part.options.empty()) return part.name;
  std::vector<std::string> options;
  for (const auto& [name, value] : part.options) options.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}({})", part.name, joined(options));
}

PartList::PartList(std::string text) : text_(std::move(text)) {
  char before = '\0';
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text_.size(); ++i) {
    const char c = i < text_.size() ? text_[i] : '\0';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (i < text_.size() && (depth != 0 || std::string_view("+,@:").find(c) == std::string_view::npos))
      continue;
    const std::string piece = trimmed(std::string_view(text_).substr(start, i - start));
    if (piece.empty() && !trimmed(text_).empty())
      throw ConfigError(printable(
          fmt::format("got '{}', where a name is missing beside '{}'", text_, before != '\0' ? before : c)));
    items_.push_back({parse_part(piece), before});
    before = c;
    start = i + 1;
  }
}

PartList::PartList(std::vector<Item> items) : items_(std::move(items)) {
  for (const auto& [part, before] : items_) {
    if (before != '\0') text_ += before;
    if (before == ',') text_ += ' ';
    text_ += to_string(part);
  }
}

std::vector<Part> PartList::joined_by(char separator) const {
  std::vector<Part> parts;
  for (const auto& [part, before] : items_) {
    if (!parts.empty() && before != separator)
      throw ConfigError(
          printable(fmt::format("got '{}', where '{}' stands before {}, expected parts joined by '{}'", text_,
                                before, part.name, separator)));
    parts.push_back(part);
  }
  return parts;
}

const Part& PartList::only() const {
  if (items_.size() == 1) return items_.front().part;
  throw ConfigError(printable(fmt::format("got '{}', expected one name", text_)));
}

}  // namespace ordinal
