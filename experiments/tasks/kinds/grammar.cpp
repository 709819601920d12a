// agreement, pronoun and negation: small grammars in which a word depends on another one that stands before it, with
// words between that attract a reader who ignores order or grammar.
#include "experiments/tasks/answer_task.h"

namespace ordinal::experiments {
namespace {

// The verb agrees with its subject, the noun after the article, not with nouns after prepositions.
struct Agreement final : Questions {
  std::string name() const override { return "agreement"; }
  std::string summary() const override {
    return "a verb in the number of its subject, with up to n - 1 other nouns between";
  }
  std::string alphabet() const override { return nouns() + adverbs + prepositions + "trR"; }
  Index prompt_length(Index n) const override { return 2 * n; }
  Exercise draw(Random& random, Index n) const override {
    const Index before = draw_index(random, n);
    std::string prompt = draw_symbols(random, 2 * before, adverbs);
    const char subject = draw_symbol(random, nouns());
    prompt += 't';
    prompt += subject;
    while (std::ssize(prompt) < 2 * n) {
      prompt += draw_symbol(random, prepositions);
      prompt += draw_symbol(random, nouns());
    }
    return {prompt, letters(each).find(subject) == std::string::npos ? "R" : "r"};
  }

 private:
  static constexpr Index each = 8;  // nouns in the singular and in the plural
  static constexpr const char* adverbs = "wxyz";
  static constexpr const char* prepositions = "ijkl";
  static std::string nouns() { return letters(each) + capitals(each); }
};

// A pronoun stands for the last name of its gender.
struct Pronoun final : Questions {
  std::string name() const override { return "pronoun"; }
  std::string summary() const override {
    return "the name that a pronoun stands for: the last one of its gender among n";
  }
  std::string alphabet() const override { return std::string(women) + men + verbs + "sh"; }
  Index prompt_length(Index n) const override { return 2 * n + 1; }
  Exercise draw(Random& random, Index n) const override {
    const bool she = draw_index(random, 2) == 0;
    const Index place = draw_index(random, n);
    std::string prompt;
    for (Index i = 0; i < n; ++i) {
      const std::string same = she ? women : men;
      const std::string other = she ? men : women;
      const std::string everybody = std::string(women) + men;
      prompt += draw_symbol(random, i < place ? everybody : i == place ? same : other);
      prompt += draw_symbol(random, verbs);
    }
    return {prompt + (she ? 's' : 'h'), prompt.substr(static_cast<std::size_t>(2 * place), 1)};
  }

 private:
  static constexpr const char* women = "ABCDEFGH";
  static constexpr const char* men = "IJKLMNOP";
  static constexpr const char* verbs = "vwxyz";
};

// A negation applies to the word after it, not to the one before.
struct Negation final : Questions {
  std::string name() const override { return "negation"; }
  std::string summary() const override {
    return "whether a word is negated, among n words of which each is or is not";
  }
  std::string alphabet() const override { return letters(words) + "+-"; }
  Index prompt_length(Index n) const override { return 2 * n + 1; }
  Exercise draw(Random& random, Index n) const override {
    std::string others = letters(words);
    const char asked = draw_symbol(random, others);
    std::erase(others, asked);
    const Index place = draw_index(random, n);
    std::string prompt;
    for (Index i = 0; i < n; ++i) {
      prompt += draw_symbol(random, "+-");
      prompt += i == place ? asked : draw_symbol(random, others);
    }
    return {prompt + asked, prompt.substr(static_cast<std::size_t>(2 * place), 1)};
  }

 private:
  static constexpr Index words = 16;
};

}  // namespace

TaskEntry agreement_task() {
  return answer_task<Agreement>(
      R"(Nouns are a … h (singular) and A … H (plural). The prompt is k phrases of two adverbs (any of wxyz), k any
of 0 … n-1; then t (the) and any noun, the subject; then n-1-k phrases of a preposition (any of ijkl) and
any noun. The answer is the verb: r if the subject is singular, R if it is plural.)");
}

TaskEntry pronoun_task() {
  return answer_task<Pronoun>(
      R"(Names are A … H (women) and I … P (men). Drawn are the pronoun, s (she, 0) or h (he, 1), and the place,
any of n. The prompt is n phrases of a name and a verb (any of vwxyz), and then the pronoun: before the
place any name of all, at the place any of the pronoun's gender, after it any of the other gender. The
answer is the name at the place, the last one of its gender.)");
}

TaskEntry negation_task() {
  return answer_task<Negation>(
      R"(Words are a … p. Drawn are the word that is asked and its place, any of n. The prompt is n phrases of +
(does) or - (does not) and a word, and then the word that is asked: it stands at its place, any of the
other words elsewhere. The answer is the sign before it.)");
}

}  // namespace ordinal::experiments
