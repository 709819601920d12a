// How a config names a part: "rope", or with options "rope(base=500, pairing=half)". Option values may
// themselves be parts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordinal {

/// Options by name, as written.
using OptionValues = std::map<std::string, std::string>;

struct Part {
  std::string name;
  OptionValues options = {};
};

/// Throws ConfigError for a text that does not name a part: an empty name, an unclosed bracket, an option
/// without a value, or an option given twice.
Part parse_part(std::string_view given);

/// "rope(base=500, pairing=half)", with the options sorted by name.
std::string to_string(const Part& part);

/// One or more parts as a config names them, parsed once: "shaw+rope(base=500)", "conv, attention", "rope@contiguous:yarn".
class PartList {
 public:
  struct Item {
    Part part;
    char before = '\0';  // one of + , @ : outside brackets; nothing before the first
  };

  /// Throws ConfigError as parse_part() does.
  // NOLINTNEXTLINE(google-explicit-constructor): a text is such a list
  PartList(std::string text);
  // NOLINTNEXTLINE(google-explicit-constructor)
  PartList(const char* text) : PartList(std::string(text)) {}
  explicit PartList(std::vector<Item> items);

  /// As it was written.
  const std::string& text() const { return text_; }
  const std::vector<Item>& items() const { return items_; }
  /// All parts. Throws ConfigError if anything but `separator` stands between them.
  std::vector<Part> joined_by(char separator) const;
  /// The only part. Throws ConfigError if there are several.
  const Part& only() const;

  /// Whether both were written in the same way.
  bool operator==(const PartList& other) const { return text_ == other.text_; }

 private:
  std::string text_;
  std::vector<Item> items_;
};

/// Splits `text` at the separators outside brackets. Trims the pieces and keeps empty ones.
std::vector<std::string> split_outside_brackets(std::string_view text, char separator);

/// The text without leading or trailing spaces, tabs and line breaks.
std::string trimmed(std::string_view text);

}  // namespace ordinal
