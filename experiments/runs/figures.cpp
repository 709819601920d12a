#include "experiments/runs/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/report/heatmap.h"
#include "experiments/report/plots.h"
#include "experiments/runs/encoding_matrices.h"
#include "framework/positional/analysis.h"
#include "framework/positional/probe.h"

namespace ordinal {
namespace {

constexpr Index probe_examples = 16;  // to fit a read-out of positions, and as many to test it

ExtraFigure heatmap(const Tensor<double>& matrix, const HeatmapOptions& options, const std::string& caption,
                    const std::filesystem::path& svg) {
  draw_heatmap(matrix.view(), options, svg);
  return {options.title, caption, svg, ""};
}

// The mean over heads of where each token looks.
Tensor<double> mean_attention(const Transformer<float>& model, const Parameters<float>& values,
                              std::span<const Token> tokens, const Positions& positions, Index block) {
  const Index seq_len = std::ssize(tokens);
  Tensor<double> mean({seq_len, seq_len});
  Pass<float> pass(values);
  for (Index head = 0; head < model.config().heads; ++head) {
    pass.begin({.positions = positions});
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

Series distance_series(const Tensor<double>& map, Index block) {
  Series series;
  series.name = fmt::format("block {}", block + 1);
  series.y = attention_distances(map);
  for (std::size_t n = 0; n < series.y.size(); ++n) series.x.push_back(static_cast<double>(n));
  return series;
}

// Activations before the output layer of `probe_examples` validation examples from `first` on.
ProbeSample probe_sample(const Transformer<float>& model, const Parameters<float>& values, const Task& task,
                         Index length, const Positions& positions, std::uint32_t first) {
  const Index seq_len = positions.seq_len();
  ProbeSample sample{Tensor<double>({probe_examples * seq_len, model.config().d_model}), {}};
  Pass<float> pass(values);
  for (Index example = 0; example < probe_examples; ++example) {
    const Batch batch =
        make_batch(task, Split::validation, 0, 0, 1, length, first + static_cast<std::uint32_t>(example));
    pass.begin({.positions = positions});
    const View<const float> hidden = model.hidden(batch.tokens, pass);
    for (Index t = 0; t < seq_len; ++t) {
      std::copy_n(hidden.row(t), hidden.cols, sample.activations.view().row(example * seq_len + t));
      sample.positions.push_back(static_cast<double>(t));
    }
  }
  return sample;
}

// A text may be too short for examples to test on.
std::string probe_text(const Transformer<float>& model, const Parameters<float>& values, const Task& task,
                       Index length, const Positions& positions) {
  if (positions.seq_len() < 2 || task.evaluation_examples(length) < 2 * probe_examples) return "";
  const double read = position_probe(probe_sample(model, values, task, length, positions, 0),
                                     probe_sample(model, values, task, length, positions, probe_examples));
  return fmt::format(
      " A line fitted to the activations before the output layer reads the index of a token with R² = {:.2f} "
      "on "
      "examples that it was not fitted to.",
      read);
}

}  // namespace

std::vector<ExtraFigure> draw_model_figures(const Transformer<float>& model, const Parameters<float>& values,
                                            const Task& task, Index length, const std::string& encoding,
                                            const PositionScheme& scheme,
                                            const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::vector<ExtraFigure> figures;
  const Index seq_len = task.seq_len(length);
  const EncodingConfig config = encoding_for(model.config());
  const Positions positions = make_positions(scheme, 1, seq_len);
  const EncodingMatrices matrices =
      encoding_matrices(model.encoding(), values, config, positions, 0, random_query_key(config, seq_len, 1));
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
  Chart distances;
  distances.title = fmt::format("{}: attention by distance", encoding);
  distances.subtitle = "mean over heads and queries";
  distances.x_label = "distance from query to key";
  distances.y_label = "share of the attention";
  distances.y_low = 0.0;
  for (const Index block : std::set<Index>{0, model.config().layers - 1}) {
    const Tensor<double> map = mean_attention(model, values, tokens, positions, block);
    distances.series.push_back(distance_series(map, block));
    figures.push_back(heatmap(map,
                              {.title = fmt::format("{}: attention in block {}", encoding, block + 1),
                               .x_label = "key",
                               .y_label = "query",
                               .palette = Palette::sequential,
                               .span = 0.99},
                              "Mean over the heads, on one validation example of the training length.",
                              folder / fmt::format("{}-attention-{}.svg", encoding, block + 1)));
  }
  const std::filesystem::path svg = folder / (encoding + "-distances.svg");
  draw_chart(distances, svg);
  figures.push_back(
      {distances.title,
       "How far heads look, on the same example." + probe_text(model, values, task, length, positions), svg,
       ""});
  return figures;
}

}  // namespace ordinal
