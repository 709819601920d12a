// binary_addition, binary_multiplication and compute_sqrt: arithmetic of long binary numbers. Encoder tasks of
// Delétang et al. 2023 and Ruoss et al. 2023.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

constexpr Index longest_number = 10'000;  // multiplication and square root take quadratic time

// Bits from the lowest to the highest; zero is empty.
using Bits = std::vector<int>;

Bits trimmed_bits(Bits bits) {
  while (!bits.empty() && bits.back() == 0) bits.pop_back();
  return bits;
}

Bits bits_of(const std::string& text) {
  Bits bits;
  for (const char symbol : text) bits.push_back(symbol - '0');
  return trimmed_bits(bits);
}

// With zeros up to `width`.
std::string text_of(const Bits& bits, std::size_t width) {
  std::string text;
  for (const int bit : bits) text += static_cast<char>('0' + bit);
  return text.size() < width ? text + std::string(width - text.size(), '0') : text;
}

// Σ counts[i] 2^i as bits, where counts may exceed 1.
Bits carried(Bits counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 2) continue;
    if (i + 1 == counts.size()) counts.push_back(0);
    counts[i + 1] += counts[i] / 2;
    counts[i] %= 2;
  }
  return trimmed_bits(counts);
}

Bits sum_of(const Bits& a, const Bits& b) {
  Bits sum(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += a[i];
  for (std::size_t i = 0; i < b.size(); ++i) sum[i] += b[i];
  return carried(sum);
}

Bits product_of(const Bits& a, const Bits& b) {
  Bits product(a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += b[j];
  }
  return carried(product);
}

bool less(const Bits& a, const Bits& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::ranges::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

// a - b, a at least b.
Bits difference_of(Bits a, const Bits& b) {
  for (std::size_t i = 0, borrow = 0; i < a.size(); ++i) {
    const int bit = a[i] - (i < b.size() ? b[i] : 0) - static_cast<int>(borrow);
    borrow = bit < 0 ? 1 : 0;
    a[i] = bit + static_cast<int>(2 * borrow);
  }
  return trimmed_bits(a);
}

void shift(Bits& bits, const Bits& below) { bits.insert(bits.begin(), below.begin(), below.end()); }

// By hand: two bits of the number give one of the root, from the highest to the lowest. With the root r of what was
// read so far and the rest s, the next bit is 1 if 4r + 1 fits into 4s + the next two bits.
Bits square_root(const Bits& number) {
  Bits root;
  Bits rest;
  for (std::size_t i = (number.size() + 1) / 2; i-- > 0;) {
    shift(rest, {number[2 * i], 2 * i + 1 < number.size() ? number[2 * i + 1] : 0});
    rest = trimmed_bits(rest);
    Bits step = root;
    shift(step, {1, 0});
    step = trimmed_bits(step);
    const bool fits = !less(rest, step);
    if (fits) rest = difference_of(rest, step);
    shift(root, {fits ? 1 : 0});
    root = trimmed_bits(root);
  }
  return root;
}

// Any of 1 … 2^n - 1, as n bits from the first drawn to the last.
std::string positive(Random& random, Index n) {
  std::string bits;
  do bits = draw_symbols(random, n, "01");
  while (bits.find('1') == std::string::npos);
  return bits;
}

// a2b, from the lowest bit to the highest, and the result; or what is there without an operation.
struct BinaryExercises : Exercises {
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return "012"; }
  Index longest() const override { return longest_number; }

 protected:
  using Operation = std::function<Bits(const Bits&, const Bits&)>;
  static Exercise drawn(Random& random, Index n, const Operation& operation) {
    const Index first = 1 + draw_index(random, n - 2);
    const std::string a = positive(random, first);
    const std::string b = positive(random, n - 1 - first);
    return {a + '2' + b, text_of(operation(bits_of(a), bits_of(b)), 0) + '2'};
  }
  // For n of 1 and 2: any of 0 … 2^n - 2.
  static std::string small(Random& random, Index n) {
    const Index value = draw_index(random, (Index{1} << n) - 1);
    return text_of(carried({static_cast<int>(value)}), static_cast<std::size_t>(n));
  }
};

struct BinaryAddition final : BinaryExercises {
  std::string name() const override { return "binary_addition"; }
  std::string summary() const override { return "the sum of two binary numbers (Delétang et al. 2023)"; }
  Index answer_length(Index n) const override { return n + 1; }
  Exercise draw(Random& random, Index n) const override {
    if (n > 2) return drawn(random, n, sum_of);
    const std::string number = small(random, n);
    return {number, text_of(bits_of(number), 1) + '2'};
  }
};

struct BinaryMultiplication final : BinaryExercises {
  std::string name() const override { return "binary_multiplication"; }
  std::string summary() const override { return "the product of two binary numbers (Delétang et al. 2023)"; }
  Index answer_length(Index n) const override { return n; }
  Exercise draw(Random& random, Index n) const override {
    if (n > 2) return drawn(random, n, product_of);
    return {small(random, n), n == 1 ? "2" : "02"};
  }
};

struct ComputeSqrt final : Exercises {
  std::string name() const override { return "compute_sqrt"; }
  std::string summary() const override {
    return "the square root of a binary number, rounded down (Delétang et al. 2023)";
  }
  Layout layout() const override { return Layout::tape; }
  std::string alphabet() const override { return "01"; }
  Index answer_length(Index n) const override { return (n + 1) / 2; }
  Index longest() const override { return longest_number; }
  Exercise draw(Random& random, Index n) const override {
    const std::string number = positive(random, n);
    const Bits root = square_root(bits_of({number.rbegin(), number.rend()}));
    const std::string answer = text_of(root, static_cast<std::size_t>(answer_length(n)));
    return {number, {answer.rbegin(), answer.rend()}};
  }
};

const std::string_view operands =
    R"(The input is two numbers with a 2 between them. The first has k bits, k any of 1 … n-2, the second n-1-k; each
is any but zero: its bits are drawn, and all again if they are zeros. Bits stand from the lowest to the
highest. At lengths 1 and 2 the input is one number of n bits, any of 0 … 2^n - 2: always 0 at length 1. (So
draws the paper's code, which leaves out the number of ones alone.)
)";

const std::string_view terminated =
    R"( without zeros behind its
highest bit, and a 2; nothing is asked of the empty tokens after that. (In the paper they are to be 0 in
training, and do not count in the test.))";

}  // namespace

TaskEntry binary_addition_task() {
  return answer_task<BinaryAddition>(
      fmt::format("{}The answer is the sum (of one number, itself; of zero, a 0){}", operands, terminated));
}

TaskEntry binary_multiplication_task() {
  return answer_task<BinaryMultiplication>(
      fmt::format("{}The answer is the product (2 or 02 at lengths 1 and 2){}", operands, terminated));
}

TaskEntry compute_sqrt_task() {
  return answer_task<ComputeSqrt>(
      R"(The input is a number of n bits from the highest to the lowest, any but zero: its bits are drawn, and all
again if they are zeros. The answer is its square root, rounded down, with ⌈n/2⌉ bits.)");
}

}  // namespace ordinal::experiments
