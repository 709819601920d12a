// Positions computed from the index of a token: counted, compressed, or spread over a range.
#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

class Contiguous final : public SchemeRule {
 public:
  void visit(PositionScheme& scheme, OptionVisitor& v) override {
    v.number("offset", scheme.offset, at_least(0), "the first position", Binds::training);
  }
};

class Interpolated final : public SchemeRule {
 public:
  double place(const PositionScheme& scheme, Index t, Index seq_len) const override {
    return static_cast<double>(t) / stretch_factor(scheme, seq_len);
  }
};

class Spaced final : public SchemeRule {
 public:
  double place(const PositionScheme& scheme, Index t, Index seq_len) const override {
    const Index rounded_down = t * scheme.max_position / seq_len;
    return static_cast<double>(rounded_down);
  }
};

}  // namespace

SchemeEntry contiguous_scheme() {
  return describe_scheme<Contiguous>({.name = "contiguous",
                                      .summary = "0, 1, 2, …, or from an offset",
                                      .definition = "p_t = offset + t for token t = 0, 1, …"});
}

SchemeEntry interpolated_scheme() {
  return describe_scheme<Interpolated>(
      {.name = "interpolated",
       .summary = "0, 1/s, 2/s, …: compressed into the range of training (*)",
       .definition =
           R"(p_t = t/s for token t = 0, 1, … of a sequence of ℓ tokens, s = scale (0: max(1, ℓ/L), L the training
length). Under the condition `shifted` its offset is added to t/s. Chen et al. 2023.)",
       .scales = true});
}

SchemeEntry spaced_scheme() {
  return describe_scheme<Spaced>(
      {.name = "spaced",
       .summary = "evenly spaced over the range of randomized (*)",
       .definition =
           R"(p_t = ⌊t M/ℓ⌋ for token t = 0, 1, … of a sequence of ℓ tokens, M = max_position (0: twice the longest
length of training and test).)",
       .has_range = true});
}

}  // namespace ordinal
