#include "experiments/runs/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/report/heatmap.h"
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

}  // namespace

template <typename T>
Tensor<double> input_matrix(const PositionalEncoding<T>& encoding, const Parameters<T>& values, Index seq_len,
                            Index d_model) {
  Pass<T> pass(values);
  pass.begin({.positions = Positions::contiguous(1, seq_len)});
  const Tensor<T> zeros({seq_len, d_model});
  const View<const T> encoded = encoding.encode_input(zeros.view(), pass);
  Tensor<double> matrix(zeros.shape());
  for (Index r = 0; r < seq_len; ++r) std::copy_n(encoded.row(r), encoded.cols, matrix.view().row(r));
  return matrix;
}

template Tensor<double> input_matrix<float>(const PositionalEncoding<float>&, const Parameters<float>&, Index,
                                            Index);
template Tensor<double> input_matrix<double>(const PositionalEncoding<double>&, const Parameters<double>&,
                                             Index, Index);

std::vector<ExtraFigure> draw_model_figures(const Transformer<float>& model, const Parameters<float>& values,
                                            const Task& task, Index length, const std::string& encoding,
                                            const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<ExtraFigure> figures;
  const Index seq_len = task.seq_len(length);
  const Tensor<double> matrix = input_matrix(model.encoding(), values, seq_len, model.config().d_model);
  if (std::ranges::any_of(matrix.span(), [](double value) { return value != 0.0; })) {
    figures.push_back(
        heatmap(matrix, {fmt::format("{}: what is added to the input", encoding), "dimension", "position"},
                "One row for each position.", folder / (encoding + "-input.svg")));
    figures.push_back(heatmap(cosine_similarity(matrix),
                              {fmt::format("{}: similarity of positions", encoding), "position", "position"},
                              "Cosine of the angle between the rows: 1 is the same direction.",
                              folder / (encoding + "-similarity.svg")));
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
