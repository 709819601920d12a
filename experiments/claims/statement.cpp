#include "experiments/claims/statement.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/process/utf8.h"
#include "framework/core/errors.h"
#include "framework/core/part.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

// statement := clause ("and" clause)*
// clause    := "fails(" row "," length ")" | sum (compared sum)+ ["in most seeds"]
// compared  := < | <= | > | >= | =, where = has "within" number after its sum
// sum       := ["-"] term (("+" | "-") term)*
// term      := number | [number "*"] metric "(" row ["," length ["," condition]] ")"
class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) { skip_spaces(); }

  Statement parse() {
    do {
      clause();
    } while (take("and"));
    if (at_ < text_.size()) refuse("the end, 'and', an operator or a comparison");
    return statement_;
  }

 private:
  // Called before each token, so that at_ is always at a token or at the end.
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }

  // In characters, from 1.
  Index column() const {
    return static_cast<Index>(display_width(std::string_view(text_).substr(0, at_))) + 1;
  }

  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  }

  // A word does not match the beginning of a longer word.
  bool take(const std::string& token) {
    const std::size_t end = at_ + token.size();
    const bool goes_on = is_name(token.back()) && end < text_.size() && is_name(text_[end]);
    if (goes_on || text_.compare(at_, token.size(), token) != 0) return false;
    at_ = end;
    skip_spaces();
    return true;
  }
  void expect(const std::string& token) {
    if (!take(token)) refuse(fmt::format("'{}'", token));
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string rest =
        at_ == text_.size() ? "the end" : "'" + text_.substr(at_, text_.find(' ', at_) - at_) + "'";
    throw ConfigError(
        printable(fmt::format("got '{}', expected {} in column {}, at {}", text_, expected, column(), rest)));
  }

  // Takes the text up to `end`.
  std::string taken(std::size_t end) {
    std::string text = text_.substr(at_, end - at_);
    at_ = end;
    skip_spaces();
    return text;
  }

  std::string name() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    if (end == at_) refuse("a number or metric(row, length)");
    return taken(end);
  }

  // Reads up to a comma or closing bracket outside brackets; a label with commas must be quoted.
  std::string argument() {
    if (at_ < text_.size() && text_[at_] == '"') {
      ++at_;
      std::string quoted = taken(std::min(text_.find('"', at_), text_.size()));
      expect("\"");
      return quoted;
    }
    std::size_t end = at_;
    for (int depth = 0; end < text_.size(); ++end) {
      const char c = text_[end];
      if (depth == 0 && (c == ',' || c == ')')) break;
      depth += c == '(' ? 1 : (c == ')' ? -1 : 0);
    }
    std::string value = trimmed(taken(end));
    if (value.empty()) refuse("a row, length or condition");
    return value;
  }

  std::optional<double> number() {
    std::size_t end = at_;
    const auto is_exponent_sign = [&](std::size_t i) {
      return (text_[i] == '-' || text_[i] == '+') && i > at_ && (text_[i - 1] == 'e' || text_[i - 1] == 'E');
    };
    while (end < text_.size() && (is_name(text_[end]) || is_exponent_sign(end))) ++end;
    const auto value = parse_real(text_.substr(at_, end - at_));
    if (value) taken(end);
    return value;
  }

  Quantity quantity() {
    Quantity quantity{.column = column()};
    quantity.metric = name();
    expect("(");
    quantity.row = argument();
    if (!is_of_training(quantity.metric)) {
      expect(",");
      quantity.length = argument();
      if (take(",")) quantity.condition = argument();
    }
    expect(")");
    return quantity;
  }

  Term term() {
    const auto factor = number();
    if (factor && !take("*")) return {*factor, {}};
    return {factor.value_or(1.0), quantity()};
  }

  std::vector<Term> sum() {
    const bool negative = take("-");
    std::vector<Term> terms = {term()};
    if (negative) terms[0].factor = -terms[0].factor;
    while (true) {
      const bool minus = take("-");
      if (!minus && !take("+")) return terms;
      terms.push_back(term());
      if (minus) terms.back().factor = -terms.back().factor;
    }
  }

  // A relation without its sides.
  std::optional<Relation> comparison() {
    using Kind = Relation::Kind;
    if (take("<=") || take("≤")) return Relation{.kind = Kind::less, .or_equal = true};
    if (take(">=") || take("≥")) return Relation{.kind = Kind::greater, .or_equal = true};
    if (take("<")) return Relation{.kind = Kind::less};
    if (take(">")) return Relation{.kind = Kind::greater};
    if (take("=")) return Relation{.kind = Kind::equal};
    return std::nullopt;
  }

  void clause() {
    const Index start = column();
    if (take("fails")) {
      expect("(");
      Quantity failure{.metric = "fails", .row = argument(), .column = start};
      expect(",");
      failure.length = argument();
      expect(")");
      statement_.failures.push_back(failure);
      return;
    }
    const std::size_t first = statement_.relations.size();
    std::vector<Term> left = sum();
    auto compared = comparison();
    if (!compared) refuse("<, <=, >, >= or =");
    for (; compared; compared = comparison()) {
      Relation relation = *compared;
      relation.left = std::move(left);
      relation.right = sum();
      if (relation.kind == Relation::Kind::equal) {
        if (!take("within")) refuse("'within' and a margin");
        const auto margin = number();
        if (!margin || *margin <= 0.0) refuse("a margin above 0");
        relation.margin = *margin;
      }
      left = relation.right;
      statement_.relations.push_back(std::move(relation));
    }
    if (!take("in")) return;
    expect("most");
    expect("seeds");
    for (std::size_t i = first; i < statement_.relations.size(); ++i)
      statement_.relations[i].in_most_seeds = true;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Statement statement_;
};

}  // namespace

bool is_of_training(const std::string& metric) { return metric == "learned" || metric == "gradient_norm"; }

Statement parse_statement(const std::string& text) { return Parser(text).parse(); }

std::vector<Quantity> quantities_of(const Statement& statement) {
  std::vector<Quantity> all;
  for (const Relation& relation : statement.relations) {
    for (const auto* side : {&relation.left, &relation.right}) {
      for (const Term& term : *side) {
        if (term.quantity) all.push_back(*term.quantity);
      }
    }
  }
  return all;
}

}  // namespace ordinal::experiments
