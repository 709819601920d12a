// latest: which of the letters of a name stood last? Only order tells: each name has v letters of its own, which stand once each
// and in random order, between letters of other names. Then the name is asked, and the last of its letters is the answer.
//
// Until a name is asked, the order of its letters is any of v!, each as likely, whatever else is known. So every reader that ignores
// order is right in exactly 1/v of the questions, at every length and distance. Distances are drawn evenly by octave. The option far
// keeps a few names waiting for far questions at all times, so that the others are asked as before in documents of any length.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

constexpr std::string_view all_letters = "abcdefghijklmnopqrstuvwxyz0123456789";

struct LatestOptions {
  Index names = 7;
  Index letters = 5;
  Index octaves = 7;
  Index nearest = 1;
  Index far = 0;
  Index far_names = 3;
  void visit(OptionVisitor& v) {
    v.integer("names", names, between(2, 18), "different names");
    v.integer(
        "letters", letters, between(2, 18),
        "letters of each name: with v of them, a reader that ignores order is right in 1/v of the questions");
    v.integer("octaves", octaves, between(1, 16),
              "a question comes 1, 2-3, 4-7, …, up to 2^octaves - 1 tokens later, each range as likely");
    v.integer("nearest", nearest, between(1, 16), "but not in the first nearest - 1 of these ranges");
    v.integer("far", far, between(0, 16),
              "far_names names at a time wait longer, 2^octaves to 2^(octaves + far) - 1 tokens; 0: none do");
    v.integer("far_names", far_names, between(1, 18), "with far > 0: how many");
  }
};

// Writes one document, and labels each answer.
class LatestAuthor {
 public:
  LatestAuthor(Random& random, Random& readers, const LatestOptions& options)
      : random_(random), readers_(readers), options_(options) {
    const auto each = static_cast<std::size_t>(options.letters);
    for (std::size_t i = 0; i < static_cast<std::size_t>(options.names); ++i) {
      const std::string own{all_letters.substr(i * each, each)};
      names_.push_back({capitals(26)[i], own, own, std::vector<Index>(each)});
    }
    if (options.far == 0) return;
    for (Index i = 0; i < options.far_names; ++i) send_away(*any_open());
  }

  Exercise write(Index n) {
    while (std::ssize(text_) <= n) {
      if (Name* const name = due()) {
        if (name->last) ask(*name);
        open(*name);
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
    std::optional<std::size_t> last = {};  // place of its last letter
    std::size_t due = 0;                   // place of the next question
    bool is_far = false;                   // whether it waits for a far question

    bool waits() const { return left.empty(); }
  };

  // The name to ask now: the one whose question is due first, if it is due or all names wait.
  Name* due() {
    const auto first = [&](auto key) -> Name& { return *std::ranges::min_element(names_, {}, key); };
    Name& next = first([](const Name& name) { return std::pair(!name.waits(), name.due); });
    if (next.waits() && next.due <= text_.size()) return &next;
    if (!std::ranges::all_of(names_, &Name::waits)) return nullptr;
    return &first([](const Name& name) { return std::pair(name.is_far, name.due); });
  }

  void ask(Name& name) {
    text_.push_back({name.letter, {}});
    const char answer = text_[*name.last].letter;
    const auto source = static_cast<Index>(text_.size() - *name.last);
    text_.push_back({answer, {.token_class = 0, .source = source, .oracle_bits = 0.0}});
    guess(name.seen, seen_of(name, answer), readers_, text_.back().label);
    ++seen_of(name, answer);
  }

  static void open(Name& name) {
    name.left = name.letters;
    name.is_far = false;
  }

  Name* any_open() {
    const auto is_open = [](const Name& name) { return !name.waits(); };
    Index before = draw_index(random_, std::ranges::count_if(names_, is_open));
    return &*std::ranges::find_if(names_, [&](const Name& name) { return is_open(name) && before-- == 0; });
  }

  // At the start, a name is in the middle of a far wait, as others are later; it has no letter yet, so it is not asked.
  void send_away(Name& name) {
    name.left.clear();
    name.is_far = true;
    name.due = static_cast<std::size_t>(draw_index(random_, far_wait()));
  }

  Index far_wait() {
    const Index shortest = Index{1} << options_.octaves;
    return shortest + draw_index(random_, (shortest << options_.far) - shortest);
  }

  Index near_wait() {
    const Index skipped = options_.nearest - 1;
    const Index octave = Index{1} << (skipped + draw_index(random_, options_.octaves - skipped));
    return octave + draw_index(random_, octave);
  }

  void add_letter() {
    Name& name = *any_open();
    text_.push_back({take_symbol(random_, name.left), {}});
    ++seen_of(name, text_.back().letter);
    if (!name.waits()) return;
    name.last = text_.size() - 1;
    name.is_far = options_.far > 0 && std::ranges::count_if(names_, &Name::is_far) < options_.far_names;
    name.due = text_.size() + static_cast<std::size_t>(name.is_far ? far_wait() : near_wait());
  }

  static Index& seen_of(Name& name, char letter) { return name.seen[name.letters.find(letter)]; }

  Random& random_;
  Random& readers_;
  LatestOptions options_;
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

// With far questions, how far back their sources are: 1x to 2x the training length, 2x to 4x, and so on.
std::vector<MetricSpec> metrics_of(const LatestOptions& options) {
  std::vector<MetricSpec> metrics = {answers("accuracy.near", Measure::accuracy, SourceRange::within),
                                     answers("accuracy.far", Measure::accuracy, SourceRange::beyond),
                                     answers("accuracy.past", Measure::accuracy),
                                     answers("accuracy", Measure::accuracy),
                                     answers("bits.past", Measure::bits)};
  for (Index i = 0; i < options.far; ++i) {
    const Index from = Index{1} << i;
    MetricSpec& band = metrics.emplace_back(metrics[1]);
    band.id += fmt::format(".{}x", 2 * from);
    band.headline = false;
    band.band_of = metrics[1].id;
    band.band = fmt::format("{}x to {}x", from, 2 * from);
    band.band_from = from;
  }
  return metrics;
}

void check(const LatestOptions& options) {
  const Index total = options.names * options.letters;
  if (total > std::ssize(all_letters))
    throw ConfigError(fmt::format("task latest: {} names of {} letters need {} letters, expected at most {}",
                                  options.names, options.letters, total, all_letters.size()));
  if (options.nearest > options.octaves)
    throw ConfigError(
        fmt::format("task latest: nearest = {} leaves out all of octaves = {}, expected at most {}",
                    options.nearest, options.octaves, options.octaves));
  if (options.far > 0 && options.far_names >= options.names)
    throw ConfigError(
        fmt::format("task latest: far_names = {} of names = {} wait for far questions, expected at most {}",
                    options.far_names, options.names, options.names - 1));
}

Exercises latest(const LatestOptions& options) {
  check(options);
  const auto total = static_cast<std::size_t>(options.names * options.letters);
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
r, any of 0 … o - 1: its question is due at place p + 1 + o + r. With nearest > 1, o is one of 2^(nearest - 1), …,
2^(octaves - 1). With far > 0, far_names names are away at all times: a name that becomes complete while fewer are
waits for a far question, due at place p + 1 + w, where w is any of 2^octaves … 2^(octaves + far) - 1. At the start,
any of the names, and then any of the others, until there are far_names, are away for any of 0 … w - 1 tokens with such
a w, and then open without a question. If all names wait, those that are not away are asked first. So as many names are
asked near at every place of every document.
Tokens are the letters of all names, then the names.
For example, with 2 names of 3 letters: dfabceAcabBecdfA…
Only answers are targets. The source of an answer is the place where that letter came last. A question is near if the
source lies within the training length, else far. Readers that ignore order: majority takes the letter of the name that
has stood most often, draw any of them, each time as likely; ties and draws are drawn with purpose "latest.readers".)",
      .layout = Layout::labels,
      .alphabet = std::string(all_letters.substr(0, total)) + capitals(options.names),
      .longest = longest_document,
      .beginning = "a",
      .metrics = metrics_of(options),
      .gate = {.metric = "accuracy.near", .threshold = 0.95},
      .write = [options](Random& random, Random& readers, Index n) {
        return LatestAuthor(random, readers, options).write(n);
      }};
}

}  // namespace

std::vector<TaskEntry> latest_tasks() { return {answer_task(latest)}; }

}  // namespace ordinal::experiments
