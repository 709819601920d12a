// copy, reverse, copy_repeat, replace and sort: read letters and write letters (Kazemnejad et al. 2023). The answer of
// copy_repeat and replace is one letter, as often as in the prompt, so only its length must be transferred. mode asks for
// one letter, bin_majority for one digit, and count for all letters between two (Zhou et al. 2023).
#include <algorithm>

#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Letters {
  Index symbols = 16;
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(3, 26), "different letters"); }
};

// The layout of Huang et al. 2024: examples of several lengths in a batch, between marks.
struct Framing {
  Index range = 1;
  bool framed = false;
  void visit(OptionVisitor& v) {
    v.integer("range", range, between(1, longest_prompt),
              "an example of length n has any of n - range + 1 … n letters, and padding after its answer");
    v.flag("framed", framed, "^ before the prompt, and an end after an answer of one letter, too");
  }
  Exercises of(Exercises exercises) const {
    exercises.range = range;
    exercises.framed = framed;
    if (framed) exercises.coupled = {};
    return exercises;
  }
};

struct CopiedLetters {
  Index symbols = 16;
  bool unique = false;
  Framing framing = {};
  void visit(OptionVisitor& v) {
    v.integer("symbols", symbols, between(2, 156),
              "different letters: a to z, then A to Z, 0 to 9, and ¡ to ÿ of Latin-1");
    v.flag("unique", unique, "no letter occurs twice in a prompt");
    framing.visit(v);
  }
  Index longest() const { return unique ? symbols : longest_prompt; }
  // n of the letters.
  std::string draw(Random& random, Index n) const {
    std::string rest = letters(symbols);
    std::string text;
    for (Index i = 0; i < n; ++i) text += unique ? take_symbol(random, rest) : draw_symbol(random, rest);
    return text;
  }
};

struct FramedLetters {
  Index symbols = 16;
  Framing framing = {};
  void visit(OptionVisitor& v) {
    v.integer("symbols", symbols, between(3, 26), "different letters");
    framing.visit(v);
  }
};

Exercises copy(const CopiedLetters& options) {
  return options.framing.of(
      {.name = "copy",
       .summary = "read n letters and write them again (Kazemnejad et al. 2023)",
       .definition =
           R"(The prompt is n letters, each any of `symbols`, or with `unique` any of those that are not in it
yet; the answer is the same letters. With ids = coupled, a letter and its copy share a number c: 2, 3, … from the
first letter, and 1 for the separator.)",
       .alphabet = letters(options.symbols),
       .answer_length = as_n,
       .longest = options.longest(),
       .draw =
           [options](Random& random, Index n) {
             const std::string text = options.draw(random, n);
             return Exercise{text, text};
           },
       .coupled = [](Index n, Index i) { return i < n ? i + 2 : i - n + 1; }});
}

Exercises reverse(const Letters& options) {
  return {
      .name = "reverse",
      .summary = "read n letters and write them from the last to the first",
      .definition =
          R"(The prompt is n letters, each any of `symbols`; the answer is the same letters from the last to the
first. With ids = coupled, a letter and its copy share a number c: 2, 3, … n + 1 from the first letter of the
prompt, and n + 2 for the separator.)",
      .alphabet = letters(options.symbols),
      .answer_length = as_n,
      .draw = any_of(letters(options.symbols), reversed),
      .coupled = [](Index n, Index i) { return i <= n ? i + 2 : 2 * n + 2 - i; }};
}

Exercises copy_repeat(const Letters& options) {
  return {.name = "copy_repeat",
          .summary = "read one letter n times and write it n times (Kazemnejad et al. 2023)",
          .definition =
              R"(The prompt is n times the same letter, any of `symbols`; the answer is the same letters.)",
          .alphabet = letters(options.symbols),
          .answer_length = as_n,
          .draw = [all = letters(options.symbols)](Random& random, Index n) {
            const std::string text = repeated(n, draw_symbol(random, all));
            return Exercise{text, text};
          }};
}

Exercises replace(const Letters& options) {
  return {
      .name = "replace",
      .summary = "read one letter n times and write another one n times (Kazemnejad et al. 2023)",
      .definition =
          R"(The prompt is n times the same letter, any of `symbols`, then > and another letter, any of the rest in
their order; the answer is n times that letter.)",
      .alphabet = letters(options.symbols) + ">",
      .prompt_length = [](Index n) { return n + 2; },
      .answer_length = as_n,
      .draw =
          [all = letters(options.symbols)](Random& random, Index n) {
            std::string others = all;
            const char old_letter = take_symbol(random, others);
            const char new_letter = draw_symbol(random, others);
            return Exercise{repeated(n, old_letter) + '>' + new_letter, repeated(n, new_letter)};
          }};
}

Exercises sort(const CopiedLetters& options) {
  return options.framing.of(
      {.name = "sort",
       .summary = "read n letters and write them in alphabetical order (Kazemnejad et al. 2023)",
       .definition =
           R"(The prompt is n letters, each any of `symbols`, or with `unique` any of those that are not in it
yet; the answer is the same letters in alphabetical order, which is that of their tokens.)",
       .alphabet = letters(options.symbols),
       .answer_length = as_n,
       .longest = options.longest(),
       .draw = [options, all = letters(options.symbols)](Random& random, Index n) {
         const std::string text = options.draw(random, n);
         std::string in_order = text;
         std::ranges::sort(in_order, {}, [&](char letter) { return all.find(letter); });
         return Exercise{text, in_order};
       }});
}

// The most frequent letter, or 0 for a tie.
char most_frequent(const std::string& text, const std::string& all) {
  char found = 0;
  std::ptrdiff_t most = 0;
  for (const char letter : all) {
    const auto count = std::ranges::count(text, letter);
    if (count >= most) found = count > most ? letter : char{0};
    most = std::max(most, count);
  }
  return found;
}

Exercises mode(const FramedLetters& options) {
  return options.framing.of(
      {.name = "mode",
       .summary = "the most frequent of n letters (Zhou et al. 2023)",
       .definition =
           R"(The prompt is n letters, each any of `symbols`, and all are drawn again until one is more frequent than
any other; the answer is that letter.)",
       .alphabet = letters(options.symbols),
       .draw = [all = letters(options.symbols)](Random& random, Index n) {
         std::string text;
         do text = draw_symbols(random, n, all);
         while (most_frequent(text, all) == 0);
         return Exercise{text, {most_frequent(text, all)}};
       }});
}

Exercises bin_majority(const Framing& framing) {
  return framing.of(
      {.name = "bin_majority",
       .summary = "the more frequent of two digits (Huang et al. 2024)",
       .definition =
           R"(The prompt is n digits 0 and 1. The number of zeros is any of 0 … n, drawn again while there are as many
ones, and their order is any; the answer is the more frequent digit.)",
       .alphabet = digits(2),
       .draw = [](Random& random, Index n) {
         Index zeros = 0;
         do zeros = draw_index(random, n + 1);
         while (2 * zeros == n);
         std::string text = repeated(zeros, '0') + repeated(n - zeros, '1');
         for (Index i = n; i > 1; --i)  // Fisher and Yates
           std::swap(text[static_cast<std::size_t>(i - 1)],
                     text[static_cast<std::size_t>(draw_index(random, i))]);
         return Exercise{text, {2 * zeros > n ? '0' : '1'}};
       }});
}

struct Run {
  Index symbols = 62;
  void visit(OptionVisitor& v) {
    v.integer("symbols", symbols, between(3, 62), "different letters: a to z, then A to Z, then 0 to 9");
  }
};

Exercises count(const Run& options) {
  return {
      .name = "count",
      .summary = "all letters from the first to the last of a run of n (Zhou et al. 2023)",
      .definition =
          R"(A run is n letters that follow each other in a … z, A … Z, 0 … 9, of which the first `symbols` are used; its
first letter is any that leaves room for it. The prompt is the first and the last letter of the run; the
answer is the whole run.)",
      .alphabet = letters(options.symbols),
      .prompt_length = [](Index) -> Index { return 2; },
      .answer_length = as_n,
      .longest = options.symbols,
      .draw =
          [all = letters(options.symbols)](Random& random, Index n) {
            const Index first = draw_index(random, std::ssize(all) - n + 1);
            const std::string run = all.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
            return Exercise{{run.front(), run.back()}, run};
          }};
}

}  // namespace

std::vector<TaskEntry> letters_tasks() {
  return {answer_task(copy), answer_task(reverse), answer_task(copy_repeat),  answer_task(replace),
          answer_task(sort), answer_task(mode),    answer_task(bin_majority), answer_task(count)};
}

}  // namespace ordinal::experiments
