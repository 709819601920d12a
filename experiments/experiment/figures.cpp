#include "experiments/experiment/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "experiments/encoding/analysis.h"
#include "experiments/encoding/effect.h"
#include "experiments/report/plots.h"
#include "experiments/results/statistics.h"
#include "framework/core/errors.h"
#include "framework/math/blas.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

// A distance from query to key, and the share of the attention at it.
using DistanceShare = std::pair<double, double>;

// Of one layer of one model. Far distances are averaged in bins.
std::vector<DistanceShare> in_bins(const std::vector<double>& shares) {
  constexpr std::ptrdiff_t exact = 64;  // below it each distance is its own bin, then bins widen
  std::vector<DistanceShare> bins;
  for (std::ptrdiff_t n = 0, width = 1; n < std::ssize(shares); n += width) {
    width = std::min(1 + n / exact, std::ssize(shares) - n);
    const double sum = std::accumulate(shares.begin() + n, shares.begin() + n + width, 0.0);
    bins.emplace_back(static_cast<double>(n) + 0.5 * static_cast<double>(width - 1),
                      sum / static_cast<double>(width));
  }
  return bins;
}

// One curve: the mean over models and its interval at each distance.
Series distance_series(const std::vector<std::vector<DistanceShare>>& models, Index layer) {
  Series series;
  series.name = fmt::format("layer {}", layer + 1);
  for (std::size_t bin = 0; bin < models.front().size(); ++bin) {
    std::vector<double> sample;
    for (const auto& bins : models) sample.push_back(bins[bin].second);
    add_mean(series, models.front()[bin].first, summarize(sample));
  }
  return series;
}

// The longest tested length if some condition runs its sequences whole; 0 if all cut them into pieces.
Index longest_whole(const Subject& subject) {
  const Index length = evaluation_lengths(subject.plan.settings).back();
  const Index tokens = subject.plan.task->seq_len(length);
  return longest_piece(subject.plan, subject.model, length) < tokens ? 0 : length;
}

// The pictures of a row. Its models are added one by one, so only one of them is in memory.
class RowFigures {
 public:
  explicit RowFigures(const Row& row) : row_(row) {}

  void add(const Subject& subject) {
    const Index trained = subject.plan.settings.integer("task.train_length");
    const Index longest = std::max(trained, longest_whole(subject));
    try {
      if (models_++ == 0) encoding(subject, validation_example(subject, trained).positions);
      for (const Index length : std::set<Index>{trained, longest}) attention(subject, length);
    } catch (const PositionError&) {  // the encoding does not support these positions; its scores report that
    }
  }

  std::vector<Figure> all() {
    for (auto& [length, shown] : attention_) {
      std::ranges::move(shown.maps, std::back_inserter(figures_));
      figures_.push_back(distances(shown, length));
    }
    return std::move(figures_);
  }

 private:
  // At one length.
  struct Attention {
    std::vector<Figure> maps = {};                                         // of the first model
    std::map<Index, std::vector<std::vector<DistanceShare>>> layers = {};  // of all models
  };

  // `tags` besides that of the row.
  Figure figure(const std::string& title, const std::string& caption, auto picture, const std::string& file,
                decltype(Figure::tags) tags) const {
    tags.insert(tags.begin(), {"row", row_.label});
    return {title, caption, std::move(picture), row_.folder + "-" + file, std::move(tags)};
  }

  // Of what it shows, as a part of the title.
  std::string titled(const std::string& what) const { return row_.label + ": " + what; }

  // What the encoding adds to the input and the scores.
  void encoding(const Subject& subject, const Positions& positions) {
    const ModelConfig& config = subject.model.config();
    const Effect<float> effect{subject.model.encoding(), subject.values, config.encoding, shape_of(config),
                               positions};
    if (effect.acts(Place::input)) input(effect.input());
    if (effect.acts(Place::scores) && subject.model.attention_layers() > 0) bias(effect);
  }

  void draw(Heatmap drawn, const std::string& picture, const std::string& file, const char* caption) {
    const std::string title = drawn.options.title;
    figures_.push_back(figure(title, caption, std::move(drawn), file, {{"picture", picture}}));
  }

  void input(const Tensor<double>& input) {
    const std::string added = "what is added to the input";
    draw(heatmap(input.view(), {titled(added), "dimension", "position"}), added, "input",
         "One row for each position.");
    const Tensor<double> unit = unit_rows(input);
    const Index length = unit.view().rows;
    const std::string similar = "similarity of positions";
    HeatmapBuilder similarity(length, length, {titled(similar), "position", "position"});
    Tensor<double> cosines({1, length});
    for (Index i = 0; i < length; ++i) {
      multiply<double>(unit.view().row_range(i, 1), transposed(unit.view()), cosines.view());
      similarity.add<double>(i, 0, cosines.span());
    }
    draw(similarity.heatmap(), similar, "similarity",
         "Cosine of the angle between the rows: 1 is the same direction.");
  }

  void bias(const Effect<float>& effect) {
    const Index length = effect.seq_len();
    const std::string added = "what is added to the scores of layer 1";
    HeatmapBuilder heads(length, effect.shape.heads * length, {titled(added), "key, head by head", "query"});
    effect.visit_pairs(
        random_content(effect.shape, length, 1), false, true,
        [&](Index head, Index query, std::span<const float> row) { heads.add(query, head * length, row); });
    draw(heads.heatmap(), added, "bias",
         "The heads side by side. Where it depends on queries and keys, they are random.");
  }

  void attention(const Subject& subject, Index length) {
    const Index layers = subject.model.attention_layers();
    if (layers == 0) return;
    const PlacedExample example = validation_example(subject, length);
    const Index tokens = example.positions.seq_len();
    const double share = 1.0 / static_cast<double>(subject.model.config().heads);
    struct Layer {
      HeatmapBuilder map;
      std::vector<double> distances;
    };
    std::map<Index, Layer> shown;
    for (const Index layer : {Index{0}, layers - 1})
      shown.emplace(layer, Layer{{tokens, tokens, map_options(layer, length)},
                                 std::vector<double>(static_cast<std::size_t>(tokens))});
    const AttentionRun<float> attention{.observe = [&](const AttentionRow<float>& row) {
      const auto found = shown.find(row.layer);
      if (found == shown.end()) return;
      found->second.map.add(row.query, row.first_key, row.probabilities, share);
      add_distances(row, share, found->second.distances);
    }};
    Pass<float> pass(subject.values);
    pass.begin({.positions = example.positions, .attention = &attention});
    subject.model.hidden(example.batch.tokens, pass);
    Attention& at_length = attention_[length];
    for (const auto& [layer, of_layer] : shown) {
      std::vector<std::vector<DistanceShare>>& models = at_length.layers[layer];
      if (models.empty())
        at_length.maps.push_back(attention_map(of_layer.map.heatmap(), subject, layer, length));
      models.push_back(in_bins(of_layer.distances));
    }
  }

  HeatmapOptions map_options(Index layer, Index length) const {
    return {.title = titled(fmt::format("attention in layer {} at length {}", layer + 1, length)),
            .x_label = "key",
            .y_label = "query",
            .palette = Palette::sequential,
            .span = 0.99,
            .longest_side = 64};  // a page has many of them
  }

  Figure attention_map(Heatmap drawn, const Subject& subject, Index layer, Index length) const {
    const std::string title = drawn.options.title;
    return figure(
        title,
        fmt::format("Mean over the heads of the model with seed {}, on one validation example. The "
                    "largest 1 % take the last colour.",
                    subject.validation_seed),
        std::move(drawn), fmt::format("attention-{}-at-{}", layer + 1, length),
        {{"picture", "attention"}, {"length", std::to_string(length)}, {"layer", std::to_string(layer + 1)}});
  }

  Figure distances(const Attention& shown, Index length) const {
    Chart chart;
    chart.title = titled(fmt::format("attention by distance at length {}", length));
    chart.subtitle = "mean over heads and queries";
    if (const std::size_t models = shown.layers.begin()->second.size(); models > 1)
      chart.subtitle =
          fmt::format("mean over heads, queries and {} seeds; bands: from the lowest to the highest", models);
    chart.x_label = "distance from query to key";
    chart.y_label = "share of the attention";
    chart.y_low = 0.0;
    for (const auto& [layer, models] : shown.layers) chart.series.push_back(distance_series(models, layer));
    return figure(chart.title, "How far heads look, on one validation example.", chart,
                  fmt::format("distances-at-{}", length),
                  {{"picture", "attention by distance"}, {"length", std::to_string(length)}});
  }

  const Row& row_;
  Index models_ = 0;
  std::vector<Figure> figures_;
  std::map<Index, Attention> attention_;  // by length
};

// Reads the scored weights of a cell. Throws CheckpointError if they are missing.
void load_scored(const Cell& cell, const std::string& scored, Parameters<float>& values) {
  load_parameters(SafetensorsFile(cell.checkpoint), values);
  if (weights_hash(values) == scored) return;
  throw CheckpointError(fmt::format(
      "{}: it does not hold the weights that were scored (delete result.json beside it to train and score "
      "again)",
      cell.checkpoint.string()));
}

}  // namespace

void add_distances(const AttentionRow<float>& row, double share, std::vector<double>& distances) {
  const double of_row = share / static_cast<double>(distances.size());
  Index key = row.first_key;
  for (const float probability : row.probabilities) {
    distances[static_cast<std::size_t>(std::abs(row.query - key))] +=
        of_row * static_cast<double>(probability);
    ++key;
  }
}

std::vector<Figure> row_figures(std::span<const Cell> row, const ExperimentResult& result) {
  const Entrant& entrant = row.front().entrant;
  const Plan& plan = entrant.last().plan;
  const Transformer<float> model(plan.model);
  Parameters<float> values(model.layout());
  RowFigures drawn(entrant.row);
  std::vector<std::string> missing;
  for (const Cell& cell : row) {
    const auto scored = std::ranges::find_if(result.cells, [&](const CellResult& one) {
      return one.row == entrant.row.label && one.seed == cell.seed;
    });
    if (scored == result.cells.end() || scored->weights_hash.empty()) continue;  // it was not trained
    try {
      load_scored(cell, scored->weights_hash, values);
      drawn.add({model, values, *plan.task, plan, cell.evaluation, cell.seed});
    } catch (const CheckpointError& error) {
      missing.push_back(fmt::format("Seed {}: {}", cell.seed, error.what()));
    }
  }
  std::vector<Figure> figures = drawn.all();
  if (!missing.empty()) {
    figures.insert(figures.begin(), {.title = entrant.row.label + ": models that are missing.",
                                     .caption = "These seeds are in the tables, but not in the pictures.",
                                     .picture = joined(missing, "\n"),
                                     .tags = {{"row", entrant.row.label}}});
  }
  return figures;
}

}  // namespace ordinal::experiments
