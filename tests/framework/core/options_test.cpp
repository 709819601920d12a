// The options of a part: their specifications from the struct, and parsing of texts.
#include "framework/core/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/core/errors.h"
#include "framework/core/random.h"
#include "tests/message_of.h"

namespace ordinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct AllOptions {
  Index count = 3;
  double rate = 0.5;
  double reach = 0.0;
  bool loud = false;
  std::string mode = "soft";
  std::string title = "none";
  std::vector<std::string> inputs = {"a.txt", "b.txt"};
  std::string inner = "gelu";

  void visit(OptionVisitor& v) {
    v.integer("count", count, between(0, 1e6), "how many");
    v.number("rate", rate, above(0), "how fast", Binds::training);
    v.number("reach", reach, {.low = 1, .automatic = "auto"}, "how far", Binds::test);
    v.flag("loud", loud, "whether to be heard");
    v.choice("mode", mode, {"soft", "hard"}, "in which way");
    v.text("title", title, "what to call it");
    v.files("inputs", inputs, "what to read");
    v.part("inner", inner, {"gelu", "swiglu"}, "what lies within");
  }
  void resolve(const ModelShape& shape) {
    if (reach == 0.0) reach = static_cast<double>(shape.train_length) / 4.0;
    if (count > shape.heads) throw ConfigError("more than there are heads");
  }
};

AllOptions read(const OptionValues& values) { return read_options<AllOptions>("all", values); }

std::string problem_with(const std::string& name, const std::string& value) {
  try {
    read({{name, value}});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Options, AreListedWithNameTypeDefaultAndHelp) {
  const std::vector<OptionSpec> specs = specs_of<AllOptions>();
  ASSERT_EQ(specs.size(), 8U);
  std::vector<std::string> lines;
  for (const OptionSpec& spec : specs) lines.push_back(spec.name + "=" + spec.value + ": " + spec.help);
  EXPECT_THAT(lines, ElementsAre("count=3: how many", "rate=0.5: how fast", "reach=auto: how far",
                                 "loud=false: whether to be heard", "mode=soft: in which way",
                                 "title=none: what to call it", "inputs=a.txt\nb.txt: what to read",
                                 "inner=gelu: what lies within"));
  std::vector<OptionType> types;
  for (const OptionSpec& spec : specs) types.push_back(spec.type);
  EXPECT_THAT(types, ElementsAre(OptionType::integer, OptionType::real, OptionType::real, OptionType::flag,
                                 OptionType::choice, OptionType::text, OptionType::files, OptionType::part));
  EXPECT_EQ(specs[0].binds, Binds::weights);
  EXPECT_EQ(specs[1].binds, Binds::training);
  EXPECT_EQ(specs[2].binds, Binds::test);
  EXPECT_THAT(specs[7].choices, ElementsAre("gelu", "swiglu"));
}

TEST(Options, AreReadFromTexts) {
  const AllOptions options = read({{"count", "12"},
                                   {"rate", "1e-3"},
                                   {"reach", "7.5"},
                                   {"loud", "true"},
                                   {"mode", "hard"},
                                   {"title", "a = b"},
                                   {"inputs", "x.txt\n\ny z.txt\n"},
                                   {"inner", "swiglu(beta=2)"}});
  EXPECT_EQ(options.count, 12);
  EXPECT_EQ(options.rate, 1e-3);
  EXPECT_EQ(options.reach, 7.5);
  EXPECT_TRUE(options.loud);
  EXPECT_EQ(options.mode, "hard");
  EXPECT_EQ(options.title, "a = b");
  EXPECT_THAT(options.inputs, ElementsAre("x.txt", "y z.txt"));
  EXPECT_EQ(options.inner, "swiglu(beta=2)");
  EXPECT_THAT(read({{"inputs", ""}}).inputs, IsEmpty());
}

TEST(Options, AreListedAsTheyCanBeReadBack) {
  OptionValues values;
  for (const OptionSpec& spec : specs_of(AllOptions{.rate = 0.1, .reach = 4.0 / 3.0}))
    values[spec.name] = spec.value;
  const AllOptions back = read(values);
  EXPECT_EQ(back.rate, 0.1);
  EXPECT_EQ(back.reach, 4.0 / 3.0);
  EXPECT_THAT(back.inputs, ElementsAre("a.txt", "b.txt"));
}

TEST(Options, OutOfRangeAreReportedWithTheirRange) {
  EXPECT_EQ(problem_with("count", "-1"), "all: count: got -1, expected a whole number from 0 to 1000000");
  EXPECT_EQ(problem_with("count", "1000001"),
            "all: count: got 1000001, expected a whole number from 0 to 1000000");
  EXPECT_EQ(problem_with("rate", "0"), "all: rate: got 0, expected a number above 0");
  EXPECT_EQ(problem_with("reach", "0.5"), "all: reach: got 0.5, expected a number of at least 1, or auto");
  EXPECT_EQ(problem_with("count", "0"), "");
  EXPECT_EQ(problem_with("reach", "1"), "");
}

TEST(Options, ThatAreNoNumbersAreReported) {
  for (const std::string text : {"", "3x", "1.5", "1e3", " 3", "+3", "0x10", "9223372036854775808"}) {
    EXPECT_EQ(problem_with("count", text),
              "all: count: got '" + text + "', expected a whole number from 0 to 1000000");
  }
  for (const std::string text : {"", "fast", "1,5", "nan", "inf", "1e999", "auto"}) {
    EXPECT_EQ(problem_with("rate", text), "all: rate: got '" + text + "', expected a number above 0");
  }
  EXPECT_EQ(problem_with("reach", "Auto"),
            "all: reach: got 'Auto', expected a number of at least 1, or auto");
}

TEST(Options, OutOfTheirChoicesAreReported) {
  EXPECT_EQ(problem_with("loud", "yes"), "all: loud: got 'yes', expected true or false");
  EXPECT_EQ(problem_with("mode", "Soft"),
            "all: mode: got 'Soft' (did you mean soft?), expected one of soft, hard");
  EXPECT_THAT(problem_with("mode", "soap"), HasSubstr("(did you mean soft?)"));
  EXPECT_EQ(problem_with("mode", "slow"), "all: mode: got 'slow', expected one of soft, hard");
  EXPECT_EQ(problem_with("inner", "relu"),
            "all: inner: got 'relu' (did you mean gelu?), expected one of gelu, swiglu");
  EXPECT_EQ(problem_with("inner", "relu(a=b)"),
            "all: inner: got 'relu(a=b)' (did you mean gelu?), expected one of gelu, swiglu");
  EXPECT_THAT(problem_with("inner", "gelu(a=b"), HasSubstr("all: inner: got 'gelu(a=b', where a bracket"));
}

TEST(Options, OfAnotherNameAreReportedWithTheKnownOnes) {
  EXPECT_EQ(problem_with("speed", "3"),
            "all has no option speed, expected one of count, rate, reach, loud, mode, title, inputs, inner");
  EXPECT_THAT(message_of<ConfigError>([] {
                read_options<NoOptions>("none", {{"speed", "3"}});
              }),
              "none has no options, got speed = 3");
}

TEST(Options, AllThatIsWrongIsReportedAtOnce) {
  EXPECT_THAT(message_of<ConfigError>([] {
                read({{"rate", "0"}, {"loud", "1"}, {"speed", "3"}});
              }),
              HasSubstr("all: rate: got 0, expected a number above 0\n"
                        "all: loud: got '1', expected true or false\n"
                        "all has no option speed"));
}

TEST(NumberOrAuto, IsWorkedOutFromTheModelUnlessItIsGiven) {
  const ModelShape shape{.train_length = 128};
  EXPECT_EQ(resolved_options<AllOptions>("all", {}, shape).reach, 32.0);
  EXPECT_EQ(resolved_options<AllOptions>("all", {{"reach", "auto"}}, shape).reach, 32.0);
  EXPECT_EQ(resolved_options<AllOptions>("all", {{"reach", "5"}}, shape).reach, 5.0);
  EXPECT_EQ(read({{"reach", "auto"}}).reach, 0.0);
}

TEST(NumberOrAuto, IsListedWithTheValueInForceOnceItIsWorkedOut) {
  EXPECT_EQ(specs_of(resolved_options<AllOptions>("all", {}, {.train_length = 128}))[2].value, "32");
}

TEST(Options, ThatDoNotFitTheModelAreReportedByResolve) {
  EXPECT_THAT(message_of<ConfigError>([] {
                resolved_options<AllOptions>("all", {{"count", "5"}}, {.heads = 4});
              }),
              "all: more than there are heads");
  EXPECT_NO_THROW(resolved_options<NoOptions>("none", {}, {}));
}

struct RowsOptions {
  Index rows = 0;
  double reach = 0.0;
  void visit(OptionVisitor& v) {
    v.integer("rows", rows, automatic_or(2, 9), "how many");
    v.number("reach", reach, automatic_or(0.5), "how far");
  }
};

TEST(ZeroForAutomatic, IsInRangeWhereTheNumbersBelowTheRangeAreNot) {
  EXPECT_EQ(read_options<RowsOptions>("table", {{"rows", "0"}, {"reach", "0"}}).rows, 0);
  EXPECT_EQ(read_options<RowsOptions>("table", {{"rows", "2"}}).rows, 2);
  for (const std::string text : {"1", "10", "-1"}) {
    EXPECT_THAT(message_of<ConfigError>([&] {
                  read_options<RowsOptions>("table", {{"rows", text}});
                }),
                "table: rows: got " + text + ", expected a whole number from 2 to 9, or 0 for automatic");
  }
  EXPECT_THAT(message_of<ConfigError>([] {
                read_options<RowsOptions>("table", {{"reach", "0.25"}});
              }),
              "table: reach: got 0.25, expected a number of at least 0.5, or 0 for automatic");
  EXPECT_EQ(specs_of<RowsOptions>()[0].range.automatic, "0");
}

TEST(NumberText, IsTheShortestThatReadsBackTheSame) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(10000.0), "10000");
  EXPECT_EQ(number_text(1e-8), "1e-08");
}

// Levenshtein's distance from its recurrence.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      table[i][j] = i + j;
      if (i == 0 || j == 0) continue;
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
    }
  }
  return table[a.size()][b.size()];
}

TEST(Nearest, IsTheFirstOfTheNamesAtTheSmallestEditDistance) {
  for (std::uint32_t example = 0; example < 200; ++example) {
    Random random({.seed = 1, .purpose = hash_name("test.nearest"), .example = example});
    const auto word = [&] {
      std::string letters(random.below(66), 'a');
      for (char& c : letters) c = static_cast<char>('a' + random.below(4));
      return letters;
    };
    const std::string name = word().substr(0, 64);
    std::vector<std::string> candidates(20);
    std::ranges::generate(candidates, word);
    std::vector<std::size_t> distances;
    for (const std::string& candidate : candidates) distances.push_back(distance(name, candidate));
    const auto first = std::ranges::min_element(distances) - distances.begin();
    EXPECT_EQ(nearest(name, candidates), candidates[static_cast<std::size_t>(first)]) << name;
  }
  EXPECT_EQ(nearest(std::string(1000, 'a'), {"b", "a"}), "a");
  EXPECT_EQ(nearest("x", {}), "");
  for (const std::size_t same : {63U, 64U}) {  // only the first 64 letters count
    const std::string begin(same, 'a');
    EXPECT_EQ(nearest(begin + "b", {begin + "c", begin + "b"}), begin + (same == 63 ? "b" : "c"));
  }
}

TEST(Joined, PutsSeparatorsBetween) {
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(joined({"a", "b"}, "+"), "a+b");
  EXPECT_EQ(joined({}), "");
}

// The product of the doubles is wrong for 534 of these when rounded to nearest, and for 780 of those up to 1 when rounded up.
TEST(Products, OfDecimalsAndCountsAreRoundedAsThoseOfFractionsAre) {
  for (Index thousandths = 0; thousandths <= 3000; ++thousandths) {
    const double factor = static_cast<double>(thousandths) / 1000.0;
    for (Index count = 0; count <= 1024; ++count) {
      const Index product = thousandths * count;
      ASSERT_EQ(rounded_product(factor, count), (2 * product + 1000) / 2000) << factor << " · " << count;
      ASSERT_EQ(product_rounded_up(factor, count), (product + 999) / 1000) << factor << " · " << count;
    }
  }
}

TEST(Products, OfMillionthsAreExactUpToAHundredMillion) {
  for (const Index millionths : {1, 145'000, 145'001, 333'333, 549'999, 550'000, 999'999, 1'000'000}) {
    const double factor = static_cast<double>(millionths) / 1e6;
    for (Index count = 99'990'000; count <= 100'000'000; ++count) {
      const Index product = millionths * count;
      ASSERT_EQ(rounded_product(factor, count), (2 * product + 1'000'000) / 2'000'000)
          << factor << " · " << count;
      ASSERT_EQ(product_rounded_up(factor, count), (product + 999'999) / 1'000'000)
          << factor << " · " << count;
    }
  }
}

}  // namespace
}  // namespace ordinal
