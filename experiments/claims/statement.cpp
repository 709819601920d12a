#include "experiments/claims/statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/process/streams.h"
#include "experiments/settings/settings.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

constexpr const char* forms =
    "a statement is A > B, A > B + margin, A = B within margin or A >= number, where A and B are metric(row, "
    "length) or metric(row, length, condition)";

class StatementParser {
 public:
  explicit StatementParser(const std::string& text) : text_(text) { skip_spaces(); }

  Statement parse() {
    Statement statement{.left = quantity()};
    if (take(">=")) {
      statement.form = Statement::Form::at_least;
      statement.number = number("a number");
    } else if (take(">")) {
      statement.right = quantity();
      if (take("+")) statement.number = margin();
    } else {
      expect("=", "'>', '=' or '>='");
      statement.form = Statement::Form::within;
      statement.right = quantity();
      expect("within", "'within'");
      statement.number = margin();
    }
    if (at_ < text_.size()) refuse("the end");
    return statement;
  }

 private:
  // Called behind each token, so that at_ is always at a token or at the end.
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  // In characters, from 1.
  Index column() const {
    return static_cast<Index>(display_width(std::string_view(text_).substr(0, at_))) + 1;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string rest =
        at_ == text_.size() ? "the end" : "'" + text_.substr(at_, text_.find(' ', at_) - at_) + "'";
    throw ConfigError(
        printable(fmt::format("column {}: got {}, expected {}; {}", column(), rest, expected, forms)));
  }

  bool take(const std::string& token) {
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    skip_spaces();
    return true;
  }
  void expect(const std::string& token, const std::string& expected) {
    if (!take(token)) refuse(expected);
  }

  // Takes the text up to `end`.
  std::string taken(std::size_t end) {
    std::string text = trimmed(text_.substr(at_, end - at_));
    at_ = end;
    skip_spaces();
    return text;
  }

  // The text up to a comma or closing bracket outside brackets; in quotes it may hold both.
  std::string argument(const std::string& expected) {
    if (take("\"")) {
      std::string quoted = taken(std::min(text_.find('"', at_), text_.size()));
      expect("\"", "a closing quote");
      return quoted;
    }
    std::size_t end = at_;
    for (int depth = 0; end < text_.size(); ++end) {
      const char c = text_[end];
      if (depth == 0 && (c == ',' || c == ')')) break;
      depth += c == '(' ? 1 : (c == ')' ? -1 : 0);
    }
    if (end == at_) refuse(expected);
    return taken(end);
  }

  double number(const std::string& expected) {
    const std::size_t end = std::min(text_.find(' ', at_), text_.size());
    const auto value = parse_real(text_.substr(at_, end - at_));
    if (!value) refuse(expected);
    taken(end);
    return *value;
  }
  double margin() {
    const std::size_t start = at_;
    const double value = number("a margin above 0");
    if (value > 0.0) return value;
    at_ = start;
    refuse("a margin above 0");
  }

  Quantity quantity() {
    Quantity quantity{.column = column()};
    const auto is_of_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    const auto end =
        std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(), is_of_name);
    quantity.metric = taken(static_cast<std::size_t>(end - text_.begin()));
    if (quantity.metric.empty()) refuse("a metric");
    expect("(", "'(' behind a metric");
    quantity.row = argument("a row");
    expect(",", "',' and a length");
    const std::size_t start = at_;
    quantity.length = argument("a length");
    if (parse_length(quantity.length, 1000) < 1) {
      at_ = start;
      refuse("a length such as 128 or 2x");
    }
    if (take(",")) quantity.condition = argument("a condition");
    expect(")", "')'");
    return quantity;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string Quantity::text() const {
  const std::string last = condition == trained_condition ? "" : ", " + condition;
  return fmt::format("{}({}, {}{})", metric, row, at > 0 ? std::to_string(at) : length, last);
}

Statement parse_statement(const std::string& text) { return StatementParser(text).parse(); }

}  // namespace ordinal::experiments
