#include "experiments/tasks/alphabet.h"

#include <fmt/format.h>

#include <utility>

#include "framework/core/errors.h"

namespace ordinal::experiments {

Alphabet::Alphabet(std::string beginning, std::string symbols)
    : beginning_(std::move(beginning)), symbols_(std::move(symbols)) {}

Index Alphabet::size() const { return symbols_.empty() ? 256 : std::ssize(symbols_); }

std::string Alphabet::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) {
    if (token < 0 || token >= size()) {
      text += "\uFFFD";  // the replacement character
    } else {
      text += symbols_.empty() ? static_cast<char>(token) : symbols_[static_cast<std::size_t>(token)];
    }
  }
  return text;
}

std::vector<Token> Alphabet::encode(const std::string& text) const {
  const std::size_t first = symbols_.empty() ? std::string::npos : text.find_first_not_of(symbols_);
  if (first != std::string::npos) {
    const std::string unknown = text.substr(first, text.find_first_of(symbols_, first) - first);
    throw DataError(fmt::format("got '{}', expected symbols of this task: {}", unknown, symbols_));
  }
  std::vector<Token> tokens;
  for (const char c : text)
    tokens.push_back(symbols_.empty() ? static_cast<unsigned char>(c) : static_cast<Token>(symbols_.find(c)));
  return tokens;
}

Token Alphabet::token(char symbol) const { return encode(std::string(1, symbol)).front(); }

}  // namespace ordinal::experiments
