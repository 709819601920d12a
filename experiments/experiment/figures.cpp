#include "experiments/experiment/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "experiments/encoding/analysis.h"
#include "experiments/encoding/effect.h"
#include "experiments/encoding/study.h"
#include "experiments/report/plots.h"
#include "experiments/results/statistics.h"
#include "framework/core/errors.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

constexpr Index longest_map = 2048;  // tokens; maps have this number squared, for each head

// The attention of each token of a sequence, averaged over heads.
Tensor<double> mean_attention(const Subject& subject, const PlacedExample& example, Index layer) {
  Pass<float> pass(subject.values);
  const Tensor<float> map =
      attention_map<float>(subject.model, example.batch.tokens, example.positions, layer, all_heads, pass);
  Tensor<double> attention(map.shape());
  std::ranges::copy(map.span(), attention.data());
  return attention;
}

// One curve: the mean over seeds and its interval at each distance. Far distances are averaged in bins.
Series distance_series(const std::vector<std::vector<double>>& shares, Index layer) {
  Series series;
  series.name = fmt::format("layer {}", layer + 1);
  constexpr std::ptrdiff_t exact = 64;  // below it each distance is its own bin, then bins widen
  for (std::ptrdiff_t n = 0, width = 1; n < std::ssize(shares.front()); n += width) {
    width = std::min(1 + n / exact, std::ssize(shares.front()) - n);
    std::vector<double> sample;
    for (const auto& share : shares) {
      const double sum = std::accumulate(share.begin() + n, share.begin() + n + width, 0.0);
      sample.push_back(sum / static_cast<double>(width));
    }
    add_mean(series, static_cast<double>(n) + 0.5 * static_cast<double>(width - 1),
             summarize(sample, Range::fraction));
  }
  return series;
}

class RowFigures {
 public:
  RowFigures(std::vector<Subject> seeds, const Row& row) : seeds_(std::move(seeds)), row_(row) {}

  std::vector<Figure> all() {
    const Subject& first = seeds_.front();
    const Index trained = first.plan.settings.integer("task.train_length");
    const auto fits = [&](Index length) { return first.task.seq_len(length) <= longest_map; };
    std::set<Index> lengths = {trained};
    for (const Index length : evaluation_lengths(first.plan.settings)) lengths.insert(length);
    std::erase_if(lengths, [&](Index length) { return !fits(length); });
    try {
      if (fits(trained)) {
        encoding(validation_example(first, trained).positions);
        attention(trained);
      } else {
        say_too_long(trained);
      }
      if (!lengths.empty() && *lengths.rbegin() != trained) attention(*lengths.rbegin());
    } catch (const PositionError&) {  // the encoding does not support these positions; its scores report that
    }
    return std::move(figures_);
  }

 private:
  using Tags = decltype(Figure::tags);

  void add(std::string caption, auto picture, const std::string& title, const std::string& file, Tags tags) {
    tags.insert(tags.begin(), {"row", row_.label});
    figures_.push_back(
        {title, std::move(caption), std::move(picture), row_.folder + "-" + file, std::move(tags)});
  }

  void map(const Tensor<double>& matrix, HeatmapOptions options, const std::string& file, std::string caption,
           Tags tags) {
    options.title = row_.label + ": " + options.title;
    const std::string title = options.title;
    add(std::move(caption), heatmap(matrix.view(), std::move(options)), title, file, std::move(tags));
  }

  void say_too_long(Index length) {
    figures_.push_back(
        {.title = row_.label + ": pictures that are left out.",
         .caption = "Pictures of what an encoding adds and of attention show every pair of tokens.",
         .picture = fmt::format("Not drawn at the training length {}: {} tokens, at most {} are drawn.",
                                length, seeds_.front().task.seq_len(length), longest_map),
         .tags = {{"row", row_.label}}});
  }

  // What the encoding adds to the input and the scores.
  void encoding(const Positions& positions) {
    const Subject& first = seeds_.front();
    const ModelConfig& config = first.model.config();
    const Effect<float> effect{first.model.encoding(), first.values, config.encoding, shape_of(config),
                               positions};
    const Tensor<double> input = effect.input();
    const Tensor<double> bias = effect.bias(random_content(effect.shape, effect.seq_len(), 1));
    const auto draw = [&](const Tensor<double>& matrix, const HeatmapOptions& options, const char* name,
                          const char* caption) {
      map(matrix, options, name, caption, {{"picture", options.title}});
    };
    if (input.size() > 0) {
      draw(input, {"what is added to the input", "dimension", "position"}, "input",
           "One row for each position.");
      draw(cosine_similarity(input), {"similarity of positions", "position", "position"}, "similarity",
           "Cosine of the angle between the rows: 1 is the same direction.");
    }
    if (bias.size() > 0 && first.model.attention_layers() > 0) {
      const Index heads = bias.shape()[0];
      const Index length = bias.shape()[1];
      std::vector<View<const double>> all;
      for (Index head = 0; head < heads; ++head) all.push_back(bias.view().row_range(head * length, length));
      draw(tiled(all, heads, 0), {"what is added to the scores of layer 1", "key, head by head", "query"},
           "bias", "The heads side by side. Where it depends on queries and keys, they are random.");
    }
  }

  void attention(Index length) {
    const Index layers = seeds_.front().model.attention_layers();
    if (layers == 0) return;
    Chart distances;
    distances.title = fmt::format("{}: attention by distance at length {}", row_.label, length);
    distances.subtitle = "mean over heads and queries";
    if (seeds_.size() > 1) {
      distances.subtitle =
          fmt::format("mean over heads, queries and {} seeds; bands are 95 % intervals", seeds_.size());
    }
    distances.x_label = "distance from query to key";
    distances.y_label = "share of the attention";
    distances.y_low = 0.0;
    for (const Index layer : std::set<Index>{0, layers - 1}) {
      std::vector<std::vector<double>> shares;
      for (const Subject& subject : seeds_) {
        const Tensor<double> attention = mean_attention(subject, validation_example(subject, length), layer);
        shares.push_back(attention_distances(attention));
        if (&subject == &seeds_.front()) attention_map_of(attention, layer, length);
      }
      distances.series.push_back(distance_series(shares, layer));
    }
    add("How far heads look, on one validation example.", distances, distances.title,
        fmt::format("distances-at-{}", length),
        {{"picture", "attention by distance"}, {"length", std::to_string(length)}});
  }

  void attention_map_of(const Tensor<double>& attention, Index layer, Index length) {
    const HeatmapOptions options{
        .title = fmt::format("attention in layer {} at length {}", layer + 1, length),
        .x_label = "key",
        .y_label = "query",
        .palette = Palette::sequential,
        .span = 0.99,
        .longest_side = 64};  // a page has many of them
    map(attention, options, fmt::format("attention-{}-at-{}", layer + 1, length),
        fmt::format("Mean over the heads of the model with seed {}, on one validation example. The largest 1 "
                    "% take the last colour.",
                    seeds_.front().validation_seed),
        {{"picture", "attention"}, {"length", std::to_string(length)}, {"layer", std::to_string(layer + 1)}});
  }

  std::vector<Subject> seeds_;
  const Row& row_;
  std::vector<Figure> figures_;
};

struct LoadedModel {
  std::unique_ptr<Transformer<float>> model;
  std::unique_ptr<Parameters<float>> values;
  std::uint64_t seed = 0;
};

// The scored weights of one row. `missing` gets a line for each seed whose checkpoint does not hold them.
std::vector<LoadedModel> load_models(std::span<const Cell> row, const ExperimentResult& result,
                                     std::vector<std::string>& missing) {
  std::vector<LoadedModel> models;
  for (const Cell& cell : row) {
    const auto scored = std::ranges::find_if(result.cells, [&](const CellResult& one) {
      return one.row == cell.entrant.row.label && one.seed == cell.seed;
    });
    if (scored == result.cells.end() || scored->weights_hash.empty()) continue;  // it was not trained
    auto model = std::make_unique<Transformer<float>>(cell.entrant.last().plan.model);
    auto values = std::make_unique<Parameters<float>>(model->layout());
    try {
      load_parameters(SafetensorsFile(cell.checkpoint), *values);
    } catch (const CheckpointError& error) {
      missing.push_back(fmt::format("Seed {}: {}", cell.seed, error.what()));
      continue;
    }
    if (weights_hash(*values) != scored->weights_hash) {
      missing.push_back(
          fmt::format("Seed {}: {}: it does not hold the weights that were scored (delete result.json beside "
                      "it to train and score again)",
                      cell.seed, cell.checkpoint.string()));
      continue;
    }
    models.push_back({std::move(model), std::move(values), cell.seed});
  }
  return models;
}

}  // namespace

std::vector<double> attention_distances(const Tensor<double>& map) {
  const View<const double> a = map.view();
  if (a.rows != a.cols) {
    throw std::invalid_argument(
        fmt::format("attention_distances: got a map of shape {}, expected a square one",
                    ordinal::to_string(map.shape())));
  }
  std::vector<double> shares(static_cast<std::size_t>(a.rows));
  for (Index i = 0; i < a.rows; ++i) {
    for (Index j = 0; j < a.cols; ++j) {
      shares[static_cast<std::size_t>(std::abs(i - j))] += a(i, j) / static_cast<double>(a.rows);
    }
  }
  return shares;
}

std::vector<Figure> row_figures(std::span<const Cell> row, const ExperimentResult& result) {
  std::vector<std::string> missing;
  const std::vector<LoadedModel> models = load_models(row, result, missing);
  const Entrant& entrant = row.front().entrant;
  const Stage& stage = entrant.last();
  std::vector<Subject> seeds;
  for (const LoadedModel& one : models)
    seeds.push_back(
        {*one.model, *one.values, *stage.plan.task, stage.plan, row.front().evaluation, one.seed});
  std::vector<Figure> figures;
  if (!seeds.empty()) figures = RowFigures(std::move(seeds), entrant.row).all();
  if (!missing.empty()) {
    figures.insert(figures.begin(), {.title = entrant.row.label + ": models that are missing.",
                                     .caption = "These seeds are in the tables, but not in the pictures.",
                                     .picture = joined(missing, "\n"),
                                     .tags = {{"row", entrant.row.label}}});
  }
  return figures;
}

}  // namespace ordinal::experiments
