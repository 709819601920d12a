#include "experiments/tasks/ngram.h"

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

constexpr Index examples_at_once = 64;
constexpr std::uint64_t counting_seed = 0;

}  // namespace

NgramReader::NgramReader(const Task& task, Index order, Index length, Index examples)
    : order_(order), vocabulary_(static_cast<std::uint64_t>(task.alphabet().size())) {
  if (order_ == 0) return;  // nothing to count
  for (Index first = 0; first < examples; first += examples_at_once) {
    const Batch batch =
        make_batch(task, Split::training, counting_seed, 0, std::min(examples_at_once, examples - first),
                   length, static_cast<std::uint32_t>(first));
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
      if (batch.targets[i] == ignore_index) continue;
      const std::size_t position = i % static_cast<std::size_t>(batch.seq_len);
      const std::span<const Token> before = std::span(batch.tokens).subspan(i - position, position + 1);
      for (Index used = 0; used < std::min(order_, std::ssize(before) + 1); ++used) {
        Context& context = contexts_[key(before, used)];
        context.total += 1.0;
        context.counts[batch.targets[i]] += 1.0;
      }
    }
  }
}

// The last `used` tokens as digits of a number, after a leading 1 that distinguishes contexts of different
// lengths.
std::uint64_t NgramReader::key(std::span<const Token> tokens, Index used) const {
  std::uint64_t number = 1;
  for (const Token token : tokens.last(static_cast<std::size_t>(used))) {
    number = number * vocabulary_ + static_cast<std::uint64_t>(token);
  }
  return number;
}

std::vector<double> NgramReader::probabilities(std::span<const Token> before, Index used) const {
  if (used < 0) return std::vector<double>(vocabulary_, 1.0 / static_cast<double>(vocabulary_));
  std::vector<double> p = probabilities(before, used - 1);
  const auto found = contexts_.find(key(before, used));
  if (found == contexts_.end()) return p;
  const Context& context = found->second;
  const auto kinds = static_cast<double>(context.counts.size());
  for (double& value : p) value *= kinds / (context.total + kinds);
  for (const auto& [token, count] : context.counts) {
    p[static_cast<std::size_t>(token)] += count / (context.total + kinds);
  }
  return p;
}

const NgramReader::Prediction& NgramReader::predict(std::span<const Token> before) const {
  const Index used = std::min(order_ - 1, std::ssize(before));
  const auto [entry, fresh] = predictions_.try_emplace(used < 0 ? 0 : key(before, used));
  Prediction& prediction = entry->second;
  if (fresh) {
    prediction.probabilities = probabilities(before, used);
    prediction.likeliest = static_cast<Token>(std::ranges::max_element(prediction.probabilities) -
                                              prediction.probabilities.begin());
  }
  return prediction;
}

TokenScores NgramReader::score(const Batch& batch) const {
  TokenScores scores{std::vector<double>(batch.targets.size()), std::vector<char>(batch.targets.size())};
  for (std::size_t i = 0; i < batch.targets.size(); ++i) {
    if (batch.targets[i] == ignore_index) continue;
    const std::size_t position = i % static_cast<std::size_t>(batch.seq_len);
    const Prediction& prediction = predict(std::span(batch.tokens).subspan(i - position, position + 1));
    scores.losses[i] = -std::log(prediction.probabilities[static_cast<std::size_t>(batch.targets[i])]);
    scores.hits[i] = prediction.likeliest == batch.targets[i] ? 1 : 0;
  }
  return scores;
}

}  // namespace ordinal::experiments
