// Strings in another order or doubled, and arithmetic on long binary numbers. Encoder tasks of Delétang et al. 2023
// (interlocked_pairing: only of its code) and Ruoss et al. 2023.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Digits {
  Index symbols = 2;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(2, 10), "different symbols"); }
};

struct FiveDigits : Digits {
  FiveDigits() { symbols = 5; }
};

Exercises reverse_string(const Digits& options) {
  return {
      .name = "reverse_string",
      .summary = "n symbols from the last to the first (Delétang et al. 2023)",
      .definition =
          R"(The input is n digits, each any below `symbols`; the answer is the same from the last to the first.)",
      .layout = Layout::tape,
      .alphabet = digits(options.symbols),
      .answer_length = as_n,
      .draw = any_of(digits(options.symbols), reversed)};
}

Exercises duplicate_string(const Digits& options) {
  return {.name = "duplicate_string",
          .summary = "n symbols, twice (Delétang et al. 2023)",
          .definition = R"(The input is n digits, each any below `symbols`; the answer is the same twice.)",
          .layout = Layout::tape,
          .alphabet = digits(options.symbols),
          .answer_length = [](Index n) { return 2 * n; },
          .draw = any_of(digits(options.symbols), [](const std::string& text) { return text + text; })};
}

Exercises missing_duplicate(const NoOptions& /*none*/) {
  return {
      .name = "missing_duplicate",
      .summary = "the missing bit of a string that is there twice (Delétang et al. 2023)",
      .definition =
          R"(The input is ⌊n/2⌋ bits twice, in which one symbol, any, is replaced by 2; an odd n is filled up with a 3
at the end. The answer is the bit that was replaced. At length 1 input and answer are 1.)",
      .layout = Layout::tape,
      .alphabet = digits(4),
      .draw = [](Random& random, Index n) {
        if (n == 1) return Exercise{"1", "1"};
        const std::string half = draw_symbols(random, n / 2, "01");
        std::string twice = half + half;
        char& missing = twice[static_cast<std::size_t>(draw_index(random, std::ssize(twice)))];
        const std::string answer = {missing};
        missing = '2';
        return Exercise{n % 2 == 0 ? twice : twice + '3', answer};
      }};
}

Exercises odds_first(const Digits& options) {
  return {
      .name = "odds_first",
      .summary = "the first, third, … of n symbols, then the second, fourth, … (Delétang et al. 2023)",
      .definition =
          R"(The input is n digits, each any below `symbols`; the answer is the first, third, fifth, … of them, then
the second, fourth, …, as in the paper. (Its code writes the second, fourth, … first.))",
      .layout = Layout::tape,
      .alphabet = digits(options.symbols),
      .answer_length = as_n,
      .draw = any_of(digits(options.symbols), [](const std::string& text) {
        std::string odd;
        std::string even;
        for (std::size_t i = 0; i < text.size(); ++i) (i % 2 == 0 ? odd : even) += text[i];
        return odd + even;
      })};
}

constexpr Index longest_number = 10'000;  // multiplication and square root take quadratic time

// Bits from the lowest to the highest.
using Bits = std::vector<int>;

Bits bits_of(const std::string& text) {
  Bits bits;
  for (const char symbol : text) bits.push_back(symbol - '0');
  return bits;
}

// At least `width` bits, but else no zeros at the end.
std::string text_of(const Bits& bits, Index width) {
  std::string text;
  for (const int bit : bits) text += static_cast<char>('0' + bit);
  text.resize(std::max(text.find_last_of('1') + 1, static_cast<std::size_t>(width)), '0');
  return text;
}

// Makes bits of Σ counts[i] 2^i, where counts are any whole numbers. Returns what exceeds them: below 0 if the sum is.
int carry(Bits& counts) {
  int carried = 0;
  for (int& count : counts) {
    count += carried;
    carried = count >> 1;
    count &= 1;
  }
  return carried;
}

Bits sum_of(Bits a, const Bits& b) {
  a.resize(std::max(a.size(), b.size()) + 1);
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  carry(a);
  return a;
}

Bits product_of(const Bits& a, const Bits& b) {
  Bits product(a.size() + b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += b[j];
  }
  carry(product);
  return product;
}

// Longhand, from the highest bit r to the lowest: bit i is 1 if (r + 2^i)² - r² = 2^(i+1) r + 2^2i fits into the rest.
Bits square_root(Bits rest) {
  Bits root((rest.size() + 1) / 2);
  rest.resize(2 * root.size());
  for (std::size_t i = root.size(); i-- > 0;) {
    Bits left = rest;
    --left[2 * i];
    for (std::size_t j = i + 1; j < root.size(); ++j) left[i + 1 + j] -= root[j];
    if (carry(left) < 0) continue;
    root[i] = 1;
    rest = std::move(left);
  }
  return root;
}

// A number from 1 … 2^n - 1, each as likely, as n bits in the order drawn.
std::string draw_positive(Random& random, Index n) {
  std::string bits;
  do bits = draw_symbols(random, n, "01");
  while (bits.find('1') == std::string::npos);
  return bits;
}

// a2b, from the lowest bit to the highest; at lengths 1 and 2 only a, any of 0 … 2^n - 2. Its answer has at least `width` bits.
Exercise draw_operands(Random& random, Index n, Index width,
                       const std::function<Bits(Bits, Bits)>& operation) {
  std::string a;
  std::string b;
  if (n <= 2) {
    const auto number = static_cast<int>(draw_index(random, (Index{1} << n) - 1));
    a = text_of({number & 1, number >> 1}, n);
  } else {
    const Index first = 1 + draw_index(random, n - 2);
    a = draw_positive(random, first);
    b = draw_positive(random, n - 1 - first);
  }
  return {n <= 2 ? a : a + '2' + b, text_of(operation(bits_of(a), bits_of(b)), width) + '2'};
}

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

Exercises binary_addition(const NoOptions& /*none*/) {
  return {.name = "binary_addition",
          .summary = "the sum of two binary numbers (Delétang et al. 2023)",
          .definition = fmt::format("{}The answer is the sum (of one number, itself; of zero, a 0){}",
                                    operands, terminated),
          .layout = Layout::tape,
          .alphabet = "012",
          .answer_length = [](Index n) { return n + 1; },
          .longest = longest_number,
          .draw = [](Random& random, Index n) { return draw_operands(random, n, 1, sum_of); }};
}

Exercises binary_multiplication(const NoOptions& /*none*/) {
  return {.name = "binary_multiplication",
          .summary = "the product of two binary numbers (Delétang et al. 2023)",
          .definition =
              fmt::format("{}The answer is the product (2 or 02 at lengths 1 and 2){}", operands, terminated),
          .layout = Layout::tape,
          .alphabet = "012",
          .answer_length = as_n,
          .longest = longest_number,
          .draw = [](Random& random, Index n) {
            return draw_operands(random, n, std::min<Index>(n - 1, 1), product_of);
          }};
}

Exercises compute_sqrt(const NoOptions& /*none*/) {
  return {
      .name = "compute_sqrt",
      .summary = "the square root of a binary number, rounded down (Delétang et al. 2023)",
      .definition =
          R"(The input is a number of n bits from the highest to the lowest, any but zero: its bits are drawn, and all
again if they are zeros. The answer is its square root, rounded down, with ⌈n/2⌉ bits.)",
      .layout = Layout::tape,
      .alphabet = "01",
      .answer_length = [](Index n) { return (n + 1) / 2; },
      .longest = longest_number,
      .draw =
          [](Random& random, Index n) {
            const std::string number = draw_positive(random, n);
            return Exercise{number, reversed(text_of(square_root(bits_of(reversed(number))), (n + 1) / 2))};
          }};
}

Exercises bucket_sort(const FiveDigits& options) {
  return {
      .name = "bucket_sort",
      .summary = "n symbols in ascending order (Delétang et al. 2023)",
      .definition =
          R"(The input is n digits, each any below `symbols`; the answer is the same in ascending order.)",
      .layout = Layout::tape,
      .alphabet = digits(options.symbols),
      .answer_length = as_n,
      .draw = any_of(digits(options.symbols), sorted)};
}

Exercises interlocked_pairing(const NoOptions& /*none*/) {
  return {
      .name = "interlocked_pairing",
      .summary = "of two runs of equal bits, the same and then its complement (Delétang et al. 2023)",
      .definition =
          R"(The first bit is any, and repeated k times, k any of 1 … n-1; the input is that and the other bit n-k
times (at length 1, only the first bit). The answer is the input and then its complement: 0^k 1^n 0^(n-k)
or 1^k 0^n 1^(n-k).)",
      .layout = Layout::tape,
      .alphabet = "01",
      .answer_length = [](Index n) { return 2 * n; },
      .draw =
          [](Random& random, Index n) {
            const char bit = draw_symbol(random, "01");
            const char other = bit == '0' ? '1' : '0';
            const Index first = n == 1 ? 1 : 1 + draw_index(random, n - 1);
            const std::string text = repeated(first, bit) + repeated(n - first, other);
            return Exercise{text, text + repeated(first, other) + repeated(n - first, bit)};
          }};
}

}  // namespace

std::vector<TaskEntry> strings_tasks() {
  return {answer_task(reverse_string), answer_task(duplicate_string), answer_task(missing_duplicate),
          answer_task(odds_first),     answer_task(binary_addition),  answer_task(binary_multiplication),
          answer_task(compute_sqrt),   answer_task(bucket_sort),      answer_task(interlocked_pairing)};
}

}  // namespace ordinal::experiments
