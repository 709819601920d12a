#include "models/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/training/evaluation.h"
#include "framework/training/gradient.h"

namespace ordinal {
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

// Counts one extra block, for the gradients of the block that backward is processing.
double training_memory_bytes(const Transformer<float>& model, Index batch, Index seq_len, Index shards,
                             Index element_bytes) {
  const ModelConfig& config = model.config();
  const double blocks = static_cast<double>(config.layers);
  const double token = model.cost(seq_len).activations;
  const double output = 2.0 * static_cast<double>(config.vocab_size);
  const Index sequences = std::min(batch, shards * sequences_at_once(seq_len));
  const double activations =
      ((token - output) * (blocks + 1.0) / blocks + output) * static_cast<double>(sequences * seq_len);
  const double parameters = static_cast<double>(model.layout().flat_size()) * static_cast<double>(3 + shards);
  return (activations + parameters) * static_cast<double>(element_bytes);
}

double scoring_memory_bytes(const Transformer<float>& model, Index seq_len, Index element_bytes) {
  const auto logits =
      static_cast<double>(std::min(seq_len, Evaluator<float>::logit_rows) * model.config().vocab_size);
  return (model.held_without_recording(seq_len) * static_cast<double>(seq_len) + logits) *
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

}  // namespace ordinal
