#include "experiments/runs/attention_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "experiments/report/heatmap.h"
#include "experiments/report/plots.h"
#include "experiments/report/statistics.h"
#include "framework/positional/probe.h"

namespace ordinal::experiments {
namespace {

constexpr Index probe_examples = 16;  // to fit a linear probe of positions, and as many to test it

// The attention of each token of a sequence, averaged over heads.
Tensor<double> mean_attention(const Subject& subject, const PlacedExample& example, Index layer) {
  Pass<float> pass(subject.values);
  const Tensor<float> map =
      attention_map<float>(subject.model, example.batch.tokens, example.positions, layer, all_heads, pass);
  Tensor<double> attention(map.shape());
  std::ranges::copy(map.span(), attention.data());
  return attention;
}

// One line: at each distance, the mean over seeds and its interval. Far distances are averaged in bins.
Series distance_series(const std::vector<std::vector<double>>& shares, Index layer) {
  Series series;
  series.name = fmt::format("layer {}", layer + 1);
  constexpr std::ptrdiff_t exact = 64;  // distances before this one are bins of their own, then bins widen
  for (std::ptrdiff_t n = 0, width = 1; n < std::ssize(shares.front()); n += width) {
    width = std::min(1 + n / exact, std::ssize(shares.front()) - n);
    std::vector<double> sample;
    for (const auto& share : shares) {
      const double sum = std::accumulate(share.begin() + n, share.begin() + n + width, 0.0);
      sample.push_back(sum / static_cast<double>(width));
    }
    const Summary summary = summarize(sample);
    series.x.push_back(static_cast<double>(n) + 0.5 * static_cast<double>(width - 1));
    series.y.push_back(summary.mean);
    if (summary.n < 2) continue;
    series.low.push_back(std::max(0.0, summary.low));
    series.high.push_back(summary.high);
  }
  return series;
}

// Activations before the output layer of `probe_examples` validation examples from `first` on.
ProbeSample probe_sample(const Subject& subject, Index length, std::uint32_t first) {
  const Index seq_len = subject.task.seq_len(length);
  ProbeSample sample{Tensor<double>({probe_examples * seq_len, subject.model.config().d_model}), {}};
  Pass<float> pass(subject.values);
  for (Index example = 0; example < probe_examples; ++example) {
    const auto [batch, positions] =
        validation_example(subject, length, first + static_cast<std::uint32_t>(example));
    pass.begin({.positions = positions});
    const View<const float> hidden = subject.model.hidden(batch.tokens, pass);
    for (Index t = 0; t < seq_len; ++t) {
      std::copy_n(hidden.row(t), hidden.cols, sample.activations.view().row(example * seq_len + t));
      sample.positions.push_back(static_cast<double>(t));
    }
  }
  return sample;
}

// Empty for a text that is too short to have examples to test on.
std::string probe_text(std::span<const Subject> seeds, Index length) {
  const Task& task = seeds.front().task;
  if (task.seq_len(length) < 2 || task.evaluation_examples(length) < 2 * probe_examples) return "";
  std::vector<double> read;
  for (const Subject& subject : seeds) {
    read.push_back(
        position_probe(probe_sample(subject, length, 0), probe_sample(subject, length, probe_examples)));
  }
  const Summary summary = summarize(read);
  return fmt::format(
      " A line fitted to the activations before the output layer reads the index of a token with R² = "
      "{:.2f}{} on "
      "held-out examples.",
      summary.mean, summary.n > 1 ? fmt::format(" ± {:.2f}", summary.sd) : "");
}

Chart distance_chart(const std::string& label, Index length, std::size_t seeds) {
  Chart chart;
  chart.title = fmt::format("{}: attention by distance at length {}", label, length);
  chart.subtitle = seeds > 1
                       ? fmt::format("mean over heads, queries and {} seeds; bands are 95 % intervals", seeds)
                       : "mean over heads and queries";
  chart.x_label = "distance from query to key";
  chart.y_label = "share of the attention";
  chart.y_low = 0.0;
  return chart;
}

}  // namespace

void draw_attention(std::span<const Subject> seeds, Index length, const std::string& label,
                    const LockedPath& stem, std::vector<ExtraFigure>& figures) {
  const Index layers = seeds.front().model.attention_layers();
  if (layers == 0) return;
  std::vector<PlacedExample> examples;
  for (const Subject& subject : seeds) examples.push_back(validation_example(subject, length));
  const std::string at = fmt::format("at-{}.svg", length);
  Chart distances = distance_chart(label, length, seeds.size());
  for (const Index layer : std::set<Index>{0, layers - 1}) {
    std::vector<std::vector<double>> shares;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const Tensor<double> map = mean_attention(seeds[s], examples[s], layer);
      shares.push_back(attention_distances(map));
      if (s > 0) continue;
      const HeatmapOptions options{
          .title = fmt::format("{}: attention in layer {} at length {}", label, layer + 1, length),
          .x_label = "key",
          .y_label = "query",
          .palette = Palette::sequential,
          .span = 0.99,
          .longest_side = 128};  // there are many on a page
      const LockedPath svg = stem + fmt::format("-attention-{}-{}", layer + 1, at);
      draw_heatmap(map.view(), options, svg);
      figures.push_back(
          {options.title,
           fmt::format("Mean over the heads of the model with seed {}, on one validation example.",
                       seeds[s].validation_seed),
           svg,
           "",
           {{"row", label},
            {"picture", "attention"},
            {"length", fmt::format("{}", length)},
            {"layer", fmt::format("{}", layer + 1)}}});
    }
    distances.series.push_back(distance_series(shares, layer));
  }
  const LockedPath svg = stem + ("-distances-" + at);
  draw_chart(distances, svg);
  figures.push_back(
      {distances.title,
       "How far heads look, on one validation example." + probe_text(seeds, length),
       svg,
       "",
       {{"row", label}, {"picture", "attention by distance"}, {"length", fmt::format("{}", length)}}});
}

}  // namespace ordinal::experiments
