// text: the next byte of one or several text files, cut by position into a training and a validation part.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "framework/storage/atomic_file.h"
#include "framework/storage/hash.h"

namespace ordinal::experiments {
namespace {

constexpr Index validation_share = 10;  // one tenth of the bytes, at the end

const Alphabet& bytes() {
  static const Alphabet alphabet("\n");
  return alphabet;
}

struct TextOptions {
  std::vector<std::string> file;
  void visit(OptionVisitor& v) { v.files("file", file, "a file to learn from; repeatable", Binds::nothing); }
};

// A training example is a window at a random place of the training part. Validation examples are the windows
// of the validation part in order, without overlap, so every length is scored on the same text. A window is
// one byte longer than the example: the last byte is a target only.
class TextTask final : public Task {
 public:
  explicit TextTask(const TextOptions& options) : files_(options.file) {
    if (files_.empty()) throw DataError("task text: got no file, expected at least one (set task.file)");
    for (const std::string& file : files_) {
      const std::string contents = read_file(file);
      if (contents.empty()) throw DataError(fmt::format("{}: the file is empty, expected text", file));
      text_ += contents;
    }
    training_bytes_ = size() - size() / validation_share;
  }

  static Alphabet alphabet_of(const TextOptions& /*options*/) { return bytes(); }
  const Alphabet& alphabet() const override { return bytes(); }
  Measure measure() const override { return Measure::bits; }
  Index evaluation_examples(Index length) const override { return (size() - training_bytes_ - 1) / length; }

  void check_length(Index length) const override {
    const Index shortest = std::min(training_bytes_, size() - training_bytes_);
    if (length + 1 <= shortest) return;
    throw DataError(
        fmt::format("{}: {} bytes are too few for length {}: the validation part (the last tenth) has {}, "
                    "expected at least {}",
                    files_.front(), size(), length, size() - training_bytes_, length + 1));
  }

  void example(const ExampleKey& key, Index length, std::span<Token> tokens,
               std::span<Token> targets) const override {
    Index start = training_bytes_ + static_cast<Index>(key.example) * length;
    if (key.split == Split::training) {
      Random random({key.seed, hash_name("text"), key.step, key.example});
      start = static_cast<Index>(random.below(static_cast<std::uint32_t>(training_bytes_ - length)));
    }
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const std::size_t at = static_cast<std::size_t>(start) + t;
      tokens[t] = static_cast<unsigned char>(text_[at]);
      targets[t] = static_cast<unsigned char>(text_[at + 1]);
    }
  }

  std::string describe() const override {
    return fmt::format(
        "text: the next byte of {}{} ({} bytes, the last tenth for validation), in bits per byte",
        files_.front(), files_.size() > 1 ? " and others" : "", size());
  }

  std::string data_hash() const override { return fnv1a64_hex(std::as_bytes(std::span(text_))); }

 private:
  Index size() const { return std::ssize(text_); }

  std::vector<std::string> files_;
  std::string text_;
  Index training_bytes_ = 0;
};

}  // namespace

TaskEntry text_task() {
  return describe_task<TextTask, TextOptions>(
      {.name = "text",
       .summary = "the next byte of text files, the last tenth for validation",
       .definition =
           R"(All files are one text. An example is a window of it: at a random place of the first nine tenths in
training, one after another in the last tenth for validation. Tokens are bytes.
For example, at length 8: the word, to be answered by he words)",
       .direction = Direction::causal});
}

}  // namespace ordinal::experiments
