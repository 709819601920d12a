// The meaning of tokens: bytes, or the symbols of a generated task. Fixed for each task, because checkpoints
// rely on them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// Token t is the t-th character of `symbols`, in Latin-1; with no symbols given, tokens are bytes. Texts are in UTF-8.
class Alphabet {
 public:
  /// `beginning` is the text from which generation starts without a prompt.
  explicit Alphabet(std::string beginning, std::string symbols = "");

  Index size() const;
  /// Empty if tokens are bytes.
  const std::string& symbols() const { return symbols_; }
  const std::string& beginning() const { return beginning_; }

  /// A token without a meaning (a model may have more tokens than its task) is shown as U+FFFD.
  std::string decode(std::span<const Token> tokens) const;
  /// Throws DataError for what are no symbols, and names the known ones.
  std::vector<Token> encode(const std::string& text) const;
  Token token(char symbol) const;
  /// The symbols of tokens that have one.
  std::string symbols_of(std::span<const Token> tokens) const;

 private:
  std::string beginning_;
  std::string symbols_;
};

}  // namespace ordinal::experiments
