// The cost of a transformer: its table of parameters, floating-point operations and memory.
#pragma once

#include <string>

#include "models/transformer.h"

namespace ordinal {

/// Floating-point operations of a training step for one token: forward and backward are three times as many as
/// forward, which model.cost(seq_len) has. A product of (m, k) and (k, n) is 2mkn. Attention is not discounted for
/// causality: scores and values are 4·seq_len·d_model per token and layer.
double training_flops_per_token(const Transformer<float>& model, Index seq_len);

/// Training memory in bytes: values, gradients of each shard, two moments, and the recorded activations of
/// the shards. An estimate, accurate to within a few tens of per cent.
double training_memory_bytes(const Transformer<float>& model, Index batch, Index seq_len, Index shards,
                             Index element_bytes);

/// Memory for scoring a sequence, in bytes: the activations of a run without recording. An estimate, as above.
double scoring_memory_bytes(const Transformer<float>& model, Index seq_len, Index element_bytes);

/// A table of the name, shape, number of elements and forward FLOPs per token of each parameter, and the
/// totals; then the positional encoding in effect and its constants.
std::string summary(const Transformer<float>& model, Index seq_len);

}  // namespace ordinal
