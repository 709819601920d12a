#include "models/model_config.h"

#include "framework/layers/layer_registry.h"

namespace ordinal {

void ModelConfig::visit(OptionVisitor& v) {
  constexpr double largest_width = 65536;
  v.integer("d_model", d_model, between(1, largest_width), "width of the model");
  v.integer("layers", layers, between(1, 1000), "number of blocks");
  v.integer("heads", heads, between(1, largest_width), "query heads; must divide d_model");
  v.integer("n_kv_heads", n_kv_heads, automatic_or(1, largest_width),
            "key/value heads; must divide heads; 0: as many as heads");
  v.parts("block", block, "branches", "branches of a block in order, each with its own norm and residual");
  v.parts("encoding", encoding, "positional encodings",
          "positional encoding; a+b: both, a first; a@training:test: with other positions in training and in "
          "the test");
  v.parts("norm", norm, "norms", "before or after each branch");
  v.choice("norm_placement", norm_placement, {"pre", "post"}, "norm before or after each residual branch");
  v.number("dropout", dropout, between(0, 0.999999), "dropout after each branch", Binds::training);
  v.number("positional_dropout", positional_dropout, between(0, 0.999999), "dropout on x + PE",
           Binds::training);
  v.flag("bias", bias, "biases in the linear layers");
  v.flag("tied_output", tied_output, "the output layer shares the token embedding");
  v.flag("scale_embedding", scale_embedding, "multiply token embeddings by √d_model before PE is added");
  v.parts("init", init, "initial weights", "initial values of the weights of products", Binds::training);
  v.number("embedding_sd", embedding_sd, automatic_or(0),
           "initial standard deviation of token embeddings; 0: 1/√d_model, so that times √d_model it is 1 "
           "(sines: 0.71)",
           Binds::training);
  v.integer("vocab_size", vocab_size, automatic_or(1, largest_count),
            "number of different tokens; 0: the task's");
}

ModelShape shape_of(const ModelConfig& config) {
  Index attention_layers = 0;
  for (const Part& branch : block_parts(config.block)) {
    if (layers(LayerKind::branch).find(branch.name).uses_encoding) attention_layers += config.layers;
  }
  return {.d_model = config.d_model,
          .heads = config.heads,
          .n_kv_heads = config.kv_heads(),
          .layers = attention_layers,
          .causal = config.causal,
          .train_length = config.train_length,
          .positions = config.positions != 0 ? config.positions : config.train_length,
          .longest = config.longest};
}

}  // namespace ordinal
