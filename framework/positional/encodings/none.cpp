// No positional encoding. A causal transformer can still infer positions from how many tokens a row sees; a
// bidirectional one is equivariant to permutations of its input (Haviv et al. 2022; Kazemnejad et al. 2023).
#include "framework/positional/positional_encoding.h"

namespace ordinal {
namespace {

template <typename T>
class NoEncoding final : public EncodingPart<T> {
 public:
  NoEncoding(const ModelShape& /*shape*/, const NoOptions& /*options*/, const Scope& /*scope*/) {}
};

}  // namespace

EncodingEntry none_encoding() {
  return describe_encoding<NoEncoding>({.name = "none",
                                        .formula = "x, q, k and the scores stay as they are",
                                        .beyond = "runs; only a causal model can infer position",
                                        .source = "Haviv et al. 2022; Kazemnejad et al. 2023",
                                        .positions = PositionUse::nothing,
                                        .shift_invariant = true,
                                        .definition = "score_ij = q_i·k_j/√d_h and nothing else."});
}

}  // namespace ordinal
