// RoPE (Su et al. 2021): queries and keys are rotated by angles that grow with their position, so that their
// product depends on the difference of positions alone. Values are left as they are.
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

template <typename T>
class Rope final : public PositionalEncoding<T> {
 public:
  Rope(const ModelShape& shape, const RotaryOptions& options, const Scope& scope)
      : rotary_(shape, options, scope) {}

  std::string constants() const override { return rotary_.constants(); }

  std::vector<double> frequencies(const Stretch& stretch) const override {
    return rotary_.frequencies(stretch);
  }

  void begin_run(Pass<T>& pass) const override { rotary_.begin_run(pass); }

  void encode_query_key(View<T> query, View<T> key, Index /*layer*/, Pass<T>& pass) const override {
    rotary_.rotate(query, key, pass);
  }
  void encode_query_key_backward(View<T> d_query, View<T> d_key, Index /*layer*/,
                                 Pass<T>& pass) const override {
    rotary_.rotate_back(d_query, d_key, pass);
  }

 private:
  Rotary<T> rotary_;
};

}  // namespace

EncodingEntry rope_encoding() {
  return describe_encoding<Rope, RotaryOptions>(
      {.name = "rope",
       .acts_on = {Place::query_key},
       .formula = "pairs of q and k turned by pos θ_i, θ_i = base^(-2i/d_h)",
       .parameters = "none",
       .beyond =
           "runs, with angles that training never showed; positions = interpolated, ntk, yarn slow them",
       .source = "Su et al. 2021, §3.4",
       .positions = PositionUse::rotary,
       .shift_invariant = true,
       .shift_limit = half_table_rounding});
}

}  // namespace ordinal
