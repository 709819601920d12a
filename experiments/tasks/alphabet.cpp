#include "experiments/tasks/alphabet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// From Latin-1.
std::string to_utf8(const std::string& symbols) {
  std::string text;
  for (const char symbol : symbols) {
    const auto code = static_cast<unsigned char>(symbol);
    if (code >= 0x80U) text += static_cast<char>(0xC0U | (code >> 6U));
    text += code < 0x80U ? symbol : static_cast<char>(0x80U | (code & 0x3FU));
  }
  return text;
}

// The characters of a text in UTF-8.
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> all;
  for (const char byte : text) {
    if (all.empty() || !continues_character(byte)) all.emplace_back();
    all.back() += byte;
  }
  return all;
}

}  // namespace

Alphabet::Alphabet(std::string beginning, std::string symbols)
    : beginning_(std::move(beginning)), symbols_(std::move(symbols)) {}

Index Alphabet::size() const { return symbols_.empty() ? 256 : std::ssize(symbols_); }

std::string Alphabet::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) {
    if (token < 0 || token >= size()) {
      text += "\uFFFD";  // the replacement character
    } else {
      text += symbols_.empty() ? std::string(1, static_cast<char>(token)) : to_utf8(symbols_of({&token, 1}));
    }
  }
  return text;
}

std::vector<Token> Alphabet::encode(const std::string& text) const {
  std::vector<Token> tokens;
  if (symbols_.empty()) {
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  std::string unknown;
  for (const std::string& character : characters(text)) {
    const auto found = std::ranges::find(symbols_, character, [](char symbol) { return to_utf8({symbol}); });
    if (found == symbols_.end()) {
      unknown += character;
    } else if (unknown.empty()) {
      tokens.push_back(static_cast<Token>(found - symbols_.begin()));
    } else {
      break;
    }
  }
  if (unknown.empty()) return tokens;
  throw DataError(fmt::format("got '{}', expected symbols of this task: {}", unknown, to_utf8(symbols_)));
}

Token Alphabet::token(char symbol) const { return static_cast<Token>(symbols_.find(symbol)); }

std::string Alphabet::symbols_of(std::span<const Token> tokens) const {
  std::string symbols;
  for (const Token token : tokens) symbols += symbols_[static_cast<std::size_t>(token)];
  return symbols;
}

}  // namespace ordinal::experiments
