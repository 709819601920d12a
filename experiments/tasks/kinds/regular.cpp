// even_pairs, parity_check and cycle_navigation: what finite automata can do, with answers of one symbol. Encoder
// tasks of Delétang et al. 2023 and Ruoss et al. 2023.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct RegularQuestions : Exercises {
  Layout layout() const override { return Layout::tape; }
  Index answer_length(Index /*n*/) const override { return 1; }
};

std::string digit(Index value) { return {static_cast<char>('0' + value)}; }

struct EvenPairs final : RegularQuestions {
  std::string name() const override { return "even_pairs"; }
  std::string summary() const override {
    return "whether n bits have an odd number of pairs 01 and 10 (Delétang et al. 2023)";
  }
  std::string alphabet() const override { return "01"; }
  Exercise draw(Random& random, Index n) const override {
    const std::string bits = draw_symbols(random, n, alphabet());
    return {bits, digit(bits.front() == bits.back() ? 0 : 1)};
  }
};

struct ParityCheck final : RegularQuestions {
  std::string name() const override { return "parity_check"; }
  std::string summary() const override {
    return "whether the number of ones among n bits is odd (Delétang et al. 2023)";
  }
  std::string alphabet() const override { return "01"; }
  Exercise draw(Random& random, Index n) const override {
    const std::string bits = draw_symbols(random, n, alphabet());
    Index ones = 0;
    for (const char bit : bits) ones += bit - '0';
    return {bits, digit(ones % 2)};
  }
};

struct CycleNavigation final : RegularQuestions {
  std::string name() const override { return "cycle_navigation"; }
  std::string summary() const override {
    return "the place on a circle of five after n steps back, none or forward (Delétang et al. 2023)";
  }
  std::string alphabet() const override { return "01234"; }
  Exercise draw(Random& random, Index n) const override {
    constexpr Index circle = 5;
    const std::string steps = draw_symbols(random, n, "012");
    Index place = 0;
    for (const char step : steps) place += step - '1';
    return {steps, digit((place % circle + circle) % circle)};
  }
};

}  // namespace

TaskEntry even_pairs_task() {
  return answer_task<EvenPairs>(
      R"(The input is n bits. The answer is 1 if the number of places where a bit differs from the next is odd,
else 0; that is, whether the first bit differs from the last.)");
}

TaskEntry parity_check_task() {
  return answer_task<ParityCheck>(
      R"(The input is n bits; the answer is 1 if the number of ones is odd, else 0.)");
}

TaskEntry cycle_navigation_task() {
  return answer_task<CycleNavigation>(
      R"(The input is n symbols, each any of 0, 1 and 2, which are steps of -1, 0 and 1; the answer is their sum
modulo 5.)");
}

}  // namespace ordinal::experiments
