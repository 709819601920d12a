// How a trained model uses positions: how far its attention reaches, and whether the position of a token can
// be read from its activations.
#pragma once

#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// Share of the attention that goes to each distance n = 0 … L - 1: h_n = 1/L Σ_{|i-j| = n} a_ij for a map
/// a (L, L) whose rows sum to 1; all h_n sum to 1. Throws std::invalid_argument for a map that is not square.
std::vector<double> attention_distances(const Tensor<double>& map);

/// Activations x (n, d) of n tokens, and the position of each.
struct ProbeSample {
  Tensor<double> activations;
  std::vector<double> positions;
};

/// How well a linear fit p ≈ w·x + b reads positions from activations: R² = 1 - Σ(p - p̂)²/Σ(p - p̄)²
/// on `held_out`, for the w and b that minimise Σ(p - p̂)²/n + ridge·‖w‖² on `fitted`, x standardised.
/// 1 is exact; 0 or less is no better than the mean. Throws std::invalid_argument for samples that are
/// empty or of different widths.
double position_probe(const ProbeSample& fitted, const ProbeSample& held_out, double ridge = 1e-3);

}  // namespace ordinal::experiments
