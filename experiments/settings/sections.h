// The settings of a run: one struct for each section of a config. Its visit() names each setting once; keys, defaults, help, checks of
// ranges, resolved.cfg and the metadata of checkpoints come from it.
#pragma once

#include <string>
#include <vector>

#include "framework/core/options.h"
#include "framework/training/trainer.h"
#include "models/generation.h"
#include "models/model_config.h"

namespace ordinal::experiments {

inline const ModelConfig model_defaults = {.vocab_size = 0};
inline const TrainerOptions trainer_defaults = {};

struct ExperimentSection {
  std::string name = "extrapolation";
  std::string seeds = "3";
  Index tune_seed = 1000;
  void visit(OptionVisitor& v);
};

struct TaskSection {
  PartList name = "language";
  Index train_length = model_defaults.train_length;
  PartList lengths = "auto";
  std::vector<std::string> file = {};
  void visit(OptionVisitor& v);
};

struct ModelSection {
  ModelConfig config = model_defaults;
  std::string causal = "auto";
  Index train_length = 0;
  void visit(OptionVisitor& v);
};

struct TrainSection {
  Index steps = trainer_defaults.schedule.steps;
  Index batch = 32;
  double learning_rate = trainer_defaults.schedule.peak;
  Index warmup = trainer_defaults.schedule.warmup;
  PartList schedule = trainer_defaults.schedule.name;
  PartList optimizer = trainer_defaults.optimizer;
  double clip = trainer_defaults.clip;
  Index accumulate = 1;
  Index shards = 0;
  Index seed = static_cast<Index>(trainer_defaults.seed);
  double stop_at = 0.0;
  Index stop_every = 1000;
  std::string on_divergence = "stop";
  Index log_every = 50;
  Index checkpoint_every = 500;
  void visit(OptionVisitor& v);
};

/// A second stage of training.
struct FinetuneSection {
  static constexpr const char* same = "same";  // as in the first stage

  Index steps = 0;
  std::string length = "1x";
  PartList lengths = same;
  PartList encoding = same;
  double learning_rate = 0.0;
  std::vector<std::string> file = {};
  void visit(OptionVisitor& v);
};

struct EvaluateSection {
  std::vector<std::string> lengths = {"1x", "2x", "4x", "8x"};
  PartList conditions = "trained";
  Index batches = 8;
  Index batch = 0;
  double gate = 0.0;
  void visit(OptionVisitor& v);
};

struct GenerateSection {
  std::string prompt = {};
  GenerationOptions options = {};
  void visit(OptionVisitor& v);
};

struct EncodingSection {
  PartList name = model_defaults.encoding;
  std::vector<std::string> names = {};
  Index seq_len = 128;
  std::vector<std::string> positions = {};
  Index d_model = model_defaults.d_model;
  Index heads = model_defaults.heads;
  bool causal = model_defaults.causal;
  Index layer = 0;
  std::vector<std::string> offsets = {"1", "5", "10", "50"};
  std::string sentence = "dog bites man";
  std::string reordered = "man bites dog";
  void visit(OptionVisitor& v);
};

struct ClaimsSection {
  std::string folder = "configs/claims";
  bool train = false;
  void visit(OptionVisitor& v);
};

struct BenchmarkSection {
  std::vector<std::string> sizes = {"tiny", "small", "medium", "big"};
  std::vector<std::string> encodings = {};
  Index steps = 20;
  void visit(OptionVisitor& v);
};

/// All sections, in the order of --help and of resolved.cfg.
struct Sections {
  ExperimentSection experiment = {};
  TaskSection task = {};
  ModelSection model = {};
  TrainSection train = {};
  FinetuneSection finetune = {};
  EvaluateSection evaluate = {};
  GenerateSection generate = {};
  EncodingSection encoding = {};
  ClaimsSection claims = {};
  BenchmarkSection benchmark = {};

  /// Calls visitor(name, section) for each section of `all`, which may be const.
  static void visit(auto& all, const auto& visitor) {
    visitor("experiment", all.experiment);
    visitor("task", all.task);
    visitor("model", all.model);
    visitor("train", all.train);
    visitor("finetune", all.finetune);
    visitor("evaluate", all.evaluate);
    visitor("generate", all.generate);
    visitor("encoding", all.encoding);
    visitor("claims", all.claims);
    visitor("benchmark", all.benchmark);
  }
};

}  // namespace ordinal::experiments
