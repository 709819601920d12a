// A reader of the built-in language that shares nothing with its author but the grammar: it reads a document
// from its first symbol to the last whole sentence and says at which sentence it stopped understanding.
#pragma once

#include <map>
#include <string>

namespace ordinal::experiments::testing {

class LanguageReader {
 public:
  /// Reads sentences until less than a longest one is left. False if something was wrong: see error().
  bool read(const std::string& text) {
    text_ = text;
    at_ = 0;
    while (at_ + longest_sentence < text_.size()) {
      const std::size_t start = at_;
      if (!sentence()) {
        error_ = "at " + std::to_string(start) + ": " + text_.substr(start, 40);
        return false;
      }
    }
    return true;
  }

  const std::string& error() const { return error_; }
  /// How often each kind of sentence was read, by its sign: '=', '?', '<', '!', '^', '#', ' ' (a phrase).
  const std::map<char, int>& counts() const { return counts_; }
  int deepest() const { return deepest_; }

 private:
  static constexpr std::size_t longest_sentence = 128;
  static bool is_letter(char c) { return c >= 'a' && c <= 'p'; }

  bool take(const std::string& expected) {
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }

  std::string letters() {
    const std::size_t start = at_;
    while (is_letter(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool sentence() {
    const char sign = text_[at_];
    const char next = text_[at_ + 1];
    if (sign == '<') return list();
    if (sign == '!' || sign == '^') return recital(sign);
    if (sign == '#') return item();
    if (next == '=') return definition();
    if (next == '?') return question();
    ++counts_[' '];
    return phrase(0);
  }

  bool definition() {
    ++counts_['='];
    const char key = text_[at_];
    at_ += 2;
    const std::string value = letters();
    definitions_[key] = value;
    return is_letter(key) && value.size() == 2 && take(";");
  }

  bool question() {
    ++counts_['?'];
    const auto known = definitions_.find(text_[at_]);
    at_ += 2;
    return known != definitions_.end() && take(known->second + ";");
  }

  bool list() {
    ++counts_['<'];
    ++at_;
    list_ = letters();
    return list_.size() >= 4 && list_.size() <= 8 && take(">");
  }

  bool recital(char sign) {
    ++counts_[sign];
    ++at_;
    return !list_.empty() && take((sign == '!' ? list_ : std::string(list_.rbegin(), list_.rend())) + ";");
  }

  bool item() {
    ++counts_['#'];
    const auto place = static_cast<std::size_t>(text_[at_ + 1] - '1');
    at_ += 2;
    return place < list_.size() && take(std::string(1, list_[place]) + ";");
  }

  bool word() {
    const std::size_t length = letters().size();
    return length >= 2 && length <= 5 && take(" ");
  }

  // A word, perhaps a bracket around a phrase, perhaps another word. Outside of brackets that word is read as
  // a phrase of its own: there it is the same.
  bool phrase(int depth) {
    if (depth > deepest_) deepest_ = depth;
    if (!word()) return false;
    const std::size_t kind = std::string("([{").find(text_[at_]);
    if (kind != std::string::npos) {
      ++at_;
      if (!phrase(depth + 1) || !take(std::string(1, ")]}"[kind]))) return false;
    }
    return depth == 0 || !is_letter(text_[at_]) || word();
  }

  std::string text_;
  std::size_t at_ = 0;
  std::string list_;
  std::map<char, std::string> definitions_;
  std::map<char, int> counts_;
  std::string error_;
  int deepest_ = 0;
};

}  // namespace ordinal::experiments::testing
