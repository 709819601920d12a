// copy and reverse: read n letters and write them again, in the same or in reverse order (Kazemnejad et
// al. 2023). Sequences of a decoder: prompt, separator, answer; only the answer carries loss.
#include <fmt/format.h>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

constexpr char separator = '|';
constexpr char terminator = '.';
constexpr Index longest = 100'000;

struct TranscriptionOptions {
  Index symbols = 16;
  bool reversed = false;  // reverse instead of copy
  void visit(OptionVisitor& v) { v.integer("symbols", symbols, between(3, 26), "different letters"); }
  const char* name() const { return reversed ? "reverse" : "copy"; }
};
struct ReverseOptions : TranscriptionOptions {
  ReverseOptions() { reversed = true; }
};

// With n letters x the text is x | y . and the model sees all of it but the last symbol: 2n + 1 tokens, of
// which the last n + 1 predict y and the terminator.
class TranscriptionTask final : public Task {
 public:
  explicit TranscriptionTask(const TranscriptionOptions& options)
      : name_(options.name()),
        reversed_(options.reversed),
        letters_(options.symbols),
        alphabet_(alphabet_of(options)) {}

  static Alphabet alphabet_of(const TranscriptionOptions& options) {
    const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    return Alphabet("abc|",
                    letters.substr(0, static_cast<std::size_t>(options.symbols)) + separator + terminator);
  }

  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::accuracy; }
  bool varies_length() const override { return true; }
  Index seq_len(Index length) const override { return 2 * length + 1; }

  void check_length(Index length) const override {
    if (length >= 1 && length <= longest) return;
    throw DataError(fmt::format("task {}: got length {}, expected 1 to {}", name_, length, longest));
  }

  void example(const ExampleKey& key, Index length, std::span<Token> tokens,
               std::span<Token> targets) const override {
    const std::string stream = key.split == Split::training ? ".training" : ".validation";
    Random random({key.seed, hash_name(name_ + stream), key.step, key.example});
    const auto n = static_cast<std::size_t>(length);
    std::vector<Token> text(2 * n + 2);
    for (std::size_t i = 0; i < n; ++i) {
      text[i] = static_cast<Token>(random.below(static_cast<std::uint32_t>(letters_)));
      text[reversed_ ? 2 * n - i : n + 1 + i] = text[i];
    }
    text[n] = alphabet().token(separator);
    text.back() = alphabet().token(terminator);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      tokens[t] = text[t];
      targets[t] = t < n ? ignore_index : text[t + 1];
    }
  }

  std::string describe() const override {
    return fmt::format("{}: write n letters again{}, scored by the share of right symbols of the answer",
                       name_, reversed_ ? " from the last to the first" : "");
  }

  std::string data_hash() const override {
    const std::string definition = fmt::format("{}: {} letters, separator, terminator", name_, letters_);
    return fnv1a64_hex(std::as_bytes(std::span(definition)));
  }

 private:
  std::string name_;
  bool reversed_;
  Index letters_;
  Alphabet alphabet_;
};

}  // namespace

TaskEntry copy_task() {
  return describe_task<TranscriptionTask, TranscriptionOptions>(
      {.name = "copy", .summary = "read n letters and write them again (Kazemnejad et al. 2023)"});
}

TaskEntry reverse_task() {
  return describe_task<TranscriptionTask, ReverseOptions>(
      {.name = "reverse", .summary = "read n letters and write them from the last to the first"});
}

}  // namespace ordinal::experiments
