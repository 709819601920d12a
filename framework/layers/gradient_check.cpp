#include "framework/layers/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "framework/core/random.h"

namespace ordinal {
namespace {

constexpr double relative_step = 1e-6;
constexpr double element_slack = 100.0;  // allowed error of an element, in multiples of its array's tolerance
constexpr double rounding_floor = 1e-9;  // error from the rounding of ℓ, relative to the largest gradient

using Vector = std::vector<double>;

double norm(std::span<const double> x) {
  double total = 0.0;
  for (const double value : x) total += value * value;
  return std::sqrt(total);
}

double largest(std::span<const double> x) {
  double result = 0.0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

void draw(std::span<double> values, double scale, Random& random) {
  for (double& value : values) value += scale * random.normal();
}

// (ℓ(z + h) - ℓ(z - h)) / 2h; z is restored afterwards.
double central_difference(double& z, const std::function<double()>& loss) {
  const double centre = z;
  const double step = relative_step * std::max(1.0, std::abs(centre));
  z = centre + step;
  const double above = loss();
  z = centre - step;
  const double below = loss();
  z = centre;
  return (above - below) / (2.0 * step);
}

// Compares the numeric and the analytic gradient of one array. `floor` is the error that rounding may cause.
void compare(const std::string& name, std::span<const double> numeric, std::span<const double> analytic,
             double tolerance, double floor, GradientReport& report) {
  Vector difference(numeric.begin(), numeric.end());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= analytic[i];
  const double scale = std::max(norm(numeric), norm(analytic));
  const double off = norm(difference);
  if (!(off <= tolerance * scale + floor * std::sqrt(static_cast<double>(difference.size())))) {
    report.failures.push_back(
        fmt::format("finite differences of {}: relative error {:.3g}, expected below {:.3g}", name,
                    off / std::max(scale, 1e-300), tolerance));
    return;
  }
  const double element = largest(difference);
  const double bound = element_slack * tolerance * std::max(largest(numeric), largest(analytic)) + floor;
  if (!(element <= bound)) {
    report.failures.push_back(
        fmt::format("finite differences of {}: one element is off by {:.3g}, expected below {:.3g}", name,
                    element, bound));
  }
}

// A layer and all inputs of its checks.
struct Subject {
  Subject(const LayerBuilder& build, const GradientCheckOptions& check)
      : options(check),
        layer(build(Scope(layout, "layer"))),
        values(layout),
        x({options.batch * options.seq_len, layer->input_width()}),
        u({options.batch * options.seq_len, layer->output_width()}) {
    Random random({.seed = options.seed, .purpose = hash_name("gradient_check")});
    initialize(values, options.seed);
    for (const ParameterSpec& spec : layout.specs())
      draw(array(values, spec), options.parameter_scale, random);
    draw(x.span(), 1.0, random);
    draw(u.span(), 1.0, random);
  }

  static std::span<double> array(Parameters<double>& block, const ParameterSpec& spec) {
    return {block[spec.slot].data, static_cast<std::size_t>(spec.size())};
  }

  Run<double> run(bool record) const {
    return {.positions = Positions::contiguous(options.batch, options.seq_len),
            .record = record,
            .training = options.training,
            .random = {.seed = 11, .step = 3}};
  }

  double loss() const {
    Pass<double> pass(values);
    pass.begin(run(false));
    const View<const double> y = layer->forward(x.view(), pass);
    double total = 0.0;
    for (Index r = 0; r < y.rows; ++r) {
      for (Index c = 0; c < y.cols; ++c) total += y(r, c) * u(r, c);
    }
    return total;
  }

  // Returns dx, and adds the gradients of the parameters to `gradients`.
  Vector backward(Parameters<double>& gradients) const {
    Pass<double> pass(values, &gradients);
    pass.begin(run(true));
    layer->forward(x.view(), pass);
    const View<const double> dx = layer->backward(u.view(), pass);
    Vector result;
    for (Index r = 0; r < dx.rows; ++r) result.insert(result.end(), dx.row(r), dx.row(r) + dx.cols);
    pass.finish();
    return result;
  }

  GradientCheckOptions options;
  ParameterLayout layout;
  std::unique_ptr<Layer<double>> layer;
  Parameters<double> values;
  Tensor<double> x;
  Tensor<double> u;
};

void check_differences(Subject& subject, const Vector& dx, Parameters<double>& gradients, double tolerance,
                       GradientReport& report) {
  const auto loss = [&] { return subject.loss(); };
  const double floor = rounding_floor * std::max({largest(dx), largest(gradients.flat()), 1e-3});
  Vector numeric;
  for (double& z : subject.x.span()) numeric.push_back(central_difference(z, loss));
  compare("the input", numeric, dx, tolerance, floor, report);
  for (const ParameterSpec& spec : subject.layout.specs()) {
    numeric.clear();
    for (double& z : Subject::array(subject.values, spec)) numeric.push_back(central_difference(z, loss));
    compare(spec.name, numeric, Subject::array(gradients, spec), tolerance, floor, report);
  }
}

// ⟨J v, u⟩ by one central difference along v, against ⟨v, Jᵀ u⟩, over the input and all parameters at once.
void check_adjoint(Subject& subject, const Vector& dx, const Parameters<double>& gradients, double tolerance,
                   GradientReport& report) {
  Random random({.seed = 2, .purpose = hash_name("gradient_check.adjoint")});
  Vector v(dx.size());
  Parameters<double> w(subject.layout);
  draw(v, 1.0, random);
  for (const ParameterSpec& spec : subject.layout.specs()) draw(Subject::array(w, spec), 1.0, random);
  double analytic = 0.0;
  for (std::size_t i = 0; i < v.size(); ++i) analytic += v[i] * dx[i];
  for (std::size_t i = 0; i < w.flat().size(); ++i) analytic += w.flat()[i] * gradients.flat()[i];

  const Tensor<double> x = subject.x;
  const Vector values(subject.values.flat().begin(), subject.values.flat().end());
  double amount = 0.0;
  const double numeric = central_difference(amount, [&] {
    for (std::size_t i = 0; i < v.size(); ++i) subject.x.span()[i] = x.span()[i] + amount * v[i];
    for (std::size_t i = 0; i < values.size(); ++i)
      subject.values.flat()[i] = values[i] + amount * w.flat()[i];
    return subject.loss();
  });
  subject.x = x;
  std::ranges::copy(values, subject.values.flat().begin());
  const double scale = norm(v) * norm(dx) + norm(w.flat()) * norm(gradients.flat());
  if (!(std::abs(numeric - analytic) <= tolerance * scale)) {
    report.failures.push_back(
        fmt::format("adjoint: ⟨J v, u⟩ = {:.12g} but ⟨v, Jᵀ u⟩ = {:.12g}", numeric, analytic));
  }
}

void check_accumulation(const Subject& subject, const Vector& dx, const Parameters<double>& once,
                        Parameters<double>& twice, GradientReport& report) {
  if (subject.backward(twice) != dx)
    report.failures.emplace_back("repeat: a second backward gives another dx");
  const double tolerance = 1e-12 * std::max(largest(once.flat()), 1e-300);
  for (std::size_t i = 0; i < once.flat().size(); ++i) {
    if (std::abs(twice.flat()[i] - 2.0 * once.flat()[i]) <= tolerance) continue;
    report.failures.push_back(
        fmt::format("accumulation: a second backward gives {:.6g} where twice {:.6g} was expected",
                    twice.flat()[i], once.flat()[i]));
    return;
  }
}

void run_checks(Subject& subject, const GradientCheckOptions& options, GradientReport& report) {
  const Tensor<double> x = subject.x;
  const Tensor<double> u = subject.u;
  Parameters<double> gradients(subject.layout);
  const Vector dx = subject.backward(gradients);
  if (!std::ranges::equal(x.span(), subject.x.span()))
    report.failures.emplace_back("contract: x was changed");
  if (!std::ranges::equal(u.span(), subject.u.span()))
    report.failures.emplace_back("contract: dy was changed");
  if (dx.size() != x.span().size()) {
    report.failures.push_back(fmt::format("contract: dx has {} elements, expected {}", dx.size(), x.size()));
    return;
  }
  if (subject.loss() != subject.loss())
    report.failures.emplace_back("repeat: a second forward gives other bits");
  Parameters<double> again(subject.layout);
  std::ranges::copy(gradients.flat(), again.flat().begin());
  check_accumulation(subject, dx, gradients, again, report);
  check_differences(subject, dx, gradients, options.tolerance, report);
  check_adjoint(subject, dx, gradients, options.tolerance, report);
}

}  // namespace

std::string GradientReport::text() const {
  std::string all;
  for (const std::string& failure : failures) all += failure + "\n";
  return all;
}

GradientReport check_layer(const LayerBuilder& build, const GradientCheckOptions& options) {
  GradientReport report;
  try {
    Subject subject(build, options);
    run_checks(subject, options, report);
  } catch (const std::exception& error) {
    report.failures.push_back(fmt::format("contract: {}", error.what()));
  }
  return report;
}

GradientReport check_parameters(
    Parameters<double>& values, const std::function<double(const Parameters<double>&)>& loss,
    const std::function<void(const Parameters<double>&, Parameters<double>&)>& gradient, double tolerance,
    Index per_array) {
  GradientReport report;
  Parameters<double> analytic(values.layout());
  gradient(values, analytic);
  const double floor = rounding_floor * std::max(largest(analytic.flat()), 1e-3);
  for (const ParameterSpec& spec : values.layout().specs()) {
    const std::span<double> array = Subject::array(values, spec);
    const Index stride = std::max<Index>(1, spec.size() / per_array);
    Vector numeric;
    Vector expected;
    for (Index i = 0; i < spec.size(); i += stride) {
      const auto at = static_cast<std::size_t>(i);
      numeric.push_back(central_difference(array[at], [&] { return loss(values); }));
      expected.push_back(Subject::array(analytic, spec)[at]);
    }
    compare(spec.name, numeric, expected, tolerance, floor, report);
  }
  return report;
}

}  // namespace ordinal
