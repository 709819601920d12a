// latest: which of the letters of a name stood last? Only order tells: each name has v letters of its own, which stand once each
// and in random order, between letters of other names. Then the name is asked, and the last of its letters is the answer.
//
//   bwaxectduvAd     A has the letters abcde: they stood in the order b, a, e, c, d, so the answer to A is d
//
// Until a name is asked, the order of its letters is any of v!, each as likely, whatever else is known. So every reader that ignores
// order is right in exactly 1/v of the questions, at every length and distance. Distances are drawn evenly by octave: in
// a document longer than the training length, some sources lie within that length and some beyond it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "experiments/tasks/answer_task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

constexpr std::string_view all_letters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr Index longest_document = 10'000'000;

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

std::size_t total_letters(const LatestOptions& options) {
  const auto total = static_cast<std::size_t>(options.names * options.letters);
  if (total <= all_letters.size()) return total;
  throw ConfigError(fmt::format("task latest: {} names of {} letters need {} letters, expected at most {}",
                                options.names, options.letters, total, all_letters.size()));
}

struct Written {
  char letter = 0;
  Label label;
};

// Writes one document, and labels each answer.
class LatestAuthor {
 public:
  LatestAuthor(RandomKey key, const LatestOptions& options)
      : random_(key), octaves_(static_cast<std::uint32_t>(options.octaves)) {
    key.purpose = hash_name("latest.readers");
    guesses_ = Random(key);
    const auto each = static_cast<std::size_t>(options.letters);
    for (std::size_t i = 0; i < static_cast<std::size_t>(options.names); ++i) {
      const std::string own{all_letters.substr(i * each, each)};
      names_.push_back({.letter = static_cast<char>('A' + i),
                        .letters = own,
                        .left = own,
                        .seen = std::vector<Index>(each)});
    }
  }

  std::vector<Written> write(std::size_t length) {
    while (text_.size() < length) {
      if (Name* const asked = due()) {
        ask(*asked);
      } else {
        add_letter();
      }
    }
    text_.resize(length);
    return std::move(text_);
  }

 private:
  struct Name {
    char letter = 0;
    std::string letters;
    std::string left;         // its letters that have not stood since it was last asked; none: it waits
    std::size_t last = 0;     // place of its last letter
    std::size_t due = 0;      // place of the next question
    std::vector<Index> seen;  // how often each of its letters has stood

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
    text_.push_back({answer, {.token_class = 0, .source = static_cast<Index>(text_.size() - name.last)}});
    guess(name, answer, text_.back().label);
    ++seen_of(name, answer);
    name.left = name.letters;
  }

  void add_letter() {
    std::vector<Name*> open;
    for (Name& name : names_) {
      if (!name.waits()) open.push_back(&name);
    }
    Name& name = *open[random_.below(static_cast<std::uint32_t>(open.size()))];
    text_.push_back({take_symbol(random_, name.left), {}});
    ++seen_of(name, text_.back().letter);
    if (!name.waits()) return;
    name.last = text_.size() - 1;
    const std::uint32_t octave = std::uint32_t{1} << random_.below(octaves_);
    name.due = text_.size() + octave + random_.below(octave);
  }

  static Index& seen_of(Name& name, char letter) { return name.seen[name.letters.find(letter)]; }

  // Whether readers that count the letters of the name and ignore their order are right.
  void guess(Name& name, char answer, Label& label) {
    const Index right = seen_of(name, answer);
    const Index most = std::ranges::max(name.seen);
    const Index all = std::accumulate(name.seen.begin(), name.seen.end(), Index{0});
    label.majority = right == most && draw_index(guesses_, std::ranges::count(name.seen, most)) == 0;
    label.draw = draw_index(guesses_, all) < right;
  }

  Random random_;
  Random guesses_{{}};  // of the readers, so that documents do not depend on them
  std::uint32_t octaves_;
  std::vector<Written> text_;
  std::vector<Name> names_;
};

class LatestTask final : public Task {
 public:
  explicit LatestTask(const LatestOptions& options) : options_(options), alphabet_(alphabet_of(options)) {}

  static Alphabet alphabet_of(const LatestOptions& options) {
    return Alphabet("a",
                    std::string(all_letters.substr(0, total_letters(options))) + capitals(options.names));
  }
  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::accuracy; }
  std::vector<std::string> classes() const override { return {"answer"}; }

  std::vector<MetricSpec> metrics() const override {
    MetricSpec near = answers("accuracy.near", "accuracy");
    near.sources = SourceRange::within;
    near.headline = true;
    MetricSpec far = answers("accuracy.far", "accuracy");
    far.sources = SourceRange::beyond;
    far.headline = true;
    MetricSpec anywhere = answers("accuracy", "accuracy");
    anywhere.past = false;
    MetricSpec bits = answers("bits.past", "bits per answer");
    bits.measure = Measure::bits;
    return {near, far, answers("accuracy.past", "accuracy"), anywhere, bits};
  }

  std::optional<Gate> gate() const override { return Gate{.metric = "accuracy.near", .threshold = 0.95}; }

  void check_length(Index length) const override {
    if (length >= 1 && length <= longest_document) return;
    throw DataError(fmt::format("task latest: got length {}, expected 1 to {}", length, longest_document));
  }

  // Every example is the beginning of a document of its own, and only answers are targets: nobody can know the rest.
  void example(const ExampleKey& key, Index length, std::span<Token> tokens,
               std::span<Token> targets) const override {
    const std::vector<Written> text = document(key, length);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      tokens[t] = alphabet().token(text[t].letter);
      targets[t] = text[t + 1].label.source > 0 ? alphabet().token(text[t + 1].letter) : ignore_index;
    }
  }

  void labels(const ExampleKey& key, Index length, std::span<Label> labels) const override {
    const std::vector<Written> text = document(key, length);
    for (std::size_t t = 0; t < labels.size(); ++t) labels[t] = text[t + 1].label;
  }

  std::string describe() const override {
    return fmt::format(
        "latest: {} names have {} letters each; a question asks which letter of a name stood last",
        options_.names, options_.letters);
  }

  std::string data_hash() const override {
    std::string sample;
    for (const Written& symbol : document({.seed = 1}, 4096)) sample += symbol.letter;
    return fnv1a64_hex(std::as_bytes(std::span(sample)));
  }

 private:
  // Of all answers past the training length.
  static MetricSpec answers(const std::string& id, const std::string& name) {
    return {.id = id, .name = name, .measure = Measure::accuracy, .token_class = 0, .past = true};
  }

  std::vector<Written> document(const ExampleKey& key, Index length) const {
    const char* stream = key.split == Split::training ? "latest.training" : "latest.validation";
    LatestAuthor author({key.seed, hash_name(stream), key.step, key.example}, options_);
    return author.write(static_cast<std::size_t>(length) + 1);
  }

  LatestOptions options_;
  Alphabet alphabet_;
};

}  // namespace

std::vector<TaskEntry> latest_tasks() {
  return {describe_task<LatestTask, LatestOptions>(
      {.name = "latest",
       .summary = "which letter of a name stood last, asked near and far; only order tells; needs no file",
       .definition =
           R"(A document holds names A, B, C, …, each with letters of its own: the first `letters` of a … z 0 … 9 belong to A,
the next to B, and so on. As long as a name is open, each of its letters comes once, in any order. After the last one
it waits for its question, which is the name followed by the answer, that last letter; then it is open again.
At the start all names are open. What comes next:
  a question  of the name that is due first (of several, the first name), if it is due, or if all names wait
  a letter    otherwise: any of the open names, then any of its letters that are left
The last letter of a name, at place p = 0, 1, …, draws an octave o, any of 1, 2, 4, …, 2^(octaves - 1), and a rest
r, any of 0 … o - 1: its question is due at place p + 1 + o + r.
Tokens, from 0 with the default options: abcdefghijklmnopqrstuvwxyz012345678ABCDEFG (the letters of all names, then the
names).
For example, with 2 names of 3 letters: dfabceAcabBecdfA…
Only answers are targets. The source of an answer is the place where that letter came last. A question is near if the
source lies within the training length, else far. Readers that ignore order: majority takes the letter of the name that
has stood most often, draw any of them, each time as likely; ties and draws are drawn with purpose "latest.readers".)",
       .direction = Direction::causal})};
}

}  // namespace ordinal::experiments
