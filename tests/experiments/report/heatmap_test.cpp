#include "experiments/report/heatmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

using testing::HasSubstr;

Tensor<double> filled(Index rows, Index cols, double value) {
  Tensor<double> matrix({rows, cols});
  for (double& element : matrix.span()) element = value;
  return matrix;
}

TEST(Heatmap, DivergingColoursAreSymmetricAroundZero) {
  Tensor<double> matrix = filled(2, 3, 0.25);
  matrix(1, 2) = -2.0;
  const std::string script = heatmap_script(std::as_const(matrix).view(), {});
  EXPECT_THAT(script, HasSubstr("set cbrange [-2:2]"));
  EXPECT_THAT(script, HasSubstr("0.25 0.25 -2 \n"));
}

TEST(Heatmap, SequentialColoursStartAtZero) {
  const Tensor<double> matrix = filled(2, 2, 0.5);
  HeatmapOptions options;
  options.palette = Palette::sequential;
  EXPECT_THAT(heatmap_script(matrix.view(), options), HasSubstr("set cbrange [0:0.5]"));
  EXPECT_THAT(heatmap_script(filled(2, 2, 0.0).view(), options), HasSubstr("set cbrange [0:1]"));
}

TEST(Heatmap, ASpanLeavesTheLargestValuesToTheLastColour) {
  Tensor<double> matrix = filled(10, 10, 0.5);
  matrix(0, 0) = 100.0;
  HeatmapOptions options;
  options.palette = Palette::sequential;
  options.span = 0.98;
  EXPECT_THAT(heatmap_script(std::as_const(matrix).view(), options), HasSubstr("set cbrange [0:0.5]"));
  EXPECT_THAT(heatmap_script(std::as_const(matrix).view(), options), HasSubstr("the largest 2 % take"));
}

TEST(Heatmap, LargeMatricesAreAveragedDownAndKeepTheirAxes) {
  Tensor<double> matrix({1024, 512});
  for (Index r = 0; r < 1024; ++r) {
    for (Index c = 0; c < 512; ++c) matrix(r, c) = r % 4 == 0 ? 4.0 : 0.0;
  }
  const std::string script = heatmap_script(std::as_const(matrix).view(), {});
  EXPECT_THAT(script, HasSubstr("set xrange [-0.5:511.5]\nset yrange [1023.5:-0.5]"));
  EXPECT_THAT(script, HasSubstr("END\n1 1 1 "));
  EXPECT_LT(script.size(), 256U * 256U * 4U);
}

TEST(Heatmap, AStridedViewIsReadInPlace) {
  Tensor<double> matrix = filled(2, 4, 9.0);
  matrix(0, 1) = 1.0;
  matrix(1, 1) = 2.0;
  EXPECT_THAT(heatmap_script(std::as_const(matrix).view().col_range(1, 1), {}),
              HasSubstr("END\n1 \n2 \nEND"));
}

TEST(Heatmap, NamesRowsAndColumnsWithTicks) {
  HeatmapOptions options;
  options.x_ticks = {{0.0, "the"}, {1.0, "cat's"}};
  options.y_ticks = {{0.5, "both"}};
  const std::string script = heatmap_script(filled(2, 2, 1.0).view(), options);
  EXPECT_THAT(script, HasSubstr("set xtics ('the' 0, " + gnuplot_string("cat's") + " 1)\n"));
  EXPECT_THAT(script, HasSubstr("set ytics ('both' 0.5)\n"));
  options.x_ticks.assign(20, {0.0, "long"});
  EXPECT_THAT(heatmap_script(filled(2, 2, 1.0).view(), options), HasSubstr("set xtics rotate"));
  EXPECT_THAT(heatmap_script(filled(2, 2, 1.0).view(), {}), testing::Not(HasSubstr("xtics")));
}

TEST(Heatmap, BecomesASmallSvgWithItsTitle) {
  const auto svg = std::filesystem::path(testing::TempDir()) / "heatmap_test" / "map.svg";
  Tensor<double> matrix({300, 300});
  for (Index r = 0; r < 300; ++r) {
    for (Index c = 0; c < 300; ++c) matrix(r, c) = std::sin(static_cast<double>(r * c) / 500.0);
  }
  matrix(5, 5) = std::nan("");
  const DrawOutcome outcome = draw_heatmap(std::as_const(matrix).view(), {"sine_map", "column", "row"}, svg);
  EXPECT_TRUE(outcome.drawn) << outcome.error;
  EXPECT_LT(std::filesystem::file_size(svg), 400000U);
  EXPECT_THAT(read_file(svg), HasSubstr("sine_map"));
  EXPECT_THAT(read_file(svg), HasSubstr("image-rendering:pixelated"));
}

std::string cells(const Tensor<double>& matrix, const HeatmapOptions& options = {}) {
  return nlohmann::json::parse(heatmap_numbers(matrix.view(), options))["cells"].dump();
}

TEST(Heatmap, HasACharacterForEachCellOnThePage) {
  Tensor<double> matrix = filled(2, 3, 1.0);
  matrix(0, 0) = -1.0;
  matrix(0, 1) = 0.0;
  matrix(1, 1) = std::nan("");
  EXPECT_EQ(cells(matrix), R"(["?^}","}!}"])");
  EXPECT_EQ(
      nlohmann::json::parse(heatmap_numbers(std::as_const(matrix).view(), {"", "key", "query"})).dump(),
      R"({"cells":["?^}","}!}"],"columns":3,"high":1.0,"low":-1.0,"matrix":[2,3],"x_label":"key","y_label":"query"})");
}

TEST(Heatmap, CountsEqualCellsAndLeavesOutWhatIsLowAtTheEnd) {
  HeatmapOptions options;
  options.palette = Palette::sequential;
  Tensor<double> matrix = filled(3, 20, 1.0);
  std::fill_n(matrix.data() + 2, 18, 0.0);       // 1 1 0 …
  std::fill_n(matrix.data() + 20 + 1, 18, 0.0);  // 1 0 … 1
  EXPECT_EQ(cells(matrix, options), R"(["}}","}?18}","}20"])");
}

TEST(Heatmap, IsAveragedDownForThePage) {
  HeatmapOptions options;
  options.page_side = 2;
  Tensor<double> matrix = filled(4, 4, 2.0);
  for (Index i = 0; i < 4; ++i) matrix(i, 3) = -2.0;
  const auto json = nlohmann::json::parse(heatmap_numbers(std::as_const(matrix).view(), options));
  EXPECT_EQ(json["cells"].dump(), R"(["}^","}^"])");
  EXPECT_EQ(json["matrix"].dump(), "[4,4]");
}

TEST(Heatmap, NothingToShowOrAnImpossibleSpanThrows) {
  EXPECT_THROW(heatmap_script(View<const double>(), {}), std::invalid_argument);
  EXPECT_THROW(heatmap_numbers(View<const double>(), {}), std::invalid_argument);
  const Tensor<double> matrix = filled(2, 2, 1.0);
  HeatmapOptions options;
  options.span = 0.0;
  EXPECT_THROW(heatmap_script(matrix.view(), options), std::invalid_argument);
}

}  // namespace
}  // namespace ordinal::experiments
