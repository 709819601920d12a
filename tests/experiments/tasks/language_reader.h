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
  LanguageReader(int names, std::map<char, std::string> orders) : names_(names), orders_(std::move(orders)) {}

  /// Probabilities of the next symbol.
  Distribution next() const {
    switch (state_) {
      case State::word:
        return after_letter();
      case State::defined_name:
        return evenly('A', names_, 1.0);
      case State::new_value:
        return evenly('a', 16, 1.0);
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
    p['='] = 0.15;
    for (const auto& [name, value] : values_) p[name] = 0.75 / static_cast<double>(values_.size());
    return p;
  }

  void read(char symbol) {
    const bool is_letter = symbol >= 'a' && symbol <= 'p';
    if (state_ == State::start) {
      state_ = is_letter ? State::word : (symbol == '=' ? State::defined_name : State::known_value);
    } else if (state_ == State::defined_name) {
      state_ = State::new_value;
    } else if (state_ == State::word) {
      if (symbol == ' ') state_ = State::start;
    } else {
      values_[name_] = symbol;
      ++seen_[name_][symbol];
      state_ = State::start;
    }
    if (is_letter) letter_ = symbol;
    if (symbol >= 'A' && symbol <= 'Z') name_ = symbol;
  }

  bool in_word() const { return state_ == State::word; }
  bool recalls() const { return state_ == State::known_value; }
  /// Whether the next symbol is a recall, and another value has followed its name more often than the right one.
  bool contested() const {
    if (!recalls()) return false;
    const auto& seen = seen_.at(name_);
    const int right = seen.at(values_.at(name_));
    return std::ranges::any_of(seen, [&](const auto& one) { return one.second > right; });
  }

 private:
  enum class State { start, word, defined_name, new_value, known_value };

  static Distribution evenly(char first, int count, double share) {
    Distribution p;
    for (int i = 0; i < count; ++i) p[static_cast<char>(first + i)] = share / count;
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
  std::map<char, std::string> orders_;
  State state_ = State::start;
  char letter_ = 0;
  char name_ = 0;
  std::map<char, char> values_;
  std::map<char, std::map<char, int>> seen_;  // how often each value has followed each name
};

}  // namespace ordinal::experiments::testing
