#include "experiments/report/heatmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ordinal::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Tensor<double> filled(Index rows, Index cols, double value) {
  Tensor<double> matrix({rows, cols});
  for (double& element : matrix.span()) element = value;
  return matrix;
}

Heatmap of(const Tensor<double>& matrix, const HeatmapOptions& options = {}) {
  return heatmap(matrix.view(), options);
}

using Cells = std::vector<std::vector<int>>;

TEST(Heatmap, DivergingColoursAreSymmetricAroundZero) {
  Tensor<double> matrix = filled(2, 3, 0.0);
  matrix(0, 0) = 1.0;
  matrix(1, 2) = -2.0;
  const Heatmap map = of(matrix);
  EXPECT_EQ(map.low, -2.0);
  EXPECT_EQ(map.high, 2.0);
  EXPECT_EQ(map.cells, (Cells{{24, 16, 16}, {16, 16, 0}}));
}

TEST(Heatmap, SequentialColoursStartAtZero) {
  const HeatmapOptions options{.palette = Palette::sequential};
  EXPECT_EQ(of(filled(2, 2, 0.5), options).low, 0.0);
  EXPECT_EQ(of(filled(2, 2, 0.5), options).high, 0.5);
  EXPECT_EQ(of(filled(2, 2, 0.0), options).high, 1.0);
}

TEST(Heatmap, ASpanLeavesTheLargestValuesToTheLastColour) {
  Tensor<double> matrix = filled(10, 10, 0.5);
  matrix(0, 0) = 100.0;
  EXPECT_EQ(of(matrix, {.palette = Palette::sequential, .span = 0.98}).high, 0.5);
}

TEST(Heatmap, LargeMatricesAreAveragedDownAndKeepTheirAxes) {
  Tensor<double> matrix({1024, 512});
  for (Index r = 0; r < 1024; ++r) {
    for (Index c = 0; c < 512; ++c) matrix(r, c) = r % 4 == 0 ? 4.0 : 0.0;
  }
  const Heatmap map = of(matrix);
  EXPECT_EQ(map.cells, Cells(128, std::vector<int>(128, most_level)));
  EXPECT_EQ(map.high, 1.0);
  EXPECT_THAT(svg(map), AllOf(HasSubstr(">500</text>"), HasSubstr(">1000</text>")));
}

// 7 rows and 10 columns in cells of two sizes.
TEST(Heatmap, IsTheSameOfRowsThatBecomeKnownInParts) {
  Tensor<double> matrix({7, 10});
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = std::cos(static_cast<double>(i));
  const HeatmapOptions options{.longest_side = 4};
  HeatmapBuilder builder(7, 10, options);
  for (const Index first : {3, 0, 8}) {
    const Index count = first == 0 ? 3 : first == 3 ? 5 : 2;
    for (const double share : {0.25, 0.75}) {
      for (Index r = 6; r >= 0; --r)
        builder.add<double>(r, first, {matrix.view().row(r) + first, static_cast<std::size_t>(count)}, share);
    }
  }
  EXPECT_EQ(builder.heatmap().cells, of(matrix, options).cells);
}

TEST(Heatmap, AveragesBlocksOfAnySize) {
  const Tensor<double> matrix({1, 5}, std::vector<double>{3.0, 1.0, 8.0, 8.0, 8.0});
  EXPECT_EQ(of(matrix, {.palette = Palette::sequential, .longest_side = 2}).cells,
            (Cells{{most_level / 4, most_level}}));
}

TEST(Heatmap, NamesRowsAndColumnsWithTicks) {
  HeatmapOptions options;
  options.x_ticks = {{0.0, "the"}, {1.0, "cat's"}};
  options.y_ticks = {{0.5, "both"}};
  EXPECT_THAT(svg(of(filled(2, 2, 1.0), options)),
              AllOf(HasSubstr(">the</text>"), HasSubstr(">cat&#39;s</text>"), HasSubstr(">both</text>"),
                    Not(HasSubstr("rotate(45"))));
  options.x_ticks.assign(20, {0.0, "long"});
  EXPECT_THAT(svg(of(filled(2, 2, 1.0), options)), HasSubstr("rotate(45"));
}

TEST(Heatmap, BecomesASmallSvgWithItsTitle) {
  Tensor<double> matrix({300, 300});
  for (Index r = 0; r < 300; ++r) {
    for (Index c = 0; c < 300; ++c) matrix(r, c) = std::sin(static_cast<double>(r * c) / 5000.0);
  }
  matrix(5, 5) = std::nan("");
  const std::string picture = svg(of(matrix, {"sine <map>", "column", "row"}));
  EXPECT_LT(picture.size(), 100000U);
  EXPECT_THAT(picture, AllOf(HasSubstr("<title>sine &lt;map&gt;</title>"), HasSubstr(">column</text>"),
                             HasSubstr(">row</text>"), Not(HasSubstr("nan"))));
}

// White is the ground here: one line of two cells, then one of one.
TEST(Heatmap, DrawsARunOfEqualCellsAsOneLine) {
  Tensor<double> matrix = filled(2, 5, 0.0);
  matrix(0, 1) = matrix(0, 2) = matrix(1, 4) = 1.0;
  EXPECT_THAT(svg(of(matrix)), HasSubstr("d=\"M1 0h2M4 1h1\""));
}

TEST(Heatmap, IsTheSamePictureOnAPageWithoutTitleAndGround) {
  const Heatmap map = of(filled(2, 2, 1.0), {"the title", "key", "query"});
  const std::string part = inside_page(map);
  EXPECT_THAT(part, AllOf(HasSubstr("aria-label=\"the title\""), Not(HasSubstr(">the title</text>")),
                          Not(HasSubstr("fill=\"#fff\"/>"))));
  EXPECT_THAT(part, AllOf(Not(HasSubstr("id=")), Not(HasSubstr("url(")))) << "ids would clash on a page";
  const std::size_t picture = part.find("\n");
  EXPECT_THAT(svg(map), HasSubstr(part.substr(picture)));
}

}  // namespace
}  // namespace ordinal::experiments
