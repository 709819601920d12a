#include "framework/core/part.h"

#include <fmt/format.h>

#include "framework/core/errors.h"
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

std::vector<Part> parse_parts(std::string_view text, char separator) {
  std::vector<Part> parts;
  for (const std::string& piece : split_outside_brackets(text, separator)) parts.push_back(parse_part(piece));
  return parts;
}

std::string to_string(const std::vector<Part>& parts, char separator) {
  std::vector<std::string> texts;
  for (const Part& part : parts) texts.push_back(to_string(part));
  return joined(texts, separator == ',' ? ", " : std::string(1, separator));
}

}  // namespace ordinal
