#include "experiments/runs/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "experiments/encoding/effect.h"
#include "experiments/report/heatmap.h"
#include "experiments/runs/attention_figures.h"
#include "experiments/runs/cell.h"
#include "experiments/runs/configure.h"
#include "framework/core/errors.h"
#include "framework/positional/analysis.h"
#include "framework/training/checkpoint.h"

namespace ordinal::experiments {
namespace {

constexpr Index longest_map = 2048;  // tokens; attention has the square of that

ExtraFigure heatmap(const Tensor<double>& matrix, HeatmapOptions options, const std::string& label,
                    const std::string& caption, const LockedPath& svg) {
  const std::string picture = std::exchange(options.title, label + ": " + options.title);
  draw_heatmap(matrix.view(), options, svg);
  return {options.title, caption, svg, "", {{"row", label}, {"picture", picture}}};
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

// What the encoding adds to the input and the scores.
void draw_encoding(const Subject& subject, const Positions& positions, const std::string& label,
                   const LockedPath& stem, std::vector<ExtraFigure>& figures) {
  const ModelConfig& config = subject.model.config();
  const Effect<float> effect{subject.model.encoding(), subject.values, config.encoding, shape_of(config),
                             positions};
  const Tensor<double> input = effect.input();
  const Tensor<double> bias = effect.bias(random_content(effect.shape, effect.seq_len(), 1));
  if (input.size() > 0) {
    figures.push_back(heatmap(input, {"what is added to the input", "dimension", "position"}, label,
                              "One row for each position.", stem + "-input.svg"));
    figures.push_back(heatmap(cosine_similarity(input), {"similarity of positions", "position", "position"},
                              label, "Cosine of the angle between the rows: 1 is the same direction.",
                              stem + "-similarity.svg"));
  }
  if (bias.size() > 0 && subject.model.attention_layers() > 0) {
    figures.push_back(
        heatmap(side_by_side(bias), {"what is added to the scores of layer 1", "key, head by head", "query"},
                label, "The heads side by side. Where it depends on queries and keys, they are random.",
                stem + "-bias.svg"));
  }
}

struct LoadedModel {
  std::unique_ptr<Transformer<float>> model;
  std::unique_ptr<Parameters<float>> values;
  std::uint64_t seed = 0;
};

// The weights that were scored, of one row. `missing` gets a line for each seed whose checkpoint does not hold them.
std::vector<LoadedModel> load_models(const Entrant& entrant, const std::vector<SavedModel>& saved,
                                     const ExperimentResult& result, std::vector<std::string>& missing) {
  const Stage& stage = entrant.last();
  std::vector<LoadedModel> models;
  for (const auto& [seed, checkpoint] : saved) {
    const auto scored = std::ranges::find_if(result.cells, [&, seed = seed](const CellResult& one) {
      return one.row == entrant.row.label && one.seed == seed;
    });
    if (scored == result.cells.end() || scored->weights_hash.empty()) continue;  // it was not trained
    auto model = std::make_unique<Transformer<float>>(model_config(stage.settings, *stage.task));
    auto values = std::make_unique<Parameters<float>>(model->layout());
    try {
      load_parameters(SafetensorsFile(checkpoint), *values);
    } catch (const CheckpointError& error) {
      missing.push_back(fmt::format("Seed {}: {}", seed, error.what()));
      continue;
    }
    if (weights_hash(*values) != scored->weights_hash) {
      missing.push_back(fmt::format(
          "Seed {}: {}: it does not hold the weights that were scored (delete result.json beside it "
          "to train and score again)",
          seed, checkpoint.string()));
      continue;
    }
    models.push_back({std::move(model), std::move(values), seed});
  }
  return models;
}

}  // namespace

std::vector<ExtraFigure> draw_model_figures(std::span<const Subject> seeds, const std::string& label,
                                            const LockedPath& folder, const std::string& prefix) {
  const Subject& first = seeds.front();
  const Index trained = first.settings.integer("task.train_length");
  std::vector<ExtraFigure> figures;
  try {
    draw_encoding(first, validation_example(first, trained).positions, label, folder / prefix, figures);
    std::set<Index> lengths = {trained};
    for (const Index length : evaluation_lengths(first.settings)) {
      if (first.task.seq_len(length) <= longest_map) lengths.insert(length);
    }
    for (const Index length : std::set<Index>{trained, *lengths.rbegin()}) {
      draw_attention(seeds, length, label, folder / prefix, figures);
    }
  } catch (const PositionError&) {  // the encoding does not support these positions; its scores report that
  }
  return figures;
}

std::vector<ExtraFigure> draw_row_figures(const Entrant& entrant, const std::vector<SavedModel>& saved,
                                          const ExperimentResult& result, const Settings& evaluation,
                                          const LockedPath& folder) {
  std::vector<std::string> missing;
  const std::vector<LoadedModel> models = load_models(entrant, saved, result, missing);
  const std::string& label = entrant.row.label;
  std::vector<ExtraFigure> figures;
  if (!missing.empty()) {
    figures.push_back({.title = label + ": models that are missing",
                       .caption = "These seeds are in the tables, but not in the pictures.",
                       .text = joined(missing, "\n"),
                       .tags = {{"row", label}}});
  }
  const Stage& stage = entrant.last();
  std::vector<Subject> subjects;
  for (const LoadedModel& one : models) {
    subjects.push_back({*one.model, *one.values, *stage.task, stage.settings, evaluation, one.seed});
  }
  if (subjects.empty()) return figures;
  const auto drawn = draw_model_figures(subjects, label, folder, entrant.row.folder);
  figures.insert(figures.end(), drawn.begin(), drawn.end());
  return figures;
}

}  // namespace ordinal::experiments
