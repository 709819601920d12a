// duplicate_string, missing_duplicate and interlocked_pairing: a string twice. Encoder tasks of Delétang et al. 2023
// (the last one only of its code) and, the first two, of Ruoss et al. 2023.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct DuplicateString final : Exercises {
  Index symbols = 2;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(2, 10), "different symbols"); }
  std::string name() const override { return "duplicate_string"; }
  std::string summary() const override { return "n symbols, twice (Delétang et al. 2023)"; }
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return digits(symbols); }
  Index answer_length(Index n) const override { return 2 * n; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = draw_symbols(random, n, alphabet());
    return {text, text + text};
  }
};

struct MissingDuplicate final : Exercises {
  std::string name() const override { return "missing_duplicate"; }
  std::string summary() const override {
    return "the missing bit of a string that is there twice (Delétang et al. 2023)";
  }
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return "0123"; }
  Index answer_length(Index /*n*/) const override { return 1; }
  Exercise draw(Random& random, Index n) const override {
    if (n == 1) return {"1", "1"};
    const std::string half = draw_symbols(random, n / 2, "01");
    std::string twice = half + half;
    char& missing = twice[static_cast<std::size_t>(draw_index(random, std::ssize(twice)))];
    const std::string answer = {missing};
    missing = '2';
    return {n % 2 == 0 ? twice : twice + '3', answer};
  }
};

struct InterlockedPairing final : Exercises {
  std::string name() const override { return "interlocked_pairing"; }
  std::string summary() const override {
    return "of two runs of equal bits, the same and then its complement (Delétang et al. 2023)";
  }
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return "01"; }
  Index answer_length(Index n) const override { return 2 * n; }
  Exercise draw(Random& random, Index n) const override {
    const bool ones_first = draw_symbol(random, "01") == '1';
    const Index first = n == 1 ? 1 : 1 + draw_index(random, n - 1);
    const std::string text = runs(ones_first ? '1' : '0', first, ones_first ? '0' : '1', n - first);
    const std::string complement = runs(ones_first ? '0' : '1', first, ones_first ? '1' : '0', n - first);
    return {text, text + complement};
  }

 private:
  static std::string runs(char first, Index count, char second, Index rest) {
    return std::string(static_cast<std::size_t>(count), first) +
           std::string(static_cast<std::size_t>(rest), second);
  }
};

}  // namespace

TaskEntry duplicate_string_task() {
  return answer_task<DuplicateString>(
      R"(The input is n digits, each any below `symbols`; the answer is the same twice.)");
}

TaskEntry missing_duplicate_task() {
  return answer_task<MissingDuplicate>(
      R"(The input is ⌊n/2⌋ bits twice, in which one symbol, any, is replaced by 2; an odd n is filled up with a 3
at the end. The answer is the bit that was replaced. At length 1 input and answer are 1.)");
}

TaskEntry interlocked_pairing_task() {
  return answer_task<InterlockedPairing>(
      R"(The first bit is any, and repeated k times, k any of 1 … n-1; the input is that and the other bit n-k
times (at length 1, only the first bit). The answer is the input and then its complement: 0^k 1^n 0^(n-k)
or 1^k 0^n 1^(n-k).)");
}

}  // namespace ordinal::experiments
