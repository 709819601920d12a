// What a task measures: a score for a group of targets, such as the accuracy on names that must be recalled,
// at positions past the training length. Also what a task knows about each target.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal::experiments {

/// exact counts an example as right if all its targets are; the others are means over targets, and perplexity is 2 to the
/// mean of bits. With the right tokens as input (teacher forcing), exact tells whether greedy decoding would write the whole
/// answer.
enum class Measure { bits, perplexity, accuracy, exact };

/// Whether the order of the tokens before a target matters. A reader that ignores order is mostly right on
/// uncontested targets and mostly wrong on contested ones.
enum class Conflict { any, contested, uncontested };

/// What a task knows about one target.
struct Label {
  Index token_class = -1;    // of the task's own classes of targets; -1: none
  Index source = 0;          // tokens back to the nearest one that determines the target; 0: none
  double oracle_bits = NAN;  // -log2 of its probability for an oracle that knows the generator; NaN: unknown
  Conflict conflict = Conflict::any;
  std::optional<bool> majority = {};  // whether the most frequent of the earlier answers is right
  std::optional<bool> draw = {};      // whether one drawn from the earlier answers is right
};

/// How far back the source of a target is, compared with the training length: near or far in titles.
enum class SourceRange { any, within, beyond };

/// One number of a table: the mean of a measure over the targets that belong to it.
struct MetricSpec {
  std::string id = {};    // for scripts: "recall.accuracy.past"
  std::string name = {};  // for display, without the targets that count: "recall accuracy"
  Measure measure = Measure::bits;
  Index token_class = -1;  // -1: targets of every class
  Conflict conflict = Conflict::any;
  SourceRange sources = SourceRange::any;  // beyond: further back than the training length
  bool excess = false;    // bits minus those of the oracle: 0 is the best possible value at every length
  bool past = false;      // only positions past the training length; at lengths up to it, all positions
  bool headline = false;  // rows are compared in it; if no metric of a task says so, in the first
  // One of several that split the targets of a headline metric by the distance of their source: its id, the heading of this part in
  // the one table that tells them apart, "2x to 4x", and its distances: above band_from to 2 band_from training lengths (0: all).
  std::string band_of = {};
  std::string band = {};
  Index band_from = 0;

  bool lower_is_better() const { return measure == Measure::bits || measure == Measure::perplexity; }
  bool is_fraction() const { return !lower_is_better(); }
  /// Whether a model can have this score.
  bool is_possible(double value) const {
    return value <= (is_fraction() ? 1.0 : INFINITY) && (excess || value >= 0.0);
  }
  bool reached(double value, double threshold) const {
    return lower_is_better() ? value <= threshold : value >= threshold;
  }
  /// "near recall accuracy past the training length"; without the last words at lengths up to it, where `past` counts all positions.
  /// The band follows in parentheses.
  std::string title(bool is_past_training = true) const;
  /// Whether it is about all targets, at every position, whatever their sources.
  bool counts_all() const {
    return conflict == Conflict::any && sources == SourceRange::any && band_from == 0 && !excess && !past;
  }
  /// Whether sequences of this length can have such targets.
  bool has_targets(Index length, Index train_length) const {
    return sources != SourceRange::beyond || length > std::max<Index>(band_from, 1) * train_length;
  }
  /// Whether a target at `position` (0, 1, …) of a sequence of `seq_len` tokens counts.
  bool counts(const Label& label, Index position, Index seq_len, Index train_tokens) const;
};

/// The metrics in which rows are compared; and those that are neither these nor bands.
std::vector<MetricSpec> headlines(const std::vector<MetricSpec>& metrics);
std::vector<MetricSpec> other_metrics(const std::vector<MetricSpec>& metrics);

/// Their ids.
std::vector<std::string> ids_of(const std::vector<MetricSpec>& metrics);

/// The usual metrics: over all positions, and past the training length; for bits also perplexity, for accuracy exact match.
std::vector<MetricSpec> plain_metrics(Measure measure);

/// When a model has learned its task: its score at the training length reaches the threshold, which is a
/// number or the score of a baseline.
struct Gate {
  std::string metric;       // id
  double threshold = 0.0;   // of that metric
  std::string reader = {};  // "bigram": the threshold is the score of this baseline at the training length
};

}  // namespace ordinal::experiments
