#include "experiments/claims/untrained.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/benchmark/step.h"
#include "experiments/encoding/analysis.h"
#include "framework/math/half.h"
#include "framework/positional/encodings/sinusoidal.h"
#include "framework/positional/position_scheme.h"
#include "models/transformer.h"

namespace ordinal::experiments {
namespace {

// Whether a statement holds, and what was found.
struct Finding {
  bool holds = false;
  std::string values;
};

bool is_near(double value, double stated, double margin) { return std::abs(value - stated) < margin; }

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// PE in extended precision, one element at a time.
Finding formula() {
  const Tensor<double> pe = sinusoidal_positional_encoding(2048, 512);
  long double largest = 0.0L;
  for (Index t = 0; t < 2048; ++t) {
    for (Index c = 0; c < 512; ++c) {
      const long double exponent = static_cast<long double>(c - c % 2) / 512.0L;
      const long double angle = static_cast<long double>(t) / std::pow(10000.0L, exponent);
      const long double exact = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
      largest = std::max(largest, std::abs(static_cast<long double>(pe(t, c)) - exact));
    }
  }
  return {largest < 1e-12L, fmt::format("largest difference {:.1e}", static_cast<double>(largest))};
}

Finding norms() {
  double largest = 0.0;
  for (const double norm : encoding_statistics(sinusoidal_positional_encoding(1024, 128)).norms)
    largest = std::max(largest, std::abs(norm * norm - 64.0));
  return {largest < 1e-10, fmt::format("off by at most {:.1e} for d = 128", largest)};
}

Finding toeplitz_structure() {
  const Tensor<double> gram = dot_product_distance(sinusoidal_positional_encoding(512, 128));
  const double off =
      distance_deviation(gram.view(), Positions::contiguous(1, 512).of(0), /*causal=*/false).value();
  return {off < 1e-10, fmt::format("off by at most {:.1e}", off)};
}

Finding shift_matrices() {
  const Tensor<double> pe = sinusoidal_positional_encoding(512, 128);
  double largest = 0.0;
  for (const Index k : {1, 5, 10, 50})
    largest = std::max(largest, reconstruction_error(relative_position_matrix(pe, k), pe, k));
  return {largest < 1e-10, fmt::format("error at most {:.1e}", largest)};
}

Finding tenth_row() {
  const Tensor<double> pe = sinusoidal_positional_encoding(11, 4);
  const double stated[] = {0.0, 1.0, 0.67, 0.74};
  bool same = true;
  for (Index c = 0; c < 4; ++c) same = same && is_near(pe(10, c), stated[c], 5e-3);
  return {same, fmt::format("[{:.3f}, {:.3f}, {:.4f}, {:.4f}]", pe(10, 0), pe(10, 1), pe(10, 2), pe(10, 3))};
}

Finding half_precision() {
  double largest = 0.0;
  const Tensor<double> pe = sinusoidal_positional_encoding(1024, 128);
  for (const double value : pe.span())
    largest = std::max(largest, std::abs(value - static_cast<double>(from_half(to_half(value)))));
  return {largest < 5e-4, fmt::format("error at most {:.1e}", largest)};
}

// How much rows repeat: the largest rise in similarity of two rows after it has fallen, as their distance grows.
double repetition(Index d_model, Index seq_len, double base) {
  const Tensor<double> similarity = cosine_similarity(sinusoidal_positional_encoding(seq_len, d_model, base));
  double least = 1.0;
  double most_risen = 0.0;
  for (Index distance = 0; distance < seq_len; ++distance) {
    least = std::min(least, similarity(0, distance));
    most_risen = std::max(most_risen, similarity(0, distance) - least);
  }
  return most_risen;
}

Finding small_base() {
  Index more = 0;
  Index all = 0;
  std::string text;
  for (const Index d_model : {16, 64, 512}) {
    for (const Index seq_len : {64, 512}) {
      const double small = repetition(d_model, seq_len, 10.0);
      const double usual = repetition(d_model, seq_len, 10000.0);
      more += small > usual ? 1 : 0;
      ++all;
      text += fmt::format("; d {}, L {}: {:.3f} against {:.3f}", d_model, seq_len, small, usual);
    }
  }
  return {more == all, fmt::format("in {} of {} cases{}", more, all, text)};
}

Finding one_frequency() {
  const double one = uniqueness(sinusoidal_positional_encoding(512, 2)).distance;
  const double many = uniqueness(sinusoidal_positional_encoding(512, 64)).distance;
  return {one < 0.01 && many > 0.5,
          fmt::format("closest rows of 512: {:.4f} apart with d = 2, {:.3f} with d = 64", one, many)};
}

// The largest error of a learned table after gradient descent on ½‖PE - target‖².
double fitting_error(const Tensor<double>& target) {
  const Index length = target.shape()[0];
  const ModelShape shape{.d_model = target.shape()[1], .train_length = length, .positions = length};
  ParameterLayout layout;
  const auto encoding = make_positional_encoding<double>("learned", shape, Scope(layout, "positional"));
  Parameters<double> table(layout);
  Parameters<double> gradient(layout);
  initialize(table, 1);
  Pass<double> pass(table, &gradient);
  const Tensor<double> zero(target.shape());
  Tensor<double> error(target.shape());
  for (Index step = 0; step < 100; ++step) {
    pass.begin({.positions = Positions::contiguous(1, length), .record = true});
    encoding->begin_run(pass);
    const View<const double> pe = encoding->encode_input(zero.view(), pass);
    for (Index t = 0; t < length; ++t)
      for (Index c = 0; c < target.shape()[1]; ++c) error(t, c) = pe(t, c) - target(t, c);
    std::ranges::fill(gradient.flat(), 0.0);
    encoding->encode_input_backward(error.view(), pass);
    pass.finish();
    for (std::size_t i = 0; i < table.flat().size(); ++i) table.flat()[i] -= 0.5 * gradient.flat()[i];
  }
  return std::abs(std::ranges::max(error.span(), {}, [](double value) { return std::abs(value); }));
}

Tensor<double> normal_matrix(Index rows, Index cols) {
  Tensor<double> x({rows, cols});
  Random random({.seed = 1});
  for (double& value : x.span()) value = random.normal();
  return x;
}

Finding any_table() {
  const double sines = fitting_error(sinusoidal_positional_encoding(512, 64));
  const double noise = fitting_error(normal_matrix(512, 64));
  return {std::max(sines, noise) < 1e-9,
          fmt::format("largest error {:.1e} to sinusoidal, {:.1e} to random rows", sines, noise)};
}

// With embeddings of standard deviation 1 and of 0.02.
Finding sums() {
  const Tensor<double> pe = sinusoidal_positional_encoding(512, 64);
  const Tensor<double> x = normal_matrix(512, 64);
  const auto sd_of_sum = [&](double scale) {
    Tensor<double> sum = pe;
    for (Index i = 0; i < sum.size(); ++i) sum.data()[i] += scale * x.data()[i];
    return std::sqrt(encoding_statistics(sum).variance);
  };
  return {sd_of_sum(1.0) <= 1.25,
          fmt::format("{:.2f} times; an sd of 0.02 becomes {:.2f}, nearly all of it PE", sd_of_sum(1.0),
                      sd_of_sum(0.02))};
}

constexpr std::size_t symbols = 11;

// (tokens, symbols), from a model with random weights large enough to matter, at positions that start at `offset`.
std::vector<double> logits(const std::string& encoding, bool causal, const std::vector<Token>& tokens,
                           double offset = 0.0) {
  ModelConfig config;
  config.vocab_size = symbols;
  config.d_model = 32;
  config.heads = 2;
  config.layers = 2;
  config.causal = causal;
  config.encoding = encoding;
  const Transformer<double> model(config);
  Parameters<double> values(model.layout());
  initialize(values, 1);
  for (double& value : values.flat()) value *= 5.0;
  Pass<double> pass(values);
  PositionScheme scheme;
  scheme.offset = offset;
  pass.begin({.positions = make_positions(scheme, 1, std::ssize(tokens))});
  const View<const double> out = model.logits(model.hidden(tokens, pass), pass);
  return {out.data, out.data + out.rows * out.cols};
}

// The largest change of a logit when all positions move by `offset`.
double moved(const std::string& encoding, double offset) {
  std::vector<Token> tokens;
  for (std::size_t t = 0; t < 24; ++t) tokens.push_back(static_cast<Token>((t * t + t) % symbols));
  return largest_difference(logits(encoding, true, tokens), logits(encoding, true, tokens, offset));
}

Finding distances_alone(const std::string& encoding) {
  double largest = 0.0;
  for (const double offset : {1.0, 17.0, 100.0, 1000.0}) largest = std::max(largest, moved(encoding, offset));
  return {largest < 1e-9, fmt::format("logits move by at most {:.1e}; with sinusoidal by {:.2f}", largest,
                                      moved("sinusoidal", 100.0))};
}

// The largest difference between the logits of permuted tokens and the permuted logits.
double permutation_error(const std::string& encoding, bool causal) {
  const std::vector<Token> tokens = {3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<double> plain = logits(encoding, causal, tokens);
  std::vector<Token> permuted;
  std::vector<double> expected;
  for (const std::size_t i : {5U, 0U, 7U, 2U, 1U, 6U, 3U, 4U}) {
    permuted.push_back(tokens[i]);
    for (std::size_t s = 0; s < symbols; ++s) expected.push_back(plain[i * symbols + s]);
  }
  return largest_difference(logits(encoding, causal, permuted), expected);
}

Finding permutations() {
  const double free = permutation_error("none", false);
  const double causal = permutation_error("none", true);
  const double encoded = permutation_error("sinusoidal", false);
  return {free < 1e-12 && causal > 1e-3 && encoded > 1e-3,
          fmt::format("bidirectional {:.1e}, causal {:.2f}, bidirectional with sinusoidal {:.2f}", free,
                      causal, encoded)};
}

ClaimResult decided(const char* id, const char* statement, const char* source, const Finding& finding,
                    const char* note = "") {
  return {.claim = {.id = id, .words = statement, .source = source, .note = note},
          .verdict = finding.holds ? Verdict::holds : Verdict::fails,
          .why = finding.values};
}

}  // namespace

DecidedClaims deterministic_claims() {
  DecidedClaims all{.title = "no training"};
  const auto add = [&](const auto&... parts) { all.results.push_back(decided(parts...)); };
  add("S1", "the table is the formula, to 1e-12", "course notes 1 to 5", formula());
  add("S2a", "‖PE(pos)‖² = d/2", "course notes 1", norms());
  add("S2b", "PE(i)·PE(j) depends on i - j alone", "course notes 1", toeplitz_structure());
  add("S2c", "a matrix M_k maps PE(pos) to PE(pos + k) for every pos, to 1e-10, for k = 1, 5, 10, 50",
      "course notes 1; Vaswani et al. 2017, §3.5", shift_matrices());
  const std::vector<double> theta = sinusoidal_frequencies(512);
  const double longest = 2.0 * std::numbers::pi / theta.back();
  add("S3", "the longest wavelength is 62,832 for d = 512", "course notes 1, 3 and 5",
      Finding{is_near(longest, 62832.0, 1.0), fmt::format("{:.0f}", longest)},
      "2π·10000 is the limit for large d; the last pair has exponent (d - 2)/d.");
  add("S4", "θ_1 = 0.681 for d = 512", "course notes 3",
      Finding{is_near(theta[1], 0.681, 5e-4), fmt::format("{:.4f}", theta[1])});
  add("S5", "dimensions d/4 and d/4 + 1 have frequency 0.01", "course notes 1",
      Finding{is_near(theta[64], 0.01, 1e-9),
              fmt::format("dimensions d/4, d/4 + 1: {:.4f}; d/2, d/2 + 1: {:.4f}", theta[64], theta[128])});
  add("S6", "PE(10) = [0, 1, 0.67, 0.74] for d = 4", "course notes 3", tenth_row());
  const double cosine = std::cos(0.02);
  add("S7", "cos 0.02 is 0.999, or 1.0000", "course notes 3 and 5",
      Finding{is_near(cosine, 0.999, 5e-5) || is_near(cosine, 1.0, 5e-5), fmt::format("{:.6f}", cosine)});
  const auto base = [](double length, double stated) {
    return Finding{is_near(choose_base(length), stated, 1.0), fmt::format("{:.1f}", choose_base(length))};
  };
  add("S8a", "a base whose longest wavelength is ten times 512 is about 814", "course notes 3",
      base(512.0, 814.0));
  add("S8b", "for 4,096 it is about 6,511", "course notes 3", base(4096.0, 6511.0));
  add("S9", "half precision costs an error below 5e-4", "course notes 3", half_precision());
  add("S10",
      "a small base (10 against 10,000) makes rows repeat more: their similarity rises again with distance",
      "course notes 5", small_base());
  add("S11", "one frequency is ambiguous (closest rows below 0.01), many are not (above 0.5)",
      "course notes 3", one_frequency());
  add("S12", "RoPE's scores depend on m - n alone, to 1e-9", "course notes 1 and 2; Su et al. 2021",
      distances_alone("rope"));
  add("S12b", "ALiBi's scores depend on i - j alone, to 1e-9", "course notes 2 and 3; Press et al. 2022",
      distances_alone("alibi"));
  add("S13",
      "without an encoding a bidirectional model's outputs permute with its inputs; a causal one's do not",
      "course notes 1, 2 and 5", permutations());
  // y_t = E[token_t] + PE_t. One pass reads E and PE and writes y. Two passes also write and read x, a copy of E.
  constexpr double bytes = 2.0 * 4096.0 * 4096.0;
  constexpr double mib = bytes / 1048576.0;
  add("S16",
      "adding PE in the lookup of 4,096 embeddings of 4,096 half-precision numbers moves 96 MB (of 2²⁰ "
      "bytes)",
      "course notes 1",
      Finding{3.0 * mib == 96.0, fmt::format("{} MiB, which are {:.1f} MB; {} MiB in two passes", 3.0 * mib,
                                             3e-6 * bytes, 5.0 * mib)});
  add("S17", "gradient descent makes a learned table equal to any other, to 1e-9",
      "course notes 1 (it can learn arbitrary position patterns)", any_table());
  add("S18", "added to embeddings of a standard deviation of 1, sinusoidal PE multiplies it by at most 1.25",
      "course notes 1 (the sum has about the statistics of the embeddings)", sums());
  return all;
}

DecidedClaims timed_claims(Threads& threads) {
  constexpr Index turns = 31;
  const BenchmarkSize& small = benchmark_sizes().at(1);
  const double ratio = encoding_cost(small, "sinusoidal", turns, threads);
  return {.title = "timed, on the machine that made this table",
          .results = {
              decided("S14", "a training step with sinusoidal PE takes at most 1.05 times one without",
                      "course notes 1 (its cost is negligible)",
                      {ratio <= 1.05, fmt::format("{:.2f} times, with d_model {}", ratio, small.d_model)})}};
}

}  // namespace ordinal::experiments
