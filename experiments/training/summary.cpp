#include "experiments/training/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/training/evaluation.h"
#include "framework/training/gradient.h"

namespace ordinal::experiments {
namespace {

// Each weight of a matrix costs one multiplication and one addition per token. Table lookups cost
// nothing, but a tied token embedding is also the output layer.
double product_flops(const ModelConfig& config, const ParameterSpec& spec) {
  const bool table =
      spec.name.starts_with("positional.") || (spec.name == "token_embedding.weight" && !config.tied_output);
  return spec.shape.size() == 2 && !table ? 2.0 * static_cast<double>(spec.size()) : 0.0;
}

std::string quantity(double value) {
  if (value >= 1e9) return fmt::format("{:.2f} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.2f} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f} k", value / 1e3);
  return fmt::format("{:.0f}", value);
}

}  // namespace

double training_flops_per_token(const Transformer<float>& model, Index seq_len) {
  return 3.0 * model.cost(seq_len).flops;
}

double recorded_memory_bytes(const Transformer<float>& model, Index sequences, Index seq_len,
                             Index element_bytes) {
  const Cost token = model.cost(seq_len);
  return (token.activations + token.backward) * static_cast<double>(sequences * seq_len * element_bytes);
}

TrainingMemory training_memory(const Transformer<float>& model, const TrainerOptions& options, Index batch,
                               Index seq_len) {
  check_shards(options.shards);
  const auto state = make_optimizer<float>(options.optimizer, ParameterLayout())->state();
  const auto blocks = static_cast<double>(1 + std::ssize(state) + options.shards);
  const Index of_shard = (batch + options.shards - 1) / options.shards;
  return {.parameters = blocks * static_cast<double>(model.layout().flat_size()) * sizeof(float),
          .run = recorded_memory_bytes(model, std::min(of_shard, sequences_at_once(seq_len)), seq_len,
                                       sizeof(float)),
          .shards = options.shards};
}

double scoring_memory_bytes(const Transformer<float>& model, Index seq_len, Index element_bytes) {
  return model.held_without_recording(seq_len, std::min(seq_len, Evaluator<float>::logit_rows)) *
         static_cast<double>(element_bytes);
}

std::string summary(const Transformer<float>& model, Index seq_len) {
  const ModelConfig& config = model.config();
  std::string table =
      fmt::format("{:<44} {:>14} {:>12} {:>14}\n", "name", "shape", "parameters", "FLOPs/token");
  double products = 0.0;
  for (const ParameterSpec& spec : model.layout().specs()) {
    const double flops = product_flops(config, spec);
    products += flops;
    table += fmt::format("{:<44} {:>14} {:>12} {:>14}\n", spec.name, to_string(spec.shape), spec.size(),
                         flops > 0.0 ? quantity(flops) : "-");
  }
  const double total = model.cost(seq_len).flops;
  if (total > products) {
    table +=
        fmt::format("{:<44} {:>14} {:>12} {:>14}\n", fmt::format("attention scores at {} tokens", seq_len),
                    "", "", quantity(total - products));
  }
  table += fmt::format("{:<44} {:>14} {:>12} {:>14}\n", "total", "", model.layout().count(), quantity(total));
  const std::string constants = model.encoding().constants();
  return table + fmt::format("positional encoding: {}{}{}\n", config.encoding, constants.empty() ? "" : ", ",
                             constants);
}

}  // namespace ordinal::experiments
