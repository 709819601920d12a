// reverse_string, odds_first and bucket_sort: the symbols of the input in another order. Encoder tasks of Delétang
// et al. 2023 and Ruoss et al. 2023.
#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

// The answer has the n digits of the input.
struct Rearrangement : Exercises {
  Index symbols = 2;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(2, 10), "different symbols"); }
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return digits(symbols); }
  Index answer_length(Index n) const override { return n; }
  Exercise draw(Random& random, Index n) const override {
    const std::string text = draw_symbols(random, n, alphabet());
    return {text, rearranged(text)};
  }

 private:
  virtual std::string rearranged(const std::string& text) const = 0;
};

struct ReverseString final : Rearrangement {
  std::string name() const override { return "reverse_string"; }
  std::string summary() const override {
    return "n symbols from the last to the first (Delétang et al. 2023)";
  }

 private:
  std::string rearranged(const std::string& text) const override { return {text.rbegin(), text.rend()}; }
};

struct OddsFirst final : Rearrangement {
  std::string name() const override { return "odds_first"; }
  std::string summary() const override {
    return "the first, third, … of n symbols, then the second, fourth, … (Delétang et al. 2023)";
  }

 private:
  std::string rearranged(const std::string& text) const override {
    std::string answer;
    for (std::size_t i = 0; i < text.size(); i += 2) answer += text[i];
    for (std::size_t i = 1; i < text.size(); i += 2) answer += text[i];
    return answer;
  }
};

struct BucketSort final : Rearrangement {
  BucketSort() { symbols = 5; }
  std::string name() const override { return "bucket_sort"; }
  std::string summary() const override { return "n symbols in ascending order (Delétang et al. 2023)"; }

 private:
  std::string rearranged(const std::string& text) const override {
    std::string sorted = text;
    std::ranges::sort(sorted);
    return sorted;
  }
};

}  // namespace

TaskEntry reverse_string_task() {
  return answer_task<ReverseString>(
      R"(The input is n digits, each any below `symbols`; the answer is the same from the last to the first.)");
}

TaskEntry odds_first_task() {
  return answer_task<OddsFirst>(
      R"(The input is n digits, each any below `symbols`; the answer is the first, third, fifth, … of them, then
the second, fourth, …, as in the paper. (Its code writes the second, fourth, … first.))");
}

TaskEntry bucket_sort_task() {
  return answer_task<BucketSort>(
      R"(The input is n digits, each any below `symbols`; the answer is the same in ascending order.)");
}

}  // namespace ordinal::experiments
