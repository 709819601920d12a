#include "experiments/runs/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/report/heatmap.h"
#include "experiments/report/plots.h"
#include "experiments/runs/configure.h"
#include "experiments/runs/encoding_matrices.h"
#include "framework/positional/analysis.h"
#include "framework/positional/probe.h"

namespace ordinal::experiments {
namespace {

constexpr Index probe_examples = 16;  // to fit a linear probe of positions, and as many to test it

ExtraFigure heatmap(const Tensor<double>& matrix, const HeatmapOptions& options, const std::string& caption,
                    const std::filesystem::path& svg) {
  draw_heatmap(matrix.view(), options, svg);
  return {options.title, caption, svg, ""};
}

// The attention of each token, averaged over heads.
Tensor<double> mean_attention(const Subject& subject, std::span<const Token> tokens,
                              const Positions& positions, Index layer) {
  const Index seq_len = std::ssize(tokens);
  const Index heads = subject.model.config().heads;
  Tensor<double> mean({seq_len, seq_len});
  Pass<float> pass(subject.values);
  for (Index head = 0; head < heads; ++head) {
    const Tensor<float> map = attention_map<float>(subject.model, tokens, positions, layer, head, pass);
    for (Index i = 0; i < mean.size(); ++i) {
      mean.data()[i] += static_cast<double>(map.data()[i]) / static_cast<double>(heads);
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

Series distance_series(const Tensor<double>& map, Index layer) {
  Series series;
  series.name = fmt::format("layer {}", layer + 1);
  series.y = attention_distances(map);
  for (std::size_t n = 0; n < series.y.size(); ++n) series.x.push_back(static_cast<double>(n));
  return series;
}

// Activations before the output layer of `probe_examples` validation examples from `first` on.
ProbeSample probe_sample(const Subject& subject, Index length, const Positions& positions,
                         std::uint32_t first) {
  const Index seq_len = positions.seq_len();
  ProbeSample sample{Tensor<double>({probe_examples * seq_len, subject.model.config().d_model}), {}};
  Pass<float> pass(subject.values);
  for (Index example = 0; example < probe_examples; ++example) {
    const Batch batch = make_batch(subject.task, Split::validation, 0, 0, 1, length,
                                   first + static_cast<std::uint32_t>(example));
    pass.begin({.positions = positions});
    const View<const float> hidden = subject.model.hidden(batch.tokens, pass);
    for (Index t = 0; t < seq_len; ++t) {
      std::copy_n(hidden.row(t), hidden.cols, sample.activations.view().row(example * seq_len + t));
      sample.positions.push_back(static_cast<double>(t));
    }
  }
  return sample;
}

// A text may be too short for examples to test on.
std::string probe_text(const Subject& subject, Index length, const Positions& positions) {
  if (positions.seq_len() < 2 || subject.task.evaluation_examples(length) < 2 * probe_examples) return "";
  const double read = position_probe(probe_sample(subject, length, positions, 0),
                                     probe_sample(subject, length, positions, probe_examples));
  return fmt::format(
      " A line fitted to the activations before the output layer reads the index of a token with R² = {:.2f} "
      "on "
      "held-out examples.",
      read);
}

// What the encoding adds to the input and the scores.
void draw_encoding(const Subject& subject, const Positions& positions, const std::string& label,
                   const std::filesystem::path& stem, std::vector<ExtraFigure>& figures) {
  const ModelShape shape = shape_of(subject.model.config());
  const EncodingMatrices matrices =
      encoding_matrices(subject.model.encoding(), subject.values, subject.model.config().encoding, shape,
                        positions, 0, random_query_key(shape, positions.seq_len(), 1));
  if (matrices.input.size() > 0) {
    figures.push_back(heatmap(matrices.input,
                              {label + ": what is added to the input", "dimension", "position"},
                              "One row for each position.", stem.string() + "-input.svg"));
    figures.push_back(heatmap(
        cosine_similarity(matrices.input), {label + ": similarity of positions", "position", "position"},
        "Cosine of the angle between the rows: 1 is the same direction.", stem.string() + "-similarity.svg"));
  }
  if (matrices.bias.size() > 0 && subject.model.attention_layers() > 0) {
    figures.push_back(
        heatmap(side_by_side(matrices.bias),
                {label + ": what is added to the scores of layer 1", "key, head by head", "query"},
                "The heads side by side. Where it depends on queries and keys, they are random.",
                stem.string() + "-bias.svg"));
  }
}

// The attention maps of the first and the last attention layer.
void draw_attention(const Subject& subject, Index length, const Positions& positions,
                    const std::string& label, const std::filesystem::path& stem,
                    std::vector<ExtraFigure>& figures) {
  const Index layers = subject.model.attention_layers();
  if (layers == 0) return;
  std::vector<Token> tokens(static_cast<std::size_t>(positions.seq_len()));
  std::vector<Token> targets(tokens.size());
  subject.task.example({.split = Split::validation}, length, tokens, targets);
  Chart distances;
  distances.title = label + ": attention by distance";
  distances.subtitle = "mean over heads and queries";
  distances.x_label = "distance from query to key";
  distances.y_label = "share of the attention";
  distances.y_low = 0.0;
  for (const Index layer : std::set<Index>{0, layers - 1}) {
    const Tensor<double> map = mean_attention(subject, tokens, positions, layer);
    distances.series.push_back(distance_series(map, layer));
    figures.push_back(heatmap(map,
                              {.title = fmt::format("{}: attention in layer {}", label, layer + 1),
                               .x_label = "key",
                               .y_label = "query",
                               .palette = Palette::sequential,
                               .span = 0.99},
                              "Mean over the heads, on one validation example of the training length.",
                              fmt::format("{}-attention-{}.svg", stem.string(), layer + 1)));
  }
  const std::filesystem::path svg = stem.string() + "-distances.svg";
  draw_chart(distances, svg);
  figures.push_back({distances.title,
                     "How far heads look, on the same example." + probe_text(subject, length, positions), svg,
                     ""});
}

}  // namespace

std::vector<ExtraFigure> draw_model_figures(const Subject& subject, const std::string& label,
                                            const std::filesystem::path& folder, const std::string& prefix) {
  std::filesystem::create_directories(folder);
  const Index length = subject.settings.integer("task.train_length");
  const PositionScheme scheme = test_positions(subject.settings, subject.task);
  const Positions positions = make_positions(scheme, 1, subject.task.seq_len(length));
  std::vector<ExtraFigure> figures;
  draw_encoding(subject, positions, label, folder / prefix, figures);
  draw_attention(subject, length, positions, label, folder / prefix, figures);
  return figures;
}

}  // namespace ordinal::experiments
