#include "experiments/experiment/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "experiments/conditions/condition.h"
#include "experiments/encoding/analysis.h"
#include "experiments/encoding/effect.h"
#include "experiments/report/plots.h"
#include "framework/core/errors.h"
#include "framework/math/blas.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

// The test of a length under the first condition, that of the main tables.
TestSetup first_test(const Subject& subject, Index length) {
  return test_under(tests_of(subject.plan.settings).front().condition, subject.model, subject.task,
                    subject.plan.test_positions, length);
}

// The longest tested length of which attention is drawn; 0 if the test cuts all sequences into pieces. A picture takes quadratic time.
Index longest_drawn(const Subject& subject) {
  constexpr Index most = 4096;
  Index longest = 0;
  for (const Index length : evaluation_lengths(subject.plan.settings)) {
    const Index tokens = subject.task.seq_len(length);
    if (tokens <= most && first_test(subject, length).windows.size >= tokens) longest = length;
  }
  return longest;
}

// The pictures of a row. Its models are added one by one, so only one of them is in memory.
class RowFigures {
 public:
  explicit RowFigures(const Row& row) : row_(row) {}

  // `checkpoint` holds the values of the subject.
  void add(const Subject& subject, const std::filesystem::path& checkpoint) {
    const Index trained = subject.plan.settings->task.train_length;
    try {
      const Index longest = std::max(trained, longest_drawn(subject));
      if (models_++ == 0)
        encoding(subject, checkpoint,
                 validation_example(subject, trained, subject.plan.test_positions).positions);
      for (const Index length : std::set<Index>{trained, longest}) attention(subject, length);
    } catch (const ConfigError&) {    // the model cannot be tested like this; its scores report that
    } catch (const PositionError&) {  // the encoding does not support these positions; its scores report that
    }
  }

  std::vector<Figure> all() {
    for (const auto& [length, layers] : distances_) distances(layers, length);
    return std::move(figures_);
  }

 private:
  using Layers = std::map<Index, std::vector<Points>>;  // shares of the attention by distance, of all models

  // Of what it shows.
  std::string titled(const std::string& what) const { return row_.label + ": " + what; }

  // `tags` besides that of the row.
  void draw(const std::string& what, const std::string& caption, auto picture, const std::string& file,
            decltype(Figure::tags) tags) {
    tags.insert(tags.begin(), {"row", row_.label});
    figures_.push_back({titled(what), caption, std::move(picture), row_.folder + "-" + file, tags});
  }

  // What the encoding adds to the input and the scores.
  void encoding(const Subject& subject, const std::filesystem::path& checkpoint, const Positions& positions) {
    const ModelConfig& config = subject.model.config();
    BuiltEncoding built(config.encoding, shape_of(config), 0);
    load_parameters(SafetensorsFile(checkpoint), built.values);
    const Effect effect{built, positions};
    if (effect.acts(Place::input)) input(effect.input());
    if (effect.acts(Place::scores) && subject.model.attention_layers() > 0) bias(effect);
  }

  void input(const Tensor<double>& input) {
    const std::string added = "what is added to the input";
    draw(added, "One row for each position.", heatmap(input.view(), {titled(added), "dimension", "position"}),
         "input", {{"picture", added}});
    const Tensor<double> unit = unit_rows(input);
    const Index length = unit.view().rows;
    const std::string similar = "similarity of positions";
    HeatmapBuilder similarity(length, length, {titled(similar), "position", "position"});
    Tensor<double> cosines({1, length});
    for (Index i = 0; i < length; ++i) {
      multiply<double>(unit.view().row_range(i, 1), transposed(unit.view()), cosines.view());
      similarity.add<double>(i, 0, cosines.span());
    }
    draw(similar, "Cosine of the angle between the rows: 1 is the same direction.", similarity.heatmap(),
         "similarity", {{"picture", similar}});
  }

  void bias(const Effect& effect) {
    const ModelShape& shape = effect.of.shape;
    const Index length = effect.seq_len();
    const std::string added = "what is added to the scores of layer 1";
    HeatmapBuilder heads(length, shape.heads * length, {titled(added), "key, head by head", "query"});
    effect.visit_pairs(
        random_content(shape, length, 1), false, true,
        [&](Index head, Index query, std::span<const double> row) { heads.add(query, head * length, row); });
    draw(added, "The heads side by side. Where it depends on queries and keys, they are random.",
         heads.heatmap(), "bias", {{"picture", added}});
  }

  void attention(const Subject& subject, Index length) {
    const Index layers = subject.model.attention_layers();
    if (layers == 0) return;
    const TestSetup test = first_test(subject, length);
    const PlacedExample example = validation_example(subject, length, test.positions);
    const Index tokens = example.positions.seq_len();
    const double share = 1.0 / static_cast<double>(subject.model.config().heads);
    struct Layer {
      std::string what;
      HeatmapBuilder map;
      std::vector<double> distances;
    };
    std::map<Index, Layer> shown;
    for (const Index layer : {Index{0}, layers - 1}) {
      const std::string what = fmt::format("attention in layer {} at length {}", layer + 1, length);
      const HeatmapOptions options{.title = titled(what),
                                   .x_label = "key",
                                   .y_label = "query",
                                   .palette = Palette::sequential,
                                   .span = 0.99,
                                   .longest_side = 64};  // a page has many of them
      shown.emplace(
          layer,
          Layer{what, {tokens, tokens, options}, std::vector<double>(static_cast<std::size_t>(tokens))});
    }
    const AttentionRun<float> attention{
        .test = test.attention, .observe = [&](const AttentionRow<float>& row) {
          const auto found = shown.find(row.layer);
          if (found == shown.end()) return;
          found->second.map.add(row.query, row.first_key, row.probabilities, share);
          add_distances(row, share, found->second.distances);
        }};
    Pass<float> pass(subject.values);
    pass.begin({.positions = example.positions, .attention = &attention});
    subject.model.hidden(example.batch.tokens, pass);
    for (const auto& [layer, of_layer] : shown) {
      std::vector<Points>& models = distances_[length][layer];
      if (models.empty())
        draw(of_layer.what,
             fmt::format("Mean over the heads of the model with seed {}, on one validation example. The "
                         "largest 1 % take the last colour.",
                         subject.validation_seed),
             of_layer.map.heatmap(), fmt::format("attention-{}-at-{}", layer + 1, length),
             {{"picture", "attention"},
              {"length", std::to_string(length)},
              {"layer", std::to_string(layer + 1)}});
      Points& points = models.emplace_back();
      for (const double at : of_layer.distances) points.emplace_back(std::ssize(points), at);
    }
  }

  void distances(const Layers& layers, Index length) {
    const std::string what = fmt::format("attention by distance at length {}", length);
    Chart chart;
    chart.title = titled(what);
    chart.subtitle = "mean over heads and queries";
    if (const std::size_t models = layers.begin()->second.size(); models > 1)
      chart.subtitle =
          fmt::format("mean over heads, queries and {} seeds; bands: from the lowest to the highest", models);
    chart.x_label = "distance from query to key";
    chart.y_label = "share of the attention";
    chart.y_low = 0.0;
    constexpr double per_octave = 44.0;  // up to 62, each distance is a bin
    for (const auto& [layer, models] : layers) {
      chart.series.push_back(
          over_seeds(models, [](Index distance) { return octave_bin(distance + 1, per_octave); }));
      chart.series.back().name = fmt::format("layer {}", layer + 1);
    }
    draw(what, "How far heads look, on one validation example.", chart,
         fmt::format("distances-at-{}", length),
         {{"picture", "attention by distance"}, {"length", std::to_string(length)}});
  }

  const Row& row_;
  Index models_ = 0;
  std::vector<Figure> figures_;
  std::map<Index, Layers> distances_;  // by length
};

// The hash of the weights behind the result of a cell; empty if there is none yet, or nothing was trained.
std::string scored_hash(const ExperimentResult& result, const Cell& cell) {
  const auto found = std::ranges::find_if(result.cells, [&](const CellResult& one) {
    return one.row == cell.entrant.row.label && one.seed == cell.seed;
  });
  return found == result.cells.end() ? "" : found->weights_hash;
}

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

std::vector<Figure> row_figures(const Entrant& entrant, std::span<const Cell> cells,
                                const ExperimentResult& result) {
  const Plan& plan = entrant.last().plan;
  const Transformer<float> model(plan.model);
  Parameters<float> values(model.layout());
  RowFigures drawn(entrant.row);
  std::vector<std::string> missing;
  for (const Cell& cell : cells) {
    if (&cell.entrant != &entrant) continue;
    const std::string scored = scored_hash(result, cell);
    if (scored.empty()) continue;
    try {
      load_scored(cell, scored, values);
      drawn.add({model, values, *plan.task, plan, cell.evaluation, cell.seed}, cell.checkpoint);
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
