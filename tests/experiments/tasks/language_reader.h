// A predictor for the built-in language, independent of its generator except for the grammar: for each symbol
// it gives the probability of every symbol, given the previous ones.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

namespace ordinal::experiments::testing {

class LanguageReader {
 public:
  using Distribution = std::map<char, double>;

  /// `orders`: for each letter, the letters that follow it in words, the likeliest first.
  LanguageReader(int names, std::size_t values, double definitions, std::map<char, std::string> orders)
      : names_(names), listed_(values), definitions_(definitions), orders_(std::move(orders)) {}

  /// Probabilities of the next symbol.
  Distribution next() const {
    switch (state_) {
      case State::word:
        return after_letter();
      case State::defined_name:
        return evenly('A', names_, 1.0);
      case State::new_value:
        return unlisted();
      case State::known_value:
        return {{values_.at(name_), 1.0}};
      case State::start:
        break;
    }
    Distribution p = evenly('a', 16, 0.1);
    if (values_.size() < 2) {
      p['='] = 0.9;
      return p;
    }
    p['='] = definitions_;
    const bool leaves_one_out = listed_ > 1 && follows_definition_;
    const auto count = static_cast<double>(values_.size() - (leaves_one_out ? 1 : 0));
    for (const auto& [name, value] : values_)
      if (!leaves_one_out || name != name_) p[name] = (0.9 - definitions_) / count;
    return p;
  }

  void read(char symbol) {
    ++place_;
    const bool is_letter = symbol >= 'a' && symbol <= 'p';
    if (state_ == State::start) {
      state_ = is_letter ? State::word : (symbol == '=' ? State::defined_name : State::known_value);
      follows_definition_ = false;
    } else if (state_ == State::defined_name) {
      state_ = State::new_value;
      list_.clear();
    } else if (state_ == State::word) {
      if (symbol == ' ') state_ = State::start;
    } else {
      if (state_ == State::new_value) list_ += symbol;
      fresh_[name_] = follows_definition_ = state_ == State::new_value;
      values_[name_] = symbol;
      places_[name_] = place_;
      ++seen_[name_][symbol];
      if (!follows_definition_ || list_.size() == listed_) state_ = State::start;
    }
    if (is_letter) letter_ = symbol;
    if (symbol >= 'A' && symbol <= 'Z') name_ = symbol;
  }

  bool in_word() const { return state_ == State::word; }
  bool recalls() const { return state_ == State::known_value; }
  /// Whether the next symbol is the first recall of its name since the definition, and other values have followed it.
  bool contested() const { return recalls() && fresh_.at(name_) && seen_.at(name_).size() > 1; }
  /// Of a recall: how far back its value stands.
  std::ptrdiff_t source() const { return recalls() ? place_ + 1 - places_.at(name_) : 0; }
  /// How often each value has followed the name of a recall.
  const std::map<char, int>& seen() const { return seen_.at(name_); }
  int most() const {
    const auto count = [](const auto& entry) { return entry.second; };
    return std::ranges::max_element(seen(), {}, count)->second;
  }

 private:
  enum class State { start, word, defined_name, new_value, known_value };

  static Distribution evenly(char first, int count, double share) {
    Distribution p;
    for (int i = 0; i < count; ++i) p[static_cast<char>(first + i)] = share / count;
    return p;
  }

  Distribution unlisted() const {
    Distribution p;
    for (char value = 'a'; value <= 'p'; ++value)
      if (list_.find(value) == std::string::npos) p[value] = 1.0 / static_cast<double>(16 - list_.size());
    return p;
  }

  Distribution after_letter() const {
    Distribution p = {{' ', 0.25}};
    const std::string& order = orders_.at(letter_);
    double share = 0.75;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      if (rank + 1 < order.size()) share /= 2.0;
      p[order[rank]] = share;
    }
    return p;
  }

  int names_;
  std::size_t listed_;  // values of a definition
  double definitions_;
  std::map<char, std::string> orders_;
  State state_ = State::start;
  char letter_ = 0;
  char name_ = 0;
  std::string list_;  // of the definition that is read
  bool follows_definition_ = false;
  std::map<char, bool> fresh_;  // not mentioned since the definition
  std::map<char, char> values_;
  std::ptrdiff_t place_ = 0;
  std::map<char, std::ptrdiff_t> places_;     // of the values
  std::map<char, std::map<char, int>> seen_;  // how often each value has followed each name
};

}  // namespace ordinal::experiments::testing
