// Positions that a task gives its tokens, shifted for each example.
#include <fmt/format.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/positional/position_scheme.h"

namespace ordinal {
namespace {

class OfTask final : public SchemeRule {
 public:
  void visit(PositionScheme& scheme, OptionVisitor& v) override {
    v.text("ids", scheme.ids, "the name of positions that the task gives; auto: its first", Binds::training);
  }
};

}  // namespace

Positions moved_positions(const PositionScheme& scheme, Index batch, std::span<const double> given,
                          const RandomKey& first) {
  std::vector<double> positions(given.begin(), given.end());
  const auto seq_len = std::ssize(positions) / batch;
  for (Index b = 0; b < batch; ++b) {
    const std::span<double> row = std::span(positions).subspan(static_cast<std::size_t>(b * seq_len),
                                                               static_cast<std::size_t>(seq_len));
    const auto free = scheme.max_position - static_cast<Index>(*std::ranges::max_element(row));
    if (free < 1) {
      throw PositionError(
          fmt::format("the task gives positions up to {}, expected them below {} (raise max_position)",
                      scheme.max_position - free, scheme.max_position));
    }
    const auto shift = static_cast<double>(position_stream(first, b).below(static_cast<std::uint32_t>(free)));
    for (double& position : row) position += position > 0.0 ? shift : 0.0;
  }
  return Positions::per_sequence(batch, std::move(positions));
}

SchemeEntry task_scheme() {
  return describe_scheme<OfTask>(
      {.name = "task",
       .summary = "positions that the task gives, shifted by a random number for each example (*)",
       .definition =
           R"(p_t = c_t + k for token t, c_t = 1, 2, … given by the task, or p_t = 0 for a token without one; k is a whole
number uniform in 0 … M - 1 - max c, drawn for each example in training and in the test. M = max_position (0:
twice the longest length of training and test). The definition of a task says which positions it gives, and
their names.)",
       .is_random = true,
       .has_range = true});
}

}  // namespace ordinal
