#include "experiments/settings/sections.h"

namespace ordinal::experiments {
namespace {

constexpr double most_seed = 9e15;
constexpr double widest = 65536;

}  // namespace

void ExperimentSection::visit(OptionVisitor& v) {
  v.text("name", name, "name of the results folder: results/<name>", Binds::nothing);
  v.text("seeds", seeds, "how many seeds (5: seeds 1 to 5), or which (1,2,7; a single one: 7,)",
         Binds::nothing);
  v.integer("tune_seed", tune_seed, between(0, most_seed),
            "seed of the trainings that choose a value of compare.tune.…; none of experiment.seeds",
            Binds::nothing);
}

void TaskSection::visit(OptionVisitor& v) {
  v.parts("name", name, "tasks", "the task to learn", Binds::training);
  v.integer("train_length", train_length, between(1, largest_count), "length of training examples",
            Binds::training);
  v.parts("lengths", lengths, "lengths", "the length of each training batch", Binds::training);
  v.files("file", file, "text, mlm(of=text): a file to learn from; repeatable", Binds::nothing);
}

void ModelSection::visit(OptionVisitor& v) {
  config.visit(v);
  v.choice("causal", causal, {"auto", "true", "false"},
           "each token sees only earlier ones; false: an encoder; auto: as the task needs");
  v.integer("train_length", train_length, automatic_or(1, largest_count),
            "length that the model knows, from which encodings derive numbers; 0: the longest of training",
            Binds::training);
}

void TrainSection::visit(OptionVisitor& v) {
  v.integer("steps", steps, between(0, largest_count), "optimizer steps", Binds::training);
  v.integer("batch", batch, between(1, largest_count), "sequences in a batch", Binds::training);
  v.number("learning_rate", learning_rate, at_least(0), "peak learning rate", Binds::training);
  v.integer("warmup", warmup, between(0, largest_count), "steps of linear warm-up, at most train.steps",
            Binds::training);
  v.parts("schedule", schedule, "schedules", "learning rate after the warm-up", Binds::training);
  v.parts("optimizer", optimizer, "optimizers", "update rule of the parameters", Binds::training);
  v.number("clip", clip, at_least(0), "largest global norm of the gradient; 0: no clipping", Binds::training);
  v.integer("accumulate", accumulate, between(1, largest_count), "batches that make one step",
            Binds::training);
  v.integer("shards", shards, automatic_or(1, 536'870'912),
            "pieces that a batch is cut into, a power of two; 0: automatic", Binds::training);
  v.integer("seed", seed, between(0, most_seed), "seed of a single model", Binds::nothing);
  v.number(
      "stop_at", stop_at, between(0, 1),
      "training ends when this share of 2,000 validation examples is exactly right; 0: it takes all steps",
      Binds::training);
  v.integer("stop_every", stop_every, between(1, largest_count), "steps between tests for stop_at",
            Binds::training);
  v.choice("on_divergence", on_divergence, {"stop", "skip"},
           "at an infinite or NaN loss, gradient or parameter, or a loss over 100 log2 V bits for V tokens: "
           "stop, or skip the batch",
           Binds::training);
  v.integer("log_every", log_every, between(1, largest_count), "steps between lines of metrics.jsonl",
            Binds::nothing);
  v.integer("checkpoint_every", checkpoint_every, between(1, largest_count), "steps between checkpoints",
            Binds::nothing);
}

void FinetuneSection::visit(OptionVisitor& v) {
  v.integer("steps", steps, between(0, largest_count),
            "steps of a second training stage that continues from the first; 0: none", Binds::training);
  v.text("length", length, "length of its examples: 128, or 2x the training length", Binds::nothing);
  v.parts("lengths", lengths, "lengths", "task.lengths of this stage; same: those of the first",
          Binds::training);
  v.parts("encoding", encoding, "positional encodings",
          "encoding of this stage, without @ at the positions of the first stage's test; new parameters have "
          "initial values; same: no change",
          Binds::training);
  v.number("learning_rate", learning_rate, automatic_or(0), "peak learning rate; 0: that of train",
           Binds::training);
  v.files("file", file, "text: files to learn from instead; repeatable", Binds::training);
}

void EvaluateSection::visit(OptionVisitor& v) {
  v.list("lengths", lengths, "lengths to test: 256, or 4x the training length", Binds::nothing);
  v.parts("conditions", conditions, "conditions",
          "conditions of the tests; behind @ at these lengths alone, but for the first: window@4x+8x",
          Binds::test);
  v.integer("batches", batches, between(1, largest_count), "batches to score at each length", Binds::test);
  v.integer("batch", batch, automatic_or(1, largest_count),
            "sequences in one; 0: about as many tokens as a training batch", Binds::test);
  v.number("gate", gate, automatic_or(0),
           "score at the training length from which a seed has learned the task; 0: the task's",
           Binds::nothing);
}

void GenerateSection::visit(OptionVisitor& v) {
  v.text("prompt", prompt, "text to continue; empty: the task's default beginning", Binds::nothing);
  options.visit(v);
}

void EncodingSection::visit(OptionVisitor& v) {
  v.parts("name", name, "positional encodings", "the encoding to draw", Binds::nothing);
  v.list("names", names,
         "the encodings of a gallery, one page, such as sinusoidal, rope(base=500); empty: none",
         Binds::nothing);
  v.integer("seq_len", seq_len, between(1, 1e6), "how many positions to draw", Binds::nothing);
  v.list("positions", positions, "the positions to draw, real numbers; empty: 0 … seq_len - 1",
         Binds::nothing);
  v.integer("d_model", d_model, between(1, widest), "width of the model", Binds::nothing);
  v.integer("heads", heads, between(1, widest), "heads of the model", Binds::nothing);
  v.flag("causal", causal, "queries see no later keys", Binds::nothing);
  v.integer("layer", layer, between(0, 999), "which layer's bias and scores to draw", Binds::nothing);
  v.list("offsets", offsets, "offsets k of the matrices M_k with M_k PE_pos = PE_{pos+k}", Binds::nothing);
  v.text("sentence", sentence, "a sentence that the gallery reads in two orders", Binds::nothing);
  v.text("reordered", reordered, "the same words in another order", Binds::nothing);
}

void ClaimsSection::visit(OptionVisitor& v) {
  v.text("folder", folder, "folder of the configs whose claims are decided", Binds::nothing);
  v.flag("train", train, "train what the configs need, instead of reading the scores stored beside them",
         Binds::nothing);
}

void BenchmarkSection::visit(OptionVisitor& v) {
  v.list("sizes", sizes, "sizes at which to time a training step", Binds::nothing);
  v.list("encodings", encodings,
         "sizes at which to time every encoding against none, and every optimizer against adamw",
         Binds::nothing);
  v.integer("steps", steps, between(1, largest_count), "steps to time at each size", Binds::nothing);
}

}  // namespace ordinal::experiments
