// text: the next byte of one or several text files, cut by position into a training and a validation part.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "experiments/process/hash.h"
#include "experiments/tasks/mapped_file.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

constexpr Index validation_share = 10;  // one tenth of the bytes, at the end

struct TextOptions {
  std::vector<std::string> file;
  bool lacks_file() const { return file.empty(); }
  void visit(OptionVisitor& v) { v.files("file", file, "a file to learn from; repeatable", Binds::nothing); }
};

// All files, concatenated. A training example is a window at a random place of the training part. Validation examples are
// the windows of the validation part in order, without overlap, so every length is scored on the same text. A window is
// one byte longer than the example: the last byte is a target only.
class TextTask final : public Task {
 public:
  explicit TextTask(const TextOptions& options) : paths_(options.file) {
    if (paths_.empty()) throw DataError("task text: got no file, expected at least one (set task.file)");
    for (const std::string& path : paths_) add(path);
    training_bytes_ = size_ - size_ / validation_share;
  }

  const Alphabet& alphabet() const override { return bytes_; }
  Measure measure() const override { return Measure::bits; }
  Index evaluation_examples(Index length) const override { return (size_ - training_bytes_ - 1) / length; }

  void check_length(Index length) const override {
    const Index shortest = std::min(training_bytes_, size_ - training_bytes_);
    if (length + 1 <= shortest) return;
    throw DataError(
        fmt::format("{}: {} bytes are too few for length {}: the validation part (the last tenth) has {}, "
                    "expected at least {}",
                    paths_.front(), size_, length, size_ - training_bytes_, length + 1));
  }

  std::vector<Label> example(const ExampleKey& key, Index length, std::span<Token> tokens,
                             std::span<Token> targets) const override {
    Index start = training_bytes_ + static_cast<Index>(key.example) * length;
    if (key.split == Split::training) {
      Random random({key.seed, hash_name("text"), key.step, key.example});
      start = static_cast<Index>(random.below64(static_cast<std::uint64_t>(training_bytes_ - length)));
    }
    read(start, tokens);
    read(start + 1, targets);
    return {};
  }

  std::string describe() const override {
    return fmt::format(
        "text: the next byte of {}{} ({} bytes, the last tenth for validation), in bits per byte",
        paths_.front(), paths_.size() > 1 ? " and others" : "", size_);
  }

  std::string data_hash() const override { return hash_.hex(); }

 private:
  // No two files may hold the same bytes, as links and copies do.
  void add(const std::string& path) {
    const std::string_view bytes = files_.emplace_back(path).bytes();
    if (bytes.empty()) throw DataError(fmt::format("{}: the file is empty, expected text", path));
    const auto same = std::ranges::find(files_, bytes, &MappedFile::bytes) - files_.begin();
    if (same + 1 < std::ssize(files_)) {
      throw DataError(
          fmt::format("{}: it is the same text as {}, expected different ones: its bytes would be in "
                      "training and in validation (leave one of them out)",
                      path, paths_[static_cast<std::size_t>(same)]));
    }
    hash_.update(std::as_bytes(std::span(bytes)));
    size_ += std::ssize(bytes);
  }

  // Reads the bytes from `start` on. Throws DataError if a file was changed.
  void read(Index start, std::span<Token> tokens) const {
    for (const MappedFile& file : files_) {
      if (tokens.empty()) return;
      const Index bytes = std::ssize(file.bytes());
      if (start < bytes) {
        file.check_unchanged();
        const auto count = static_cast<std::size_t>(std::min(bytes - start, std::ssize(tokens)));
        std::ranges::transform(file.bytes().substr(static_cast<std::size_t>(start), count), tokens.begin(),
                               [](char byte) { return static_cast<unsigned char>(byte); });
        tokens = tokens.subspan(count);
      }
      start = std::max<Index>(start - bytes, 0);
    }
  }

  Alphabet bytes_{"\n"};
  std::vector<std::string> paths_;
  std::deque<MappedFile> files_;
  Index size_ = 0;
  Fnv1a64 hash_;
  Index training_bytes_ = 0;
};

}  // namespace

std::vector<TaskEntry> text_tasks() {
  return {describe_task<TextTask, TextOptions>(
      {.name = "text",
       .summary = "the next byte of text files, the last tenth for validation",
       .definition =
           R"(All files are one text. An example is a window of it: at a random place of the first nine tenths in
training, one after another in the last tenth for validation. Tokens are bytes.
For example, at length 8: the word, to be answered by he words)",
       .direction = Direction::causal,
       .alphabet = Alphabet("\n"),
       .metrics = plain_metrics(Measure::bits)})};
}

}  // namespace ordinal::experiments
