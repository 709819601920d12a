// A user's program against the installed library: it teaches a small transformer, and then a model of its
// own, to repeat a rhythm of tokens. tests/consumer/check.cmake builds and runs it.
#include <ordinal/framework/layers/embedding.h>
#include <ordinal/framework/layers/linear.h>
#include <ordinal/framework/training/instance.h>
#include <ordinal/framework/training/trainer.h>
#include <ordinal/models/generation.h>
#include <ordinal/models/transformer.h>

#include <cstdio>

namespace {

constexpr ordinal::Index letters = 4;

/// The next token from the last one alone: logits = E[token] Wᵀ + b.
template <typename T>
class Bigram final : public ordinal::Model<T> {
 public:
  explicit Bigram(ordinal::Index width)
      : embedding_(letters, width, this->scope("embedding")),
        output_({.in = width, .out = letters}, this->scope("output")) {}

  ordinal::Index vocab_size() const override { return letters; }

  ordinal::View<const T> hidden(std::span<const ordinal::Token> tokens,
                                ordinal::Pass<T>& pass) const override {
    return embedding_.forward(tokens, pass);
  }
  ordinal::View<const T> logits(ordinal::View<const T> hidden, ordinal::Pass<T>& pass) const override {
    return output_.forward(hidden, pass);
  }
  void backward(std::span<const ordinal::Token> tokens, ordinal::View<const T> d_logits,
                ordinal::Pass<T>& pass) const override {
    embedding_.backward(tokens, output_.backward(d_logits, pass), pass);
  }

 private:
  ordinal::Embedding<T> embedding_;
  ordinal::Linear<T> output_;
};

// Tokens 0 1 2 3 0 1 2 3 …; trains, and returns whether the model has learned to go on.
bool learns(const char* name, const ordinal::Model<float>& model) {
  ordinal::Batch batch{.size = 2, .seq_len = 12, .tokens = {}, .targets = {}};
  for (int i = 0; i < 24; ++i) {
    batch.tokens.push_back(i % 4);
    batch.targets.push_back((i + 1) % 4);
  }
  ordinal::Threads threads;
  ordinal::TrainerOptions options;
  options.schedule = ordinal::make_schedule("constant");
  options.schedule.peak = 2e-2;
  options.schedule.warmup = 0;
  ordinal::Trainer<float> trainer(model, options, threads);
  double loss = 0.0;
  for (int step = 0; step < 200; ++step) loss = trainer.step({&batch, 1}).loss;

  const std::vector<ordinal::Token> prompt = {0, 1};
  const auto text =
      ordinal::generate<float>(model, trainer.values(), prompt, {.length = 4, .temperature = 0.0});
  std::printf("%s: loss %.4f after 200 steps; 0 1 is continued by %d %d %d %d\n", name, loss, text[0],
              text[1], text[2], text[3]);
  return loss < 0.1 && text == std::vector<ordinal::Token>{2, 3, 0, 1};
}

}  // namespace

int main() {
  ordinal::ModelConfig config;
  config.vocab_size = letters;
  config.d_model = 16;
  config.encoding = "rope(base=100)";
  config.block = "attention, feed_forward(activation=relu)";
  const ordinal::Instance<float> transformer(std::make_unique<ordinal::Transformer<float>>(config));
  const ordinal::Instance<float> bigram(std::make_unique<Bigram<float>>(8));
  const std::vector<ordinal::Token> tokens = {0, 1, 2};
  std::printf("logits of an untrained model: %s\n",
              ordinal::to_string(bigram.logits(tokens).shape()).c_str());
  const bool all =
      learns("transformer", transformer.model()) && learns("a model of one's own", bigram.model());
  return all ? 0 : 1;
}
