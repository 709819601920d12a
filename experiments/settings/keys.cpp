#include "experiments/settings/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "experiments/settings/number.h"
#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_count = 1e9;
constexpr double largest_width = 65536;

Key integer(std::string name, std::string fallback, double low, std::string help,
            double high = largest_count) {
  return {std::move(name), KeyType::integer, std::move(fallback), std::move(help), low, high, {}};
}
Key real(std::string name, std::string fallback, double low, double high, std::string help) {
  return {std::move(name), KeyType::real, std::move(fallback), std::move(help), low, high, {}};
}
Key flag(std::string name, std::string fallback, std::string help) {
  return {std::move(name), KeyType::flag, std::move(fallback), std::move(help), -infinity, infinity, {}};
}
Key choice(std::string name, std::vector<std::string> choices, std::string fallback, std::string help) {
  return {std::move(name), KeyType::choice, std::move(fallback), std::move(help),
          -infinity,       infinity,        std::move(choices)};
}
Key text(std::string name, std::string fallback, std::string help) {
  return {std::move(name), KeyType::text, std::move(fallback), std::move(help), -infinity, infinity, {}};
}
Key list(std::string name, std::string fallback, std::string help) {
  return {std::move(name), KeyType::list, std::move(fallback), std::move(help), -infinity, infinity, {}};
}

constexpr double below_one = 0.999999;

std::vector<Key> experiment_keys() {
  return {
      text("experiment.name", "extrapolation", "names the folder of results: results/<name>"),
      text("experiment.seeds", "3", "how many seeds, or which: 5 or 1,2,7"),
      text("task.name", "language", "what is learned: language, text, copy or reverse"),
      integer("task.train_length", "64", 1, "length of training examples"),
      {"task.file", KeyType::files, "", "text: a file to learn from; repeatable", -infinity, infinity, {}},
  };
}

std::vector<Key> model_keys() {
  return {
      integer("model.d_model", "64", 1, "width of the model", largest_width),
      integer("model.layers", "2", 1, "number of blocks", 1000),
      integer("model.heads", "4", 1, "query heads; must divide d_model", largest_width),
      integer("model.n_kv_heads", "0", 0, "key/value heads; must divide heads; 0: as many as heads"),
      integer("model.ff", "0", 0, "hidden units of feed-forward; 0: 4 · d_model", 4 * largest_width),
      text("model.norm", "layernorm", "layernorm or rmsnorm"),
      choice("model.norm_placement", {"pre", "post"}, "pre", "norm before or after each residual branch"),
      text("model.activation", "gelu", "gelu, gelu_tanh, relu, silu or swiglu"),
      flag("model.causal", "true", "each token sees only earlier ones; false: an encoder"),
      real("model.dropout", "0", 0, below_one, "dropout after attention and feed-forward"),
      flag("model.bias", "true", "biases in the linear layers"),
      flag("model.tied_output", "true", "the output layer shares the token embedding"),
      flag("model.scale_embedding", "true",
           "token embeddings times √d_model before PE is added (Vaswani et al. 2017)"),
      integer("model.vocab_size", "0", 0, "number of different tokens; 0: the task's"),
  };
}

std::vector<std::string> test_schemes() {
  std::vector<std::string> names = position_scheme_names();
  names.insert(names.begin(), "same");
  return names;
}

std::vector<Key> positional_keys() {
  return {
      list("positional.encodings", "sinusoidal, learned, none",
           "encodings to compare; several joined: a+b; with positions: a@randomized, a@randomized:spaced"),
      text("positional.encoding", "sinusoidal", "the encoding of a single model"),
      text("positional.base", "10000", "longest wavelength is 2π · base; auto: 10 · train_length / 2π"),
      choice("positional.overflow", {"error", "clamp", "interpolate", "untrained"}, "error",
             "learned, at positions past its table"),
      choice("positional.positions", position_scheme_names(), "contiguous",
             "which positions tokens are given in training"),
      choice("positional.test_positions", test_schemes(), "same", "which they are given in the test"),
      real("positional.scale", "0", 0, infinity,
           "interpolated, ntk, yarn: factor s; 0: length / training length, at least 1"),
      integer("positional.max_position", "0", 0,
              "randomized, random_float, spaced: positions lie below; 0: twice the longest length"),
      real("positional.offset", "0", 0, infinity, "contiguous in the test: the first position"),
      integer("positional.train_length", "0", 0,
              "tokens of the sequences whose positions the model knows; 0: those of training"),
      integer("positional.max_seq_len", "0", 0, "rows of a learned table; 0: as many as training needs"),
      real("positional.dropout", "0", 0, below_one, "dropout on x + PE"),
      real("positional.dropout_high", "0", 0, below_one,
           "sinusoidal: dropout of whole dimensions of PE, at the highest frequency"),
      real("positional.dropout_low", "0", 0, below_one, "the same at the lowest; linear in between"),
      flag("positional.pad_odd", "false", "sinusoidal with odd d_model: pad by one, drop the last"),
      choice("positional.precision", {"float", "half", "bfloat16"}, "float",
             "how tables of sines and cosines are stored"),
      choice("positional.pairing", {"interleaved", "half"}, "interleaved",
             "rope, xpos: pairs (2i, 2i + 1) or (i, i + d/2)"),
      real("positional.rotary_fraction", "1", 0, 1, "rope, xpos: share of a head's dimensions that turns"),
      real("positional.yarn_alpha", "1", 0, infinity, "yarn: pairs that turn less in training are slowed"),
      real("positional.yarn_beta", "0", 0, infinity,
           "yarn: pairs that turn more are left alone; 0: min(32, length / 4π), at least α + 1"),
      real("positional.xpos_gamma", "0.4", 1e-6, infinity, "xpos: γ"),
      real("positional.xpos_scale", "0", 0, infinity, "xpos: s; 0: half the training length"),
      real("positional.slope_scale", "1", 0, infinity, "alibi: factor on all slopes"),
      integer("positional.buckets", "32", 2, "t5: rows of its table", 1e6),
      integer("positional.max_distance", "0", 0,
              "t5: where the last bucket begins; 0: the training length. t5_clipped, shaw: k; 0: a quarter",
              1e6),
      integer("positional.hidden", "32", 1, "fire: hidden units", largest_width),
      integer("positional.cope_positions", "0", 0, "cope: rows of its table; 0: the training length", 1e6),
  };
}

std::vector<Key> training_keys() {
  return {
      integer("train.steps", "1000", 0, "optimizer steps"),
      integer("train.batch", "32", 1, "sequences in a batch"),
      real("train.learning_rate", "0.001", 0, infinity, "peak learning rate"),
      integer("train.warmup", "100", 0, "steps of linear warm-up"),
      choice("train.schedule", {"constant", "cosine", "linear", "inverse_sqrt"}, "cosine",
             "after the warm-up"),
      real("train.final_fraction", "0.1", 0, 1,
           "cosine, linear: learning rate at the end, as a share of the peak"),
      choice("train.optimizer", {"adamw", "sgd"}, "adamw", "how parameters follow the gradient"),
      real("train.weight_decay", "0.01", 0, infinity, "of matrices; biases and norms have none"),
      real("train.beta1", "0.9", 0, below_one, "adamw: decay of the mean gradient"),
      real("train.beta2", "0.95", 0, below_one, "adamw: decay of the mean square"),
      real("train.epsilon", "1e-08", 0, infinity, "adamw: added to the root mean square"),
      real("train.momentum", "0.9", 0, below_one, "sgd: decay of the velocity"),
      real("train.clip", "1", 0, infinity, "largest global norm of the gradient; 0: no clipping"),
      integer("train.accumulate", "1", 1, "batches that make one step"),
      integer("train.shards", "0", 0, "pieces that a batch is cut into, a power of two; 0: automatic"),
      integer("train.seed", "1", 0, "seed of a single model", 9e15),
      integer("train.log_every", "50", 1, "steps between lines of metrics.jsonl"),
      integer("train.checkpoint_every", "500", 1, "steps between checkpoints"),
  };
}

std::vector<Key> other_keys() {
  return {
      list("evaluate.lengths", "1x, 2x, 4x, 8x", "lengths to test: 256, or 4x the training length"),
      integer("evaluate.batches", "8", 1, "batches to score at each length"),
      integer("evaluate.batch", "0", 0, "sequences in one; 0: about as many tokens as a training batch"),
      text("generate.prompt", "", "text to continue; empty: the task's own beginning"),
      integer("generate.length", "200", 0, "tokens to generate"),
      real("generate.temperature", "1", 0, infinity, "0: always the likeliest token"),
      integer("generate.top_k", "0", 0, "draw from the k likeliest tokens; 0: from all"),
      integer("generate.seed", "1", 0, "seed of the draws", 9e15),
      text("encoding.name", "sinusoidal", "the encoding to draw"),
      integer("encoding.seq_len", "128", 1, "positions to draw", 1e6),
      integer("encoding.d_model", "64", 1, "width of the model", largest_width),
      integer("encoding.heads", "4", 1, "heads of the model", largest_width),
      flag("encoding.causal", "true", "queries see no later keys"),
      integer("encoding.layer", "0", 0, "which layer's bias to draw", 999),
      list("benchmark.sizes", "tiny, small, medium, big",
           "sizes of which to time a training step; config: model.d_model, layers, heads and vocab_size, "
           "task.train_length, train.batch"),
      list("benchmark.forward", "", "sizes of which to time the forward run alone"),
      list("benchmark.encodings", "", "sizes at which to time every encoding beside none"),
      list("benchmark.lengths", "", "lengths of which to time the evaluation, up to 1000000"),
      integer("benchmark.generate", "0", 0, "tokens to generate for timing"),
      integer("benchmark.steps", "20", 1, "steps to time at each size"),
  };
}

std::string number_complaint(const Key& key, const std::string& value) {
  const bool whole = key.type == KeyType::integer;
  const std::string kind = whole ? "a whole number" : "a number";
  const auto number = parse_real(value);
  if (!number || (whole && !parse_integer(value))) return fmt::format("got '{}', expected {}", value, kind);
  if (*number >= key.low && *number <= key.high) return "";
  if (key.high == infinity) return fmt::format("got {}, expected {} of at least {}", value, kind, key.low);
  return fmt::format("got {}, expected {} from {} to {}", value, kind, key.low, key.high);
}

}  // namespace

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    for (const auto& part :
         {experiment_keys(), model_keys(), positional_keys(), training_keys(), other_keys()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return keys;
}

const Key* find_key(std::string_view name) {
  const auto found = std::ranges::find(all_keys(), name, &Key::name);
  return found == all_keys().end() ? nullptr : &*found;
}

// Levenshtein's distance by rows.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const auto distance = [&](const std::string& other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < other.size(); ++j) {
        const std::size_t changed = diagonal + (name[i] == other[j] ? 0 : 1);
        diagonal = std::exchange(row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, changed}));
      }
    }
    return row.back();
  };
  return *std::ranges::min_element(candidates, {}, distance);
}

std::string complaint(const Key& key, const std::string& value) {
  switch (key.type) {
    case KeyType::integer:
    case KeyType::real:
      return number_complaint(key, value);
    case KeyType::flag:
      return value == "true" || value == "false" ? ""
                                                 : fmt::format("got '{}', expected true or false", value);
    case KeyType::choice: {
      if (std::ranges::find(key.choices, value) != key.choices.end()) return "";
      std::string known;
      for (const std::string& one : key.choices) known += (known.empty() ? "" : ", ") + one;
      return fmt::format("got '{}', expected {}{}", value, key.choices.size() > 1 ? "one of " : "", known);
    }
    case KeyType::text:
    case KeyType::list:
    case KeyType::files:
      break;
  }
  return "";
}

}  // namespace ordinal
