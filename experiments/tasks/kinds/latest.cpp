// latest: which of the letters of a name stood last? Only order tells: each name has v letters of its own, which stand once each
// and in random order, between letters of other names. Then the name is asked, and the last of its letters is the answer.
//
// Until a name is asked, the order of its letters is any of v!, each as likely, whatever else is known. So every reader that ignores
// order is right in exactly 1/v of the questions, at every length and distance. Distances are drawn evenly by octave: in
// a document longer than the training length, some sources lie within that length and some beyond it.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

constexpr std::string_view all_letters = "abcdefghijklmnopqrstuvwxyz0123456789";

struct LatestOptions {
  Index names = 7;
  Index letters = 5;
  Index octaves = 7;
  void visit(OptionVisitor& v) {
    v.integer("names", names, between(2, 18), "different names");
    v.integer(
        "letters", letters, between(2, 18),
        "letters of each name: with v of them, a reader that ignores order is right in 1/v of the questions");
    v.integer("octaves", octaves, between(1, 16),
              "a question comes 1, 2-3, 4-7, …, up to 2^octaves - 1 tokens later, each range as likely");
  }
};

// Writes one document, and labels each answer.
class LatestAuthor {
 public:
  LatestAuthor(Random& random, Random& readers, const LatestOptions& options)
      : random_(random), readers_(readers), octaves_(options.octaves) {
    const auto each = static_cast<std::size_t>(options.letters);
    for (std::size_t i = 0; i < static_cast<std::size_t>(options.names); ++i) {
      const std::string own{all_letters.substr(i * each, each)};
      names_.push_back({capitals(26)[i], own, own, std::vector<Index>(each)});
    }
  }

  Exercise write(Index n) {
    while (std::ssize(text_) <= n) {
      if (Name* const asked = due()) {
        ask(*asked);
      } else {
        add_letter();
      }
    }
    return beginning_of(text_, n);
  }

 private:
  struct Name {
    char letter = 0;
    std::string letters;
    std::string left;         // its letters that have not stood since it was last asked; none: it waits
    std::vector<Index> seen;  // how often each of its letters has stood
    std::size_t last = 0;     // place of its last letter
    std::size_t due = 0;      // place of the next question

    bool waits() const { return left.empty(); }
  };

  // The name to ask now: the one whose question is due first, if it is due or all names wait.
  Name* due() {
    const auto waiting_first = [](const Name& a, const Name& b) {
      return std::pair(!a.waits(), a.due) < std::pair(!b.waits(), b.due);
    };
    Name& first = *std::ranges::min_element(names_, waiting_first);
    const bool is_due = first.due <= text_.size() || std::ranges::all_of(names_, &Name::waits);
    return first.waits() && is_due ? &first : nullptr;
  }

  void ask(Name& name) {
    text_.push_back({name.letter, {}});
    const char answer = text_[name.last].letter;
    const auto source = static_cast<Index>(text_.size() - name.last);
    text_.push_back({answer, {.token_class = 0, .source = source, .oracle_bits = 0.0}});
    guess(name.seen, seen_of(name, answer), readers_, text_.back().label);
    ++seen_of(name, answer);
    name.left = name.letters;
  }

  void add_letter() {
    std::vector<Name*> open;
    for (Name& name : names_) {
      if (!name.waits()) open.push_back(&name);
    }
    Name& name = *open[static_cast<std::size_t>(draw_index(random_, std::ssize(open)))];
    text_.push_back({take_symbol(random_, name.left), {}});
    ++seen_of(name, text_.back().letter);
    if (!name.waits()) return;
    name.last = text_.size() - 1;
    const Index octave = Index{1} << draw_index(random_, octaves_);
    name.due = text_.size() + static_cast<std::size_t>(octave + draw_index(random_, octave));
  }

  static Index& seen_of(Name& name, char letter) { return name.seen[name.letters.find(letter)]; }

  Random& random_;
  Random& readers_;
  Index octaves_;
  std::vector<Symbol> text_;
  std::vector<Name> names_;
};

// Of all answers past the training length.
MetricSpec answers(const std::string& id, Measure measure, SourceRange sources = SourceRange::any) {
  return {.id = id,
          .name = measure == Measure::bits ? "bits per answer" : "accuracy",
          .measure = measure,
          .token_class = 0,
          .sources = sources,
          .past = id != "accuracy",
          .headline = sources != SourceRange::any};
}

Exercises latest(const LatestOptions& options) {
  const auto total = static_cast<std::size_t>(options.names * options.letters);
  if (total > all_letters.size())
    throw ConfigError(fmt::format("task latest: {} names of {} letters need {} letters, expected at most {}",
                                  options.names, options.letters, total, all_letters.size()));
  return {
      .name = "latest",
      .summary = fmt::format(
          "which of the {} letters of each of {} names stood last, asked near and far; only order tells",
          options.letters, options.names),
      .definition =
          R"(A document holds names A, B, C, …, each with letters of its own: the first `letters` of a … z 0 … 9 belong to A,
the next to B, and so on. As long as a name is open, each of its letters comes once, in any order. After the last one
it waits for its question, which is the name followed by the answer, that last letter; then it is open again.
At the start all names are open. What comes next:
  a question  of the name that is due first (of several, the first name), if it is due, or if all names wait
  a letter    otherwise: any of the open names, then any of its letters that are left
The last letter of a name, at place p = 0, 1, …, draws an octave o, any of 1, 2, 4, …, 2^(octaves - 1), and a rest
r, any of 0 … o - 1: its question is due at place p + 1 + o + r.
Tokens are the letters of all names, then the names.
For example, with 2 names of 3 letters: dfabceAcabBecdfA…
Only answers are targets. The source of an answer is the place where that letter came last. A question is near if the
source lies within the training length, else far. Readers that ignore order: majority takes the letter of the name that
has stood most often, draw any of them, each time as likely; ties and draws are drawn with purpose "latest.readers".)",
      .layout = Layout::labels,
      .alphabet = std::string(all_letters.substr(0, total)) + capitals(options.names),
      .longest = longest_document,
      .beginning = "a",
      .metrics = {answers("accuracy.near", Measure::accuracy, SourceRange::within),
                  answers("accuracy.far", Measure::accuracy, SourceRange::beyond),
                  answers("accuracy.past", Measure::accuracy), answers("accuracy", Measure::accuracy),
                  answers("bits.past", Measure::bits)},
      .gate = {.metric = "accuracy.near", .threshold = 0.95},
      .write = [options](Random& random, Random& readers, Index n) {
        return LatestAuthor(random, readers, options).write(n);
      }};
}

}  // namespace

std::vector<TaskEntry> latest_tasks() { return {answer_task(latest)}; }

}  // namespace ordinal::experiments
