// sum and parity: one symbol that depends on all n of the prompt (Kazemnejad et al. 2023).
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

// The sum of n digits modulo their number.
Exercise modular_sum(Random& random, Index n, Index modulus) {
  const std::string text = draw_symbols(random, n, digits(modulus));
  Index sum = 0;
  for (const char digit : text) sum += digit - '0';
  return {text, {static_cast<char>('0' + sum % modulus)}};
}

struct Sum final : Questions {
  Index modulus = 10;
  void visit(OptionVisitor& v) { v.integer("modulus", modulus, between(2, 10), "different digits"); }

  std::string name() const override { return "sum"; }
  std::string summary() const override {
    return "the sum of n digits modulo their number (Kazemnejad et al. 2023)";
  }
  std::string alphabet() const override { return digits(modulus); }
  Exercise draw(Random& random, Index n) const override { return modular_sum(random, n, modulus); }
};

struct Parity final : Questions {
  std::string name() const override { return "parity"; }
  std::string summary() const override {
    return "whether the number of ones among n bits is odd (Kazemnejad et al. 2023)";
  }
  std::string alphabet() const override { return "01"; }
  Exercise draw(Random& random, Index n) const override { return modular_sum(random, n, 2); }
};

}  // namespace

TaskEntry sum_task() {
  return answer_task<Sum>(
      R"(The prompt is n digits, each any below `modulus`; the answer is their sum modulo that number.)");
}

TaskEntry parity_task() {
  return answer_task<Parity>(
      R"(The prompt is n bits; the answer is 1 if the number of ones is odd, else 0.)");
}

}  // namespace ordinal::experiments
