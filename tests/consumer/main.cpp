// A user's program against the installed library: it teaches a small transformer to repeat a rhythm of
// tokens. tests/consumer/check.cmake builds and runs it.
#include <cstdio>

#include "framework/training/trainer.h"
#include "models/transformer.h"

int main() {
  ordinal::ModelConfig config;
  config.vocab_size = 4;
  config.d_model = 16;
  config.encoding.name = "sinusoidal";
  const ordinal::Transformer<float> model(config);

  ordinal::Batch batch{.size = 2, .seq_len = 12, .tokens = {}, .targets = {}};
  for (int i = 0; i < 24; ++i) {
    batch.tokens.push_back(i % 4);
    batch.targets.push_back((i + 1) % 4);
  }

  ordinal::Threads threads;
  ordinal::TrainerOptions options;
  options.schedule = {.name = "constant", .peak = 1e-2, .steps = 100, .warmup = 0};
  ordinal::Trainer<float> trainer(model, options, threads);
  double loss = 0.0;
  for (int step = 0; step < 100; ++step) loss = trainer.step({&batch, 1}).loss;
  std::printf("loss after 100 steps: %.4f\n", loss);
  return loss < 0.1 ? 0 : 1;
}
