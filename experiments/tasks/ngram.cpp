#include "experiments/tasks/ngram.h"

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

constexpr std::uint64_t counting_seed = 0;

}  // namespace

NgramReader::NgramReader(const Task& task, Index order, Index length, Index examples)
    : order_(order), vocabulary_(static_cast<std::uint64_t>(task.alphabet().size())) {
  for (Index example = 0; order_ > 0 && example < examples; ++example) {
    const Batch batch =
        make_batch(task, Split::training, counting_seed, 0, 1, length, static_cast<std::uint32_t>(example));
    for (std::size_t t = 0; t < batch.targets.size(); ++t) {
      if (batch.targets[t] == ignore_index) continue;
      const std::span<const Token> before = std::span(batch.tokens).first(t + 1);
      for (Index used = 0; used < std::min(order_, std::ssize(before) + 1); ++used) {
        Context& context = contexts_[key(before, used)];
        context.total += 1.0;
        context.counts[batch.targets[t]] += 1.0;
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
