// Self-Extend (Jin et al. 2024) and ReRoPE (Su 2023): near keys keep their distance, far ones share one with their neighbours, so that
// no distance is larger than in training.
#include <fmt/format.h>

#include <limits>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

class SelfExtend final : public SchemeRule {
 public:
  void visit(PositionScheme& /*scheme*/, OptionVisitor& v) override {
    v.integer("near", near_, automatic_or(1, largest_count),
              "distance from which keys are far; 0: half the training length", Binds::test);
    v.integer("group", group_, automatic_or(1, largest_count),
              "positions in a group; 0: as many as keep all distances below the training length",
              Binds::test);
    v.flag("clamped", clamped_, "all far keys are at the distance `near` (ReRoPE)", Binds::test);
  }

  void resolve(Index train_length) override {
    if (near_ == 0) near_ = std::max<Index>(1, train_length / 2);
    if (near_ < train_length || clamped_ || group_ > 0) return;
    throw ConfigError(
        fmt::format("self_extend: near = {} is not below the training length, {}", near_, train_length));
  }

  Stretch stretch(const PositionScheme& scheme, double s) const override {
    if (s == 1.0) return {};
    FarDistances far{.near = static_cast<double>(near_), .group = static_cast<double>(group_)};
    const auto length = static_cast<double>(scheme.train_length);
    if (clamped_) far.group = std::numeric_limits<double>::infinity();
    if (group_ > 0 || clamped_) return {.far = far};
    do ++far.group;
    while (far.distance(s * length - 1.0, 0.0) >= length);
    return {.far = far};
  }

 private:
  Index near_ = 0;   // 0: automatic
  Index group_ = 0;  // 0: automatic
  bool clamped_ = false;
};

}  // namespace

SchemeEntry self_extend_scheme() {
  return describe_scheme<SelfExtend>(
      {.name = "self_extend",
       .summary = "far keys share their distance with their neighbours; for tests of rope and biases by "
                  "distance (*)",
       .definition =
           R"(p_t = t. In sequences longer than in training, a key that stands w = near or more tokens before its query is
scored at the distance  w - ⌊w/G⌋ + ⌊p_i/G⌋ - ⌊p_j/G⌋  instead of p_i - p_j: by rope at the angles of this
distance, by others with its bias. w = near (0: L/2, L the training length). G = group (0: the least with which
no distance of ℓ tokens reaches L). With clamped = true all these keys are at the distance w (ReRoPE). Keys to the
right of a query keep their distance. For tests alone. Jin et al. 2024; Su 2023.)",
       .maps_distances = true});
}

}  // namespace ordinal
