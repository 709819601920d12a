#include "experiments/runs/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/report/heatmap.h"
#include "experiments/runs/encoding_matrices.h"
#include "framework/positional/analysis.h"

namespace ordinal {
namespace {

ExtraFigure heatmap(const Tensor<double>& matrix, const HeatmapOptions& options, const std::string& caption,
                    const std::filesystem::path& svg) {
  draw_heatmap(matrix.view(), options, svg);
  return {options.title, caption, svg, ""};
}

// The mean over heads of where each token looks.
Tensor<double> mean_attention(const Transformer<float>& model, const Parameters<float>& values,
                              std::span<const Token> tokens, Index block) {
  const Index seq_len = std::ssize(tokens);
  Tensor<double> mean({seq_len, seq_len});
  Pass<float> pass(values);
  for (Index head = 0; head < model.config().heads; ++head) {
    pass.begin({.positions = Positions::contiguous(1, seq_len)});
    const Tensor<float> map = model.attention_map(tokens, block, head, pass);
    for (Index i = 0; i < mean.size(); ++i) {
      mean.data()[i] += static_cast<double>(map.data()[i]) / static_cast<double>(model.config().heads);
    }
  }
  return mean;
}

// (heads, L, L) -> (L, heads·L)
Tensor<double> side_by_side(const Tensor<double>& bias) {
  const Index heads = bias.shape()[0];
  const Index length = bias.shape()[1];
  Tensor<double> wide({length, heads * length});
  for (Index head = 0; head < heads; ++head) {
    for (Index i = 0; i < length; ++i) {
      std::copy_n(bias.view().row(head * length + i), length, wide.view().row(i) + head * length);
    }
  }
  return wide;
}

}  // namespace

std::vector<ExtraFigure> draw_model_figures(const Transformer<float>& model, const Parameters<float>& values,
                                            const Task& task, Index length, const std::string& encoding,
                                            const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<ExtraFigure> figures;
  const Index seq_len = task.seq_len(length);
  const EncodingConfig config = encoding_for(model.config());
  const EncodingMatrices matrices =
      encoding_matrices(model.encoding(), values, config, Positions::contiguous(1, seq_len), 0,
                        random_query_key(config, seq_len, 1));
  const Tensor<double>& matrix = matrices.input;
  if (matrix.size() > 0) {
    figures.push_back(
        heatmap(matrix, {fmt::format("{}: what is added to the input", encoding), "dimension", "position"},
                "One row for each position.", folder / (encoding + "-input.svg")));
    figures.push_back(heatmap(cosine_similarity(matrix),
                              {fmt::format("{}: similarity of positions", encoding), "position", "position"},
                              "Cosine of the angle between the rows: 1 is the same direction.",
                              folder / (encoding + "-similarity.svg")));
  }
  if (matrices.bias.size() > 0) {
    figures.push_back(heatmap(
        side_by_side(matrices.bias),
        {fmt::format("{}: what is added to the scores of block 1", encoding), "key, head by head", "query"},
        "The heads side by side. Where it depends on queries and keys, they are random.",
        folder / (encoding + "-bias.svg")));
  }
  std::vector<Token> tokens(static_cast<std::size_t>(seq_len));
  std::vector<Token> targets(tokens.size());
  task.example({.split = Split::validation}, length, tokens, targets);
  for (const Index block : std::set<Index>{0, model.config().layers - 1}) {
    figures.push_back(heatmap(mean_attention(model, values, tokens, block),
                              {.title = fmt::format("{}: attention in block {}", encoding, block + 1),
                               .x_label = "key",
                               .y_label = "query",
                               .palette = Palette::sequential,
                               .span = 0.99},
                              "Mean over the heads, on one validation example of the training length.",
                              folder / fmt::format("{}-attention-{}.svg", encoding, block + 1)));
  }
  return figures;
}

}  // namespace ordinal
