#include "framework/layers/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <numeric>
#include <stdexcept>

#include "framework/core/random.h"

namespace ordinal {
namespace {

constexpr Index batch = 2;
constexpr double parameter_scale = 0.5;  // of what is added to initial values, so that none is special
constexpr double tolerance = 1e-7;  // of ‖numeric - analytic‖ / max(‖numeric‖, ‖analytic‖) for each array
constexpr double relative_step = 1e-6;
constexpr std::size_t directions = 3;    // for each array
constexpr double rounding_floor = 1e-9;  // error from the rounding of ℓ, relative to the largest gradient

using Vector = std::vector<double>;

double norm(std::span<const double> x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

double largest(std::span<const double> x) {
  double result = 0.0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

// (ℓ(z + hd) - ℓ(z - hd)) / 2h for a direction d; z is restored afterwards.
double central_difference(std::span<double> z, std::span<const double> d,
                          const std::function<double()>& loss) {
  const Vector centre(z.begin(), z.end());
  const double step = relative_step * std::max(1.0, largest(centre));
  const auto loss_at = [&](double h) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = centre[i] + h * d[i];
    return loss();
  };
  const double difference = loss_at(step) - loss_at(-step);
  std::ranges::copy(centre, z.begin());
  return difference / (2.0 * step);
}

// Compares the numeric and the analytic derivatives of one array. `floor` is the error of each that rounding may cause.
void compare(const std::string& name, std::span<const double> numeric, std::span<const double> analytic,
             double floor, GradientReport& report) {
  Vector difference(numeric.begin(), numeric.end());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= analytic[i];
  const double scale = std::max(norm(numeric), norm(analytic));
  const double off = norm(difference);
  if (off <= tolerance * scale + floor * std::sqrt(static_cast<double>(difference.size()))) return;
  report.failures.push_back(
      fmt::format("finite differences of {}: relative error {:.3g}, expected below {:.3g}", name,
                  off / std::max(scale, 1e-300), tolerance));
}

std::span<double> array(Parameters<double>& block, const ParameterSpec& spec) {
  return {block[spec.slot].data, static_cast<std::size_t>(spec.size())};
}

void draw(std::span<double> values, double scale, Random& random) {
  for (double& value : values) value += scale * random.normal();
}

// A layer and all inputs of its checks. The input of the layer is one more parameter, so what is to be checked is one block.
struct Subject {
  Subject(const LayerBuilder& build, Index length)
      : seq_len(length),
        layer(build(Scope(layout, "layer"))),
        x(layout.add("the input", {batch * seq_len, layer->input_width()}, zeros())),
        values(layout),
        u({batch * seq_len, layer->output_width()}) {
    Random random({.seed = 1, .purpose = hash_name("gradient_check")});
    initialize(values, 1);
    for (const ParameterSpec& spec : layout.specs())
      draw(array(values, spec), spec.slot.offset == x.offset ? 1.0 : parameter_scale, random);
    draw(u.span(), 1.0, random);
  }

  View<const double> forward(Pass<double>& pass, bool record) const {
    pass.begin({.positions = Positions::contiguous(batch, seq_len),
                .record = record,
                .training = true,
                .random = {.seed = 11, .step = 3}});
    return layer->forward(values[x], pass);
  }

  double loss() const {
    Pass<double> pass(values);
    const View<const double> y = forward(pass, false);
    double total = 0.0;
    for (Index r = 0; r < y.rows; ++r) {
      for (Index c = 0; c < y.cols; ++c) total += y(r, c) * u(r, c);
    }
    return total;
  }

  void backward(Parameters<double>& gradients) const {
    Pass<double> pass(values, &gradients);
    forward(pass, true);
    const View<const double> dx = layer->backward(u.view(), pass);
    const View<double> sum = gradients[x];
    if (dx.rows != sum.rows || dx.cols != sum.cols) {
      throw std::logic_error(fmt::format("dx has shape {}, expected {}", to_string({dx.rows, dx.cols}),
                                         to_string({sum.rows, sum.cols})));
    }
    for (Index r = 0; r < dx.rows; ++r) {
      for (Index c = 0; c < dx.cols; ++c) sum(r, c) += dx(r, c);
    }
    pass.finish();
  }

  Index seq_len;
  ParameterLayout layout;
  std::unique_ptr<Layer<double>> layer;
  Slot x;
  Parameters<double> values;
  Tensor<double> u;
};

// Takes the differences of each parameter along random directions of length 1.
void check_differences(Parameters<double>& values, const std::function<double()>& loss,
                       Parameters<double>& gradients, GradientReport& report) {
  const double floor = rounding_floor * std::max(largest(gradients.flat()), 1e-3);
  Random random({.seed = 1, .purpose = hash_name("gradient_check.directions")});
  for (const ParameterSpec& spec : values.layout().specs()) {
    const std::span<double> gradient = array(gradients, spec);
    std::array<double, directions> numeric{};
    std::array<double, directions> analytic{};
    for (std::size_t i = 0; i < directions; ++i) {
      Vector d(gradient.size());
      draw(d, 1.0, random);
      const double length = norm(d);
      for (double& x : d) x /= length;
      numeric[i] = central_difference(array(values, spec), d, loss);
      analytic[i] = std::inner_product(d.begin(), d.end(), gradient.begin(), 0.0);
    }
    compare(spec.name, numeric, analytic, floor, report);
  }
}

// A second backward gives the same gradients in another block, and doubles them in the same one.
void check_accumulation(const Subject& subject, const Parameters<double>& once, GradientReport& report) {
  Parameters<double> twice(subject.layout);
  subject.backward(twice);
  if (!std::ranges::equal(once.flat(), twice.flat()))
    report.failures.emplace_back("repeat: a second backward gives other gradients");
  subject.backward(twice);
  const double tolerance = 1e-12 * std::max(largest(once.flat()), 1e-300);
  for (std::size_t i = 0; i < once.flat().size(); ++i) {
    if (std::abs(twice.flat()[i] - 2.0 * once.flat()[i]) <= tolerance) continue;
    report.failures.push_back(
        fmt::format("accumulation: a second backward gives {:.6g} where twice {:.6g} was expected",
                    twice.flat()[i], once.flat()[i]));
    return;
  }
}

void run_checks(Subject& subject, GradientReport& report) {
  const Vector values(subject.values.flat().begin(), subject.values.flat().end());
  const Tensor<double> u = subject.u;
  Parameters<double> gradients(subject.layout);
  subject.backward(gradients);
  if (!std::ranges::equal(values, subject.values.flat()))
    report.failures.emplace_back("contract: x was changed");
  if (!std::ranges::equal(u.span(), subject.u.span()))
    report.failures.emplace_back("contract: dy was changed");
  if (subject.loss() != subject.loss())
    report.failures.emplace_back("repeat: a second forward gives other bits");
  check_accumulation(subject, gradients, report);
  check_differences(
      subject.values, [&] { return subject.loss(); }, gradients, report);
}

}  // namespace

std::string GradientReport::text() const { return fmt::format("{}", fmt::join(failures, "\n")); }

GradientReport check_layer(const LayerBuilder& build, Index seq_len) {
  GradientReport report;
  try {
    Subject subject(build, seq_len);
    run_checks(subject, report);
  } catch (const std::exception& error) {
    report.failures.push_back(fmt::format("contract: {}", error.what()));
  }
  return report;
}

GradientReport check_parameters(
    Parameters<double>& values, const std::function<double(const Parameters<double>&)>& loss,
    const std::function<void(const Parameters<double>&, Parameters<double>&)>& gradient) {
  GradientReport report;
  Parameters<double> analytic(values.layout());
  gradient(values, analytic);
  check_differences(
      values, [&] { return loss(values); }, analytic, report);
  return report;
}

}  // namespace ordinal
