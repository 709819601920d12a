#include "models/summary.h"

#include <fmt/format.h>

namespace ordinal {
namespace {

// Each weight of a matrix takes part in one multiplication and one addition for a token. Tables that are
// looked up cost nothing, but a tied token embedding is also the output layer.
double product_flops(const ModelConfig& config, const ParameterSpec& spec) {
  const bool table =
      spec.name.starts_with("positional.") || (spec.name == "token_embedding.weight" && !config.tied_output);
  return spec.shape.size() == 2 && !table ? 2.0 * static_cast<double>(spec.size()) : 0.0;
}

double attention_flops(const ModelConfig& config, Index seq_len) {
  return 4.0 * static_cast<double>(config.layers * seq_len * config.d_model);
}

std::string quantity(double value) {
  if (value >= 1e9) return fmt::format("{:.2f} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.2f} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f} k", value / 1e3);
  return fmt::format("{:.0f}", value);
}

}  // namespace

double forward_flops_per_token(const ModelConfig& config, Index seq_len) {
  const auto d = static_cast<double>(config.d_model);
  const auto kv = static_cast<double>(config.kv_heads()) / static_cast<double>(config.heads);
  const auto ff = static_cast<double>(config.hidden_units());
  const double gated = config.activation == "swiglu" ? 3.0 : 2.0;
  const double block = d * d * (2.0 + 2.0 * kv) + gated * d * ff;
  const double output = static_cast<double>(config.vocab_size) * d;
  return 2.0 * (static_cast<double>(config.layers) * block + output) + attention_flops(config, seq_len);
}

double training_flops_per_token(const ModelConfig& config, Index seq_len) {
  return 3.0 * forward_flops_per_token(config, seq_len);
}

double training_memory_bytes(const ModelConfig& config, const ParameterLayout& layout, Index batch,
                             Index seq_len, Index shards, Index element_bytes) {
  const auto d = static_cast<double>(config.d_model);
  const auto ff = static_cast<double>(config.hidden_units());
  // Of each block: two norms, q, k, v, heads, two outputs, two sums, and the hidden units before and after
  // the activation; of the whole: logits and their gradient, and one block's gradients.
  const double block = 10.0 * d + 2.0 * ff;
  const double token =
      static_cast<double>(config.layers + 1) * block + 2.0 * static_cast<double>(config.vocab_size);
  const double activations = token * static_cast<double>(batch * seq_len);
  const double parameters = static_cast<double>(layout.flat_size()) * static_cast<double>(3 + shards);
  return (activations + parameters) * static_cast<double>(element_bytes);
}

std::string summary(const Transformer<float>& model, Index seq_len) {
  const ModelConfig& config = model.config();
  std::string table =
      fmt::format("{:<44} {:>14} {:>12} {:>14}\n", "name", "shape", "parameters", "FLOPs/token");
  for (const ParameterSpec& spec : model.layout().specs()) {
    const double flops = product_flops(config, spec);
    table += fmt::format("{:<44} {:>14} {:>12} {:>14}\n", spec.name, to_string(spec.shape), spec.size(),
                         flops > 0.0 ? quantity(flops) : "-");
  }
  table += fmt::format("{:<44} {:>14} {:>12} {:>14}\n", fmt::format("attention scores at {} tokens", seq_len),
                       "", "", quantity(attention_flops(config, seq_len)));
  table += fmt::format("{:<44} {:>14} {:>12} {:>14}\n", "total", "", model.layout().count(),
                       quantity(forward_flops_per_token(config, seq_len)));
  const std::string constants = model.encoding().constants();
  return table + fmt::format("positional encoding: {}{}{}\n", config.encoding.name,
                             constants.empty() ? "" : ", ", constants);
}

}  // namespace ordinal
