// GRAPE-M (Zhang et al. 2025): RoPE whose frequencies are learned.
#include <cmath>

#include "framework/positional/positional_encoding.h"
#include "framework/positional/rotary.h"

namespace ordinal {
namespace {

struct GrapeMOptions {
  double base = 10000.0;
  double scale = 16.0;

  void visit(OptionVisitor& v) {
    v.number("base", base, above(1), "θ_i starts as base^(-2i/d_head)", Binds::training);
    v.number("scale", scale, above(0), "λ is divided by it, so that an optimizer moves ln θ_i less",
             Binds::training);
  }
  void resolve(const ModelShape& shape) { RotaryOptions::require_pairs(shape.d_head(), shape); }
};

template <typename T>
class GrapeM final : public EncodingPart<T> {
 public:
  GrapeM(const ModelShape& shape, const GrapeMOptions& options, const Scope& scope)
      : pairs_(shape.d_head() / 2),
        first_(sinusoidal_frequencies(shape.d_head(), options.base)),
        scale_(options.scale) {
    for (Index layer = 0; layer < shape.layers; ++layer)
      growth_.push_back(scope.nested(std::to_string(layer)).add("log_frequency", {pairs_}, zeros()));
  }

  void encode_query_key(View<T> query, View<T> key, const LayerAt& at, Pass<T>& pass) const override {
    const View<const T> angles = angles_of(at.number, pass);
    for (const View<T> x : {query, key}) {
      turn(x, angles, T(1));
      if (!pass.run().record) continue;  // without a copy
      const View<T> turned = pass.allocate(x.rows, x.cols);
      copy_rows<T>(x, turned);
      pass.save("GrapeM", turned);
    }
    pass.save("GrapeM", angles);
  }

  // With φ = p θ_i and y = R(φ) x:   dx = R(-φ) dy,   dλ_i += p θ_i/scale (dy_b y_a - dy_a y_b).
  void encode_query_key_backward(View<T> d_query, View<T> d_key, const LayerAt& at,
                                 Pass<T>& pass) const override {
    const View<const T> angles = pass.restore("GrapeM");
    for (const View<T> d : {d_key, d_query}) {
      const View<const T> turned = pass.restore("GrapeM");
      for (Index i = 0; i < pairs_; ++i) {
        double moment = 0.0;
        for (Index t = 0; t < d.rows; ++t) {
          double of_token = 0.0;
          for (Index a = i; a < d.cols; a += 2 * pairs_)
            of_token +=
                static_cast<double>(d(t, a + pairs_) * turned(t, a) - d(t, a) * turned(t, a + pairs_));
          moment += position(t, pass) * of_token;
        }
        pass.gradient(growth_of(at.number))(0, i) +=
            static_cast<T>(frequency(at.number, i, pass) / scale_ * moment);
      }
      turn(d, angles, T(-1));
    }
  }

 private:
  const Slot& growth_of(Index layer) const { return growth_[static_cast<std::size_t>(layer)]; }
  double frequency(Index layer, Index pair, const Pass<T>& pass) const {
    const T growth = pass.value(growth_of(layer))(0, pair);
    return first_[static_cast<std::size_t>(pair)] * std::exp(static_cast<double>(growth) / scale_);
  }
  static double position(Index t, const Pass<T>& pass) {
    return pass.run().positions.of(t / pass.seq_len())[static_cast<std::size_t>(t % pass.seq_len())];
  }

  // The sines of all pairs, then their cosines, of each token; of those of one sequence if all share their positions.
  View<const T> angles_of(Index layer, Pass<T>& pass) const {
    const Index sequences = pass.run().positions.is_shared() ? 1 : pass.batch();
    const View<T> angles = pass.allocate(sequences * pass.seq_len(), 2 * pairs_);
    for (Index i = 0; i < pairs_; ++i) {
      const double theta = frequency(layer, i, pass);
      for (Index t = 0; t < angles.rows; ++t) {
        const double angle = position(t, pass) * theta;
        angles(t, i) = static_cast<T>(std::sin(angle));
        angles(t, pairs_ + i) = static_cast<T>(std::cos(angle));
      }
    }
    return angles;
  }

  void turn(View<T> x, View<const T> angles, T direction) const {
    for (Index t = 0; t < x.rows; ++t) {
      const T* sine = angles.row(t % angles.rows);
      for (T* a = x.row(t); a < x.row(t) + x.cols; a += 2 * pairs_)
        turn_pairs(a, pairs_, sine, sine + pairs_, direction);
    }
  }

  Index pairs_;
  std::vector<double> first_;  // base^(-2i/d_head)
  double scale_;
  std::vector<Slot> growth_;  // λ (d_head/2) of each layer
};

}  // namespace

EncodingEntry grape_m_encoding() {
  return describe_encoding<GrapeM, GrapeMOptions>(
      {.name = "grape_m",
       .formula = "pairs of q and k rotated by pos θ_i, θ_i = base^(-2i/d_h) e^(λ_i/scale), λ learned",
       .beyond = "runs, at angles that training has not shown; positions = interpolated slows them",
       .source = "Zhang et al. 2025, GRAPE-M",
       .shift_invariant = true,
       .definition =
           R"(Pair i = 0 … d_h/2 - 1 of a head, dimensions i and i + d_h/2, of a query or key at position p, any real number, is
rotated by
  p θ_i,   θ_i = base^(-2i/d_h) e^(λ_i/scale),   (a, b) -> (a cos pθ_i - b sin pθ_i, a sin pθ_i + b cos pθ_i),
before the product q·k/√d_h. All heads of a layer share λ. Each of these rotations is exp(p θ L) with a matrix
L of rank 2, and they commute; rope(pairing=half) has the same with λ = 0. This is the form of the authors' code
(llama-mha-grape-m-nonctx), which learns scale · ln θ_i with scale = 16. Learned planes, which the paper allows,
it does not have.
Parameters:
  positional.grape_m.<layer>.log_frequency  λ  (d_h/2)  0)"});
}

}  // namespace ordinal
