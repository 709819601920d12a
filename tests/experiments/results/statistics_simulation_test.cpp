// How often a family of comparisons has a false verdict: in at most 5 % of families, in every case. The random numbers are
// always the same, and so are the shares; 2,000 families give one of 5 % a standard error of 0.49 %.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "experiments/results/statistics.h"
#include "framework/core/random.h"

namespace ordinal::experiments {
namespace {

constexpr int families = 2000;

/// How the scores of a row are distributed, and their median.
struct Law {
  std::function<double(Random&)> draw;
  double median = 0.0;
};

Law normal(double mean = 0.0, double sd = 1.0) {
  return {[=](Random& random) { return mean + sd * random.normal(); }, mean};
}
Law skewed(double sigma) {
  return {[=](Random& random) { return std::exp(sigma * random.normal()); }, 1.0};
}
/// A share of seeds fails, far from the others. Φ(0.139710299) = 0.5 / 0.9.
Law failing(double share) {
  const double at = share == 0.1 ? -0.139710299 : -0.318639364;
  return {[=](Random& random) { return random.uniform() < share ? -40.0 : random.normal(); }, at};
}
Law coin(double share) {
  return {[=](Random& random) { return random.uniform() < share ? 1.0 : 0.0; }};
}

struct Case {
  std::string name;
  std::vector<Law> rows;
  bool to_median = false;  // each row is also compared with its median
};

std::vector<Case> cases() {
  const Law perfect = {[](Random& /*random*/) { return 1.0; }, 1.0};
  return {{"four equal rows", {4, normal()}},
          {"equal rows of unequal spread", {normal(), normal(0.0, 10.0), normal(0.0, 0.01), normal()}},
          {"two rows equal, two ahead of them", {normal(), normal(), normal(0.5), normal(3.0)}},
          {"skewed", {4, skewed(1.5)}, true},
          {"one in ten fails", {4, failing(0.1)}, true},
          {"one in five fails", {4, failing(0.2)}, true},
          {"normal and failing", {normal(), normal(), failing(0.1), failing(0.1)}, true},
          {"two outcomes", {4, coin(0.5)}},
          {"two outcomes, unequal", {coin(0.9), coin(0.9), coin(0.5), coin(0.5)}},
          {"two outcomes beside a row that is always right", {perfect, perfect, coin(0.9), coin(0.5)}}};
}

/// Whether a verdict on rows a and b may be false: neither is above the other in more than half of the seeds. Drawn once for
/// each pair, with so many seeds that only a pair on the edge could be missed.
enum class Truth { ahead, behind, neither };
Truth truth(const Law& a, const Law& b) {
  constexpr int draws = 40'000;
  Random random({.seed = 5, .purpose = hash_name("truth")});
  int above = 0;
  int below = 0;
  for (int i = 0; i < draws; ++i) {
    const double difference = a.draw(random) - b.draw(random);
    above += difference > 0.0 ? 1 : 0;
    below += difference < 0.0 ? 1 : 0;
  }
  if (above > 0.52 * draws) return Truth::ahead;
  return below > 0.52 * draws ? Truth::behind : Truth::neither;
}

bool is_false(const Comparison& comparison, Truth truth) {
  if (comparison.decision == Decision::undecided) return false;
  return (comparison.decision == Decision::holds ? Truth::ahead : Truth::behind) != truth;
}

double share_of(const std::string& what, Index n, const std::function<bool(Random&)>& happens) {
  Random random({.seed = 1, .purpose = hash_name(what), .step = static_cast<std::uint32_t>(n)});
  int count = 0;
  for (int i = 0; i < families; ++i) count += happens(random) ? 1 : 0;
  return static_cast<double>(count) / families;
}

std::vector<double> sample(const Law& law, Index n, Random& random) {
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& value : values) value = law.draw(random);
  return values;
}

Comparison against(std::vector<double> left, const std::vector<double>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= right[i];
  return compare(std::move(left));
}

void decide_all(std::vector<Comparison>& family) {
  std::vector<Comparison*> all;
  for (Comparison& one : family) all.push_back(&one);
  decide(all);
}

TEST(StatisticsSimulation, FewFamiliesHaveAFalseVerdict) {
  for (const Case& one : cases()) {
    std::vector<Truth> truths;
    for (std::size_t a = 0; a < one.rows.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) truths.push_back(truth(one.rows[a], one.rows[b]));
    if (one.to_median) truths.insert(truths.end(), one.rows.size(), Truth::neither);
    for (const Index n : {10, 20}) {
      const double share = share_of(one.name, n, [&](Random& random) {
        std::vector<std::vector<double>> rows;
        std::vector<Comparison> family;
        for (const Law& law : one.rows) rows.push_back(sample(law, n, random));
        for (std::size_t a = 0; a < rows.size(); ++a)
          for (std::size_t b = 0; b < a; ++b) family.push_back(against(rows[a], rows[b]));
        for (std::size_t a = 0; a < rows.size() && one.to_median; ++a)
          family.push_back(against(rows[a], std::vector<double>(rows[a].size(), one.rows[a].median)));
        decide_all(family);
        for (std::size_t i = 0; i < family.size(); ++i)
          if (is_false(family[i], truths[i])) return true;
        return false;
      });
      EXPECT_LE(share, 0.05) << one.name << " " << n;
    }
  }
}

}  // namespace
}  // namespace ordinal::experiments
