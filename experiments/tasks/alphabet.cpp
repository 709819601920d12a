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
  std::vector<Token> tokens;
  for (const char c : text) tokens.push_back(token(c));
  return tokens;
}

Token Alphabet::token(char symbol) const {
  if (symbols_.empty()) return static_cast<unsigned char>(symbol);
  const std::size_t index = symbols_.find(symbol);
  if (index == std::string::npos) {
    throw DataError(fmt::format("'{}' is not a symbol of this task, expected one of {}", symbol, symbols_));
  }
  return static_cast<Token>(index);
}

}  // namespace ordinal::experiments
