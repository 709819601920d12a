// A user's own encoding, with an option and a parameter: the result of describe_encoding() for its class. It
// goes into a separate registry, because the tests of all encodings also run in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/core/errors.h"
#include "framework/positional/distance_bias.h"
#include "tests/framework/positional/rig.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::HasSubstr;

struct RecencyOptions {
  double reach = 0.0;

  void visit(OptionVisitor& v) {
    v.number("reach", reach, at_least(0), "distance of a bias of -strength; 0: L/4");
  }
  void resolve(const ModelShape& own_shape) {
    if (reach == 0.0) reach = static_cast<double>(own_shape.train_length) / 4.0;
  }
};

// bias = -strength_h · distance / reach.
template <typename T>
class Recency final : public DistanceBias<T> {
 public:
  Recency(const ModelShape& own_shape, const RecencyOptions& options, const Scope& scope)
      : reach_(static_cast<T>(options.reach)), strength_(scope.add("strength", {own_shape.heads}, ones())) {}

  void bias(View<const T> n, HeadAt at, View<T> out, Pass<T>& pass) const override {
    const T strength = pass.value(strength_)(0, at.head);
    for (Index k = 0; k < n.cols; ++k) out(0, k) = -strength * std::abs(n(0, k)) / reach_;
  }
  void bias_backward(View<const T> n, View<const T> d, HeadAt at, Pass<T>& pass) const override {
    for (Index k = 0; k < n.cols; ++k)
      pass.gradient(strength_)(0, at.head) -= d(0, k) * std::abs(n(0, k)) / reach_;
  }

 private:
  T reach_;
  Slot strength_;
};

EncodingEntry recency() {
  return describe_encoding<Recency, RecencyOptions>({.name = "recency",
                                                     .formula = "q·k/√d_h - s |i - j|/reach",
                                                     .source = "this test",
                                                     .shift_invariant = true});
}

constexpr Index tokens = 6;
const ModelShape own_shape{.d_model = 8, .heads = 2, .train_length = 64};

std::unique_ptr<PositionalEncoding<double>> build(const std::string& text, const ModelShape& of,
                                                  const Scope& scope) {
  PositionalEncoding<double>::Parts parts;
  parts.push_back({"recency", std::get<EncodingBuilder<double>>(recency().build)(parse_part(text), of,
                                                                                 scope.nested("recency"))});
  return std::make_unique<PositionalEncoding<double>>(std::move(parts), of);
}

testing::Rig<> rig_of(const std::string& text) {
  return {[&](const ModelShape& of, const Scope& scope) { return build(text, of, scope); }, own_shape};
}

// The bias of the second head.
Tensor<double> bias(const std::string& text) { return rig_of(text).over(tokens).scores({.head = 1}); }

TEST(OwnEncoding, TakesItsOptionFromTheText) {
  const Tensor<double> scores = bias("recency(reach=4)");
  for (Index i = 0; i < tokens; ++i) {
    for (Index j = 0; j <= i; ++j) EXPECT_DOUBLE_EQ(scores(i, j), -static_cast<double>(i - j) / 4.0);
  }
}

TEST(OwnEncoding, WorksItsOptionOutFromTheModel) {
  EXPECT_DOUBLE_EQ(bias("recency")(5, 1), -4.0 / 16.0);
  EXPECT_EQ(recency().resolve({"recency"}, own_shape).front().value, "16");
  EXPECT_EQ(recency().options.front().value, "0");
}

// Distances 1 to 5 stand 5, 4, 3, 2 and 1 times in a causal block of six tokens: 35 in all.
TEST(OwnEncoding, TrainsItsParameterAndNothingElse) {
  testing::Rig<> own = rig_of("recency(reach=4)");
  ASSERT_EQ(own.layout().specs().size(), 1U);
  own.over(tokens).scores_backward({.head = 1});
  EXPECT_DOUBLE_EQ(own.gradient("recency.strength")(0, 1), -35.0 / 4.0);
  EXPECT_EQ(own.gradient("recency.strength")(0, 0), 0.0) << "another head";
}

TEST(OwnEncoding, RefusesOptionsThatItCannotHave) {
  EXPECT_THAT(message_of<ConfigError>([] { rig_of("recency(reach=-1)"); }),
              "recency: reach: got -1, expected a number of at least 0");
  EXPECT_THAT(message_of<ConfigError>([] { rig_of("recency(range=4)"); }),
              "recency has no option range, expected one of reach");
}

TEST(RegisterEncoding, RefusesANameThatIsTaken) {
  EncodingEntry entry = recency();
  entry.name = "alibi";
  EXPECT_THAT(message_of<std::invalid_argument>([&] { encodings().add(entry); }),
              HasSubstr("alibi is registered already"));
  EXPECT_EQ(encodings().find("alibi").source, "Press et al. 2022, §3");
}

}  // namespace
}  // namespace ordinal
