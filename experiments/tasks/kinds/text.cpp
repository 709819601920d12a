// text: the next byte of one or several text files, cut by position into a training and a validation part.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>
#include <unordered_map>

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

// The hash of the last `width` bytes: Σ byte · factor^age mod 2⁶⁴. Carriage returns do not count, so a text with other ends of
// lines has the same pieces.
class RollingHash {
 public:
  static constexpr std::size_t width = 64;

  // Whether the byte completes a piece.
  bool add(char byte) {
    if (byte == '\r') return false;
    unsigned char& oldest = last_[count_++ % width];
    hash_ = hash_ * factor + static_cast<unsigned char>(byte) - oldest * of_oldest_;
    oldest = static_cast<unsigned char>(byte);
    return count_ >= width;
  }
  std::uint64_t value() const { return hash_; }

 private:
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // odd, so that each byte counts
  static constexpr std::uint64_t power(std::size_t n) { return n == 0 ? 1 : factor * power(n - 1); }

  std::uint64_t hash_ = 0;
  std::size_t count_ = 0;
  std::array<unsigned char, width> last_{};
  std::uint64_t of_oldest_ = power(width);
};

// Pieces of a text, without overlap, and how many of them another text has.
class Pieces {
 public:
  void take(std::uint64_t hash) {
    ++counts_[hash];
    may_be_[hash >> 46U] = true;
    ++all_;
  }
  void find(std::uint64_t hash) {
    if (!may_be_[hash >> 46U]) return;
    const auto found = counts_.find(hash);
    if (found != counts_.end()) found_ += std::exchange(found->second, 0);
  }
  double share() const { return all_ == 0 ? 0.0 : static_cast<double>(found_) / static_cast<double>(all_); }

 private:
  std::unordered_map<std::uint64_t, Index> counts_;
  std::bitset<1U << 18U> may_be_;  // few bytes of a long text need to be looked up
  Index found_ = 0;
  Index all_ = 0;
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
    copied_share_ = copied_share();
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
      start = static_cast<Index>(random.below(static_cast<std::uint64_t>(training_bytes_ - length)));
    }
    read(start, tokens);
    read(start + 1, targets);
    return {};
  }

  std::string doubt() const override {
    if (copied_share_ <= 0.01) return "";
    return fmt::format(
        "; {:.0f} % of the validation part, in pieces of {} bytes, also stands in training: "
        "its scores are better than those on new text",
        100.0 * copied_share_, RollingHash::width);
  }

  std::string describe() const override {
    return fmt::format(
        "text: the next byte of {}{} ({} bytes, the last tenth for validation), in bits per byte{}",
        paths_.front(), paths_.size() > 1 ? " and others" : "", size_, doubt());
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

  // The share of pieces of the validation part, spread evenly over it, that stand anywhere in the training part.
  double copied_share() const {
    constexpr Index most_pieces = 4096;
    const Index stride = std::max<Index>(RollingHash::width, (size_ - training_bytes_) / most_pieces);
    Pieces pieces;
    Index next = 0;
    each_hash(training_bytes_, size_, [&](std::uint64_t hash, Index at) {
      if (at < next) return;
      pieces.take(hash);
      next = at + stride;
    });
    each_hash(0, training_bytes_, [&](std::uint64_t hash, Index) { pieces.find(hash); });
    return pieces.share();
  }

  // Calls use(hash, at) for each piece in [begin, end), where `at` is its last byte.
  void each_hash(Index begin, Index end, const auto& use) const {
    RollingHash hash;
    Index at = 0;
    for (const MappedFile& file : files_) {
      for (const char byte : file.bytes()) {
        if (at >= begin && at < end && hash.add(byte)) use(hash.value(), at);
        ++at;
      }
    }
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
  double copied_share_ = 0.0;
};

}  // namespace

std::vector<TaskEntry> text_tasks() {
  return {describe_task<TextTask, TextOptions>(
      {.name = "text",
       .summary = "the next byte of text files, the last tenth for validation",
       .definition =
           R"(All files are one text. An example is a window of it: at a random place of the first nine tenths in
training, one after another in the last tenth for validation. Tokens are bytes. The plan says how much of the last tenth,
if more than 1 %, is a copy of what stands before it.
For example, at length 8: the word, to be answered by he words)",
       .direction = Direction::causal,
       .alphabet = Alphabet("\n"),
       .metrics = plain_metrics(Measure::bits)})};
}

}  // namespace ordinal::experiments
