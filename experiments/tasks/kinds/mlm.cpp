// mlm: masked tokens of the generated language or of text files, for encoders (Devlin et al. 2019). An encoder without
// positional encoding sees a document as a bag of symbols, so it cannot learn this (Haviv et al. 2022).
#include <fmt/format.h>

#include <algorithm>

#include "experiments/process/hash.h"
#include "experiments/tasks/task.h"
#include "framework/core/errors.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

constexpr char mask = '_';
constexpr Token byte_mask = 255;      // no byte of UTF-8
constexpr double masked_share = 0.8;  // of the chosen tokens, with masking = mixed
constexpr double random_share = 0.1;  // the rest stays as it is

std::vector<MetricSpec> mlm_metrics() {
  std::vector<MetricSpec> metrics = plain_metrics(Measure::bits);
  for (MetricSpec& metric : plain_metrics(Measure::accuracy)) metrics.push_back(std::move(metric));
  return metrics;
}

struct MlmOptions {
  double rate = 0.15;
  std::string masking = "mixed";
  std::string of = "language";
  std::vector<std::string> file;
  bool of_text() const { return of == "text"; }
  bool lacks_file() const { return of_text() && file.empty(); }
  void visit(OptionVisitor& v) {
    v.number("rate", rate, {.low = 0, .high = 1, .above_low = true}, "share of tokens to predict");
    v.choice("masking", masking, {"mixed", "all"},
             "mixed: 80 % of them masked, 10 % replaced by any symbol, 10 % left; all: all masked");
    v.choice("of", of, {"language", "text"}, "what is masked: the generated language, or text files");
    v.files("file", file, "with of = text: a file to learn from; repeatable", Binds::nothing);
  }
};

std::unique_ptr<Task> source_of(const MlmOptions& options) {
  if (!options.of_text() && !options.file.empty()) {
    throw ConfigError(fmt::format("task mlm: got file {}, which only of = text reads (write mlm(of=text))",
                                  options.file.front()));
  }
  return options.of_text() ? make_task(Part{"text", {{"file", joined(options.file, "\n")}}})
                           : make_task("language");
}

class MaskedLanguage final : public Task {
 public:
  explicit MaskedLanguage(const MlmOptions& options)
      : options_(options),
        source_(source_of(options)),
        alphabet_(options.of_text() ? source_->alphabet()
                                    : Alphabet("=", source_->alphabet().symbols() + mask)),
        mask_(options.of_text() ? byte_mask : alphabet_.token(mask)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  Measure measure() const override { return Measure::bits; }
  std::vector<MetricSpec> metrics() const override { return mlm_metrics(); }
  // The two tokens before a mask say more than no order at all.
  std::optional<Gate> gate() const override { return Gate{.metric = "bits", .reader = "4-gram"}; }
  Index evaluation_examples(Index length) const override { return source_->evaluation_examples(length); }
  void check_length(Index length) const override { source_->check_length(length); }

  std::vector<Label> example(const ExampleKey& key, Index length, std::span<Token> tokens,
                             std::span<Token> targets) const override {
    std::vector<Token> next(targets.size());
    source_->example(key, length, tokens, next);
    check_free_of_mask(tokens);
    std::ranges::fill(targets, ignore_index);
    Random random({key.seed, hash_name(key.split == Split::training ? "mlm.training" : "mlm.validation"),
                   key.step, key.example});
    Index chosen = std::max<Index>(1, rounded_product(options_.rate, length));
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const auto left = static_cast<std::uint32_t>(tokens.size() - t);
      if (random.below(left) >= static_cast<std::uint32_t>(chosen)) continue;
      --chosen;
      targets[t] = tokens[t];
      tokens[t] = shown(random, tokens[t]);
    }
    return {};
  }

  std::string describe() const override {
    return fmt::format("mlm: masked {} of {} ({:g} % of them, {}), in bits per {}{}",
                       options_.of_text() ? "bytes" : "symbols",
                       options_.of_text() ? options_.file.front() : "the generated language",
                       100.0 * options_.rate, options_.masking, options_.of_text() ? "byte" : "symbol",
                       source_->doubt());
  }
  std::string data_hash() const override {
    const std::string definition =
        fmt::format("mlm {} {} of {}", options_.rate, options_.masking, source_->data_hash());
    return fnv1a64_hex(std::as_bytes(std::span(definition)));
  }

 private:
  void check_free_of_mask(std::span<const Token> tokens) const {
    if (!options_.of_text() || std::ranges::find(tokens, byte_mask) == tokens.end()) return;
    throw DataError(fmt::format(
        "task mlm: {} holds the byte 255, which stands for a masked one; expected text, such as UTF-8",
        options_.file.front()));
  }

  // What the model sees in place of a token that it must predict.
  Token shown(Random& random, Token token) const {
    if (options_.masking == "all") return mask_;
    const double kind = random.uniform();
    if (kind < masked_share) return mask_;
    const auto symbols = static_cast<std::uint32_t>(source_->alphabet().size());
    return kind < masked_share + random_share ? static_cast<Token>(random.below(symbols)) : token;
  }

  MlmOptions options_;
  std::unique_ptr<Task> source_;
  Alphabet alphabet_;
  Token mask_;
};

}  // namespace

std::vector<TaskEntry> mlm_tasks() {
  return {describe_task<MaskedLanguage, MlmOptions>(
      {.name = "mlm",
       .summary = "masked symbols of the language or of text files, for encoders (Devlin et al. 2019)",
       .definition =
           R"(An example is the beginning of a document of `language`, of n symbols; with of = text, n bytes of them, drawn as
by `text`, and the mask is byte 255. k = rate · n, rounded and at least 1,
of them are to be predicted: going from the first to the last, a symbol is one of them if a whole number
below the number of symbols that are left (it included) is below the number still to choose. Only they have
targets: themselves. With masking = mixed a uniform u then says what the model sees there: below 0.8 the
mask _, below 0.9 any symbol of the language, else the symbol itself; with masking = all it sees the mask.
Tokens, from 0: abcdefghijklmnop =ABCDEFGHIJKL_ (with of = text: the bytes)
For example, with rate = 0.5 and masking = all: =__fdob__d__, to be answered by De at the first two _, =J at the next two and ac at the last two)",
       .direction = Direction::bidirectional,
       .writes = false,
       .metrics = mlm_metrics()})};
}

}  // namespace ordinal::experiments
