#include "experiments/runs/inference_benchmark.h"

#include <sys/resource.h>

#include <algorithm>

#include "experiments/runs/timing.h"
#include "framework/training/evaluation.h"
#include "models/generation.h"
#include "models/summary.h"

namespace ordinal::experiments {
namespace {

ModelConfig small_decoder(Index seq_len) {
  ModelConfig config;
  config.vocab_size = 256;
  config.d_model = 64;
  config.heads = 4;
  config.layers = 2;
  config.encoding = "sinusoidal";
  config.train_length = 64;
  config.longest = seq_len;
  return config;
}

Index peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Index>(usage.ru_maxrss) * 1024;
}

// Scores and values of the visible half: as many FLOPs as those of a sequence of half the length, unmasked.
double causal_flops(const Transformer<float>& model, Index seq_len) {
  return static_cast<double>(seq_len) * forward_flops_per_token(model, seq_len / 2);
}

}  // namespace

EvaluationTiming time_evaluation(Index seq_len) {
  const ModelConfig config = small_decoder(seq_len);
  const Transformer<float> model(config);
  Parameters<float> values(model.layout());
  initialize(values, 1);
  Threads one(1);
  Evaluator<float> evaluator(model, values, one);
  const Batch batch = random_batch(1, seq_len, config.vocab_size);
  evaluator.score(random_batch(1, std::min<Index>(seq_len, 1024), config.vocab_size));
  const double rate = ProductRate(one).measure();
  const double seconds = seconds_of([&] { evaluator.score(batch); });
  return {seq_len, seconds, causal_flops(model, seq_len) / seconds / 1e9, rate, peak_memory()};
}

GenerationTiming time_generation(Index length) {
  const Transformer<float> model(small_decoder(length + 1));
  Parameters<float> values(model.layout());
  initialize(values, 1);
  const std::vector<Token> prompt = {1};
  const double seconds = seconds_of([&] { generate<float>(model, values, prompt, {.length = length}); });
  return {length, static_cast<double>(length) / seconds};
}

}  // namespace ordinal::experiments
