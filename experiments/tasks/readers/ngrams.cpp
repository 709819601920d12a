// uniform, unigram, bigram, 4-gram: what the last few tokens alone can predict, counted on training examples.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "experiments/tasks/reader.h"

namespace ordinal::experiments {
namespace {

constexpr Index counted_tokens = 400'000;
constexpr std::uint64_t counting_seed = 0;

// Predicts a target from the last order - 1 tokens: order 0 is uniform, 1 the frequencies of targets, 2 what follows a token, and
// so on. Rare contexts back off to shorter ones (Witten and Bell 1991): with c(h, w) the count of w after context h, c(h)
// their sum, T(h) how many different targets followed h, and h' the context without its oldest token,
//   p(w | h) = (c(h, w) + T(h) p(w | h')) / (c(h) + T(h)),   p(w | nothing known) = 1 / vocabulary.
class Ngrams {
 public:
  Ngrams(const Task& task, Index order, Index length)
      : order_(order), vocabulary_(static_cast<std::uint64_t>(task.alphabet().size())) {
    const Index examples = order == 0 ? 0 : std::max<Index>(1, counted_tokens / task.seq_len(length));
    const Batch batch = make_batch(task, Split::training, counting_seed, 0, examples, length);
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
      if (batch.targets[i] == ignore_index) continue;
      const std::size_t place = i % static_cast<std::size_t>(batch.seq_len);
      const std::span<const Token> before = std::span(batch.tokens).subspan(i - place, place + 1);
      for (Index used = 0; used < std::min(order, std::ssize(before) + 1); ++used) {
        Context& context = contexts_[key(before, used)];
        context.total += 1.0;
        context.counts[batch.targets[i]] += 1.0;
      }
    }
  }

  // Whether uniform guesses hit depends only on the order in which tokens are listed.
  TargetScore read(const Question& asked) const {
    const std::vector<double> p = probabilities(asked.before, std::min(order_ - 1, std::ssize(asked.before)));
    const auto likeliest = static_cast<Token>(std::ranges::max_element(p) - p.begin());
    return {-std::log(p[static_cast<std::size_t>(asked.target)]),
            order_ == 0 ? std::nullopt : std::optional(likeliest == asked.target)};
  }

 private:
  struct Context {
    double total = 0.0;
    std::unordered_map<Token, double> counts;
  };

  // The last `used` tokens as digits of a number, after a leading 1 that distinguishes contexts of different lengths.
  std::uint64_t key(std::span<const Token> tokens, Index used) const {
    std::uint64_t number = 1;
    for (const Token token : tokens.last(static_cast<std::size_t>(used)))
      number = number * vocabulary_ + static_cast<std::uint64_t>(token);
    return number;
  }

  std::vector<double> probabilities(std::span<const Token> before, Index used) const {
    if (used < 0) return std::vector<double>(vocabulary_, 1.0 / static_cast<double>(vocabulary_));
    std::vector<double> p = probabilities(before, used - 1);
    const auto found = contexts_.find(key(before, used));
    if (found == contexts_.end()) return p;
    const Context& context = found->second;
    const auto kinds = static_cast<double>(context.counts.size());
    for (double& value : p) value *= kinds / (context.total + kinds);
    for (const auto& [token, count] : context.counts)
      p[static_cast<std::size_t>(token)] += count / (context.total + kinds);
    return p;
  }

  Index order_;
  std::uint64_t vocabulary_;
  std::unordered_map<std::uint64_t, Context> contexts_;
};

Reader ngram(const char* name, Index order, Knows knows) {
  return {name, knows, [order](const Task& task, Index length) -> Read {
            return [ngrams = std::make_shared<Ngrams>(task, order, length)](const Question& asked) {
              return ngrams->read(asked);
            };
          }};
}

}  // namespace

std::vector<Reader> ngrams_readers() {
  return {ngram("uniform", 0, Knows::counts), ngram("unigram", 1, Knows::counts),
          ngram("bigram", 2, Knows::order), ngram("4-gram", 4, Knows::order)};
}

}  // namespace ordinal::experiments
