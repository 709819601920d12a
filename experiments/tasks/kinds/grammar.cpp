// order ("the cat ate the mouse" or "the mouse ate the cat"), agreement, pronoun and negation: the answer depends on which
// of several words is where. Words in between mislead a reader who ignores order or grammar.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

struct Words {
  Index names = 8;
  Index words = 8;
  void visit(OptionVisitor& v) {
    v.integer("names", names, between(2, 26), "different names");
    v.integer("words", words, between(1, 26), "different words around them");
  }
};

Exercises order(const Words& options) {
  return {
      .name = "order",
      .summary = "which of two names came first among n words",
      .definition =
          R"(Drawn are two different names (the second any of the rest), the place of the first, any of n + 2, and that
of the second, any of the rest. The prompt is n + 2 symbols: the names at their places, and any words, a,
b, …, everywhere else. The answer is the name that stands first.)",
      .alphabet = letters(options.words) + capitals(options.names),
      .prompt_length = [](Index n) { return n + 2; },
      .draw =
          [options](Random& random, Index n) {
            std::string names = capitals(options.names);
            const char cat = take_symbol(random, names);
            const char mouse = draw_symbol(random, names);
            const Index cat_at = draw_index(random, n + 2);
            Index mouse_at = draw_index(random, n + 1);
            if (mouse_at >= cat_at) ++mouse_at;
            std::string prompt;
            for (Index i = 0; i < n + 2; ++i) {
              const bool is_name = i == cat_at || i == mouse_at;
              prompt += !is_name ? draw_symbol(random, letters(options.words)) : i == cat_at ? cat : mouse;
            }
            return Exercise{prompt, {cat_at < mouse_at ? cat : mouse}};
          }};
}

// The verb does not agree with nouns after prepositions.
Exercises agreement(const NoOptions& /*none*/) {
  return {
      .name = "agreement",
      .summary = "a verb in the number of its subject, with up to n - 1 other nouns between",
      .definition =
          R"(Nouns are a … h (singular) and A … H (plural). The prompt is k phrases of two adverbs (any of wxyz), k any
of 0 … n-1; then t (the) and any noun, the subject; then n-1-k phrases of a preposition (any of ijkl) and
any noun. The answer is the verb: r if the subject is singular, R if it is plural.)",
      .alphabet = "abcdefghABCDEFGHwxyzijkltrR",
      .prompt_length = [](Index n) { return 2 * n; },
      .draw =
          [](Random& random, Index n) {
            const std::string_view nouns = "abcdefghABCDEFGH";
            const Index before = draw_index(random, n);
            std::string prompt = draw_symbols(random, 2 * before, "wxyz");
            const char subject = draw_symbol(random, nouns);
            prompt += 't';
            prompt += subject;
            while (std::ssize(prompt) < 2 * n) {
              prompt += draw_symbol(random, "ijkl");
              prompt += draw_symbol(random, nouns);
            }
            return Exercise{prompt, nouns.find(subject) < 8 ? "r" : "R"};
          }};
}

Exercises pronoun(const NoOptions& /*none*/) {
  return {
      .name = "pronoun",
      .summary = "the name that a pronoun stands for: the last one of its gender among n",
      .definition =
          R"(Names are A … H (women) and I … P (men). Drawn are the pronoun, s (she, 0) or h (he, 1), and the place,
any of n. The prompt is n phrases of a name and a verb (any of vwxyz), and then the pronoun: before the
place any name of all, at the place any of the pronoun's gender, after it any of the other gender. The
answer is the name at the place, the last one of its gender.)",
      .alphabet = "ABCDEFGHIJKLMNOPvwxyzsh",
      .prompt_length = [](Index n) { return 2 * n + 1; },
      .draw =
          [](Random& random, Index n) {
            const std::string_view everybody = "ABCDEFGHIJKLMNOP";
            const std::string_view women = everybody.substr(0, 8);
            const std::string_view men = everybody.substr(8);
            const bool she = draw_index(random, 2) == 0;
            const std::string_view same = she ? women : men;
            const std::string_view other = she ? men : women;
            const Index place = draw_index(random, n);
            std::string prompt;
            for (Index i = 0; i < n; ++i) {
              prompt += draw_symbol(random, i < place ? everybody : i == place ? same : other);
              prompt += draw_symbol(random, "vwxyz");
            }
            return Exercise{prompt + (she ? 's' : 'h'),
                            prompt.substr(static_cast<std::size_t>(2 * place), 1)};
          }};
}

// A negation applies to the word after it, not to the one before.
Exercises negation(const NoOptions& /*none*/) {
  return {
      .name = "negation",
      .summary = "whether a word is negated, among n words of which each is or is not",
      .definition =
          R"(Words are a … p. Drawn are the word that is asked and its place, any of n. The prompt is n phrases of +
(does) or - (does not) and a word, and then the word that is asked: it stands at its place, any of the
other words elsewhere. The answer is the sign before it.)",
      .alphabet = letters(16) + "+-",
      .prompt_length = [](Index n) { return 2 * n + 1; },
      .draw =
          [](Random& random, Index n) {
            std::string others = letters(16);
            const char asked = take_symbol(random, others);
            const Index place = draw_index(random, n);
            std::string prompt;
            for (Index i = 0; i < n; ++i) {
              prompt += draw_symbol(random, "+-");
              prompt += i == place ? asked : draw_symbol(random, others);
            }
            return Exercise{prompt + asked, prompt.substr(static_cast<std::size_t>(2 * place), 1)};
          }};
}

}  // namespace

std::vector<TaskEntry> grammar_tasks() {
  return {answer_task(order), answer_task(agreement), answer_task(pronoun), answer_task(negation)};
}

}  // namespace ordinal::experiments
