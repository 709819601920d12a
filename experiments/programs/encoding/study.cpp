#include "experiments/programs/encoding/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/encoding/analysis.h"
#include "experiments/process/results_folder.h"
#include "experiments/results/npy.h"
#include "framework/core/errors.h"

namespace ordinal::experiments {
namespace {

// Some of the positions as labels; none if each position is the index of its token.
std::vector<Tick> position_ticks(std::span<const double> positions) {
  if (std::ranges::equal(positions, Positions::contiguous(1, std::ssize(positions)).of(0))) return {};
  constexpr std::size_t most = 8;
  std::vector<Tick> ticks;
  const std::size_t step = (positions.size() + most - 1) / most;
  for (std::size_t t = 0; t < positions.size(); t += step) {
    ticks.push_back({static_cast<double>(t), fmt::format("{:.5g}", positions[t])});
  }
  return ticks;
}

void check_finite(const std::string& encoding, const std::string& name, const Tensor<double>& matrix) {
  const auto found = std::ranges::find_if(matrix.span(), [](double x) { return !std::isfinite(x); });
  if (found == matrix.span().end()) return;
  throw DataError(
      fmt::format("{}: {} holds {}, expected finite numbers; use smaller options, positions or weights",
                  encoding, name, std::isnan(*found) ? "NaN" : "an infinite number"));
}

// The terms of the first head (rows by the query's part, columns by the key's part), or the first four heads, in two columns.
Heatmap tiles(const Tensor<double>& values, HeatmapOptions options) {
  const Shape& shape = values.shape();
  const Index length = shape.back();
  const bool of_terms = shape.size() == 4;
  const Index stride = of_terms ? shape[1] * length : length;
  const Index gap = std::max<Index>(1, length / 32);
  const Index count = std::min<Index>(4, shape[0]);
  const auto middle = [&](Index tile) {
    return static_cast<double>(tile * (length + gap)) + static_cast<double>(length - 1) / 2.0;
  };
  constexpr const char* parts[] = {"content", "position"};
  (of_terms ? options.y_label : options.x_label) = of_terms ? "of the query" : "";
  options.y_ticks.clear();
  std::vector<View<const double>> all;
  for (Index i = 0; i < count; ++i) {
    all.push_back(values.view().row_range(i * stride, length));
    if (i < 2) options.x_ticks.push_back({middle(i), of_terms ? parts[i] : "key"});
    if (i % 2 != 0) continue;
    const std::string heads =
        i + 1 < count ? fmt::format("heads {}, {}", i + 1, i + 2) : fmt::format("head {}", i + 1);
    options.y_ticks.push_back({middle(i / 2), of_terms ? parts[i / 2] : heads});
  }
  return heatmap(tiled(all, std::min<Index>(2, count), gap).view(), options);
}

struct Study {
  const EncodingSubject& subject;
  EncodingStudy result = {};
  Effect effect = subject.effect();

  template <typename... Values>
  void say(fmt::format_string<Values...> text, Values&&... values) {
    result.text += subject.name() + ": " + fmt::format(text, std::forward<Values>(values)...) + "\n";
  }

  // Keeps a matrix (L, columns), (heads, L, L) or (4, heads, L, L), and draws it.
  const Tensor<double>& add(const std::string& name, const std::string& title, const std::string& x_label,
                            Tensor<double> matrix, Palette palette = Palette::diverging) {
    check_finite(subject.name(), name, matrix);
    const bool of_positions = matrix.shape().size() == 2;
    HeatmapOptions options{.title = subject.name() + ": " + title,
                           .x_label = x_label,
                           .y_label = of_positions ? "position" : "query",
                           .palette = palette,
                           .y_ticks = position_ticks(effect.positions.of(0))};
    if (options.x_label == options.y_label) options.x_ticks = options.y_ticks;
    result.pictures.emplace_back(name,
                                 of_positions ? heatmap(matrix.view(), options) : tiles(matrix, options));
    return result.matrices[name] = std::move(matrix);
  }
};

void say_input(Study& study, const Tensor<double>& pe) {
  const EncodingStatistics s = encoding_statistics(pe);
  const auto [least, most] = std::ranges::minmax(s.norms);
  study.say("{} positions, {} dimensions", pe.view().rows, pe.view().cols);
  study.result.text +=
      fmt::format("norms {:.6g} to {:.6g}\nmean {:.6g}, variance {:.6g}\nvalues {:.6g} to {:.6g}\n", least,
                  most, s.mean, s.variance, s.smallest, s.largest);
  std::vector<double> frequencies = study.effect.of.encoding->input_frequencies();
  std::erase(frequencies, 0.0);
  if (!frequencies.empty()) {
    const auto [slow, fast] = std::ranges::minmax(frequencies);
    constexpr double turn = 2.0 * std::numbers::pi;
    study.result.text += fmt::format("wavelengths {:.6g} to {:.6g}\n", turn / fast, turn / slow);
  }
  if (pe.view().rows < 2) return;
  const Uniqueness closest = uniqueness(pe);
  study.result.text +=
      fmt::format("closest rows {} and {}, {:.6g} apart\n", closest.first, closest.second, closest.distance);
}

void add_offsets(Study& study, const Tensor<double>& input) {
  if (const std::string why = study.subject.why_no_offsets(); !why.empty())
    study.say("no shift-k.npy: {}", why);
  for (const Index offset : study.subject.offsets()) {
    Tensor<double> matrix = relative_position_matrix(input, offset);
    study.result.text += fmt::format("rotation error of columns 2i and 2i + 1 at offset {:<3} {:.3g}\n",
                                     offset, reconstruction_error(matrix, input, offset));
    study.result.matrices[fmt::format("shift-{}", offset)] = std::move(matrix);
  }
}

void say_score(Study& study, const Tensor<double>& scores) {
  const ScoreStatistics s =
      score_statistics(scores.view(), study.effect.positions.of(0), study.effect.of.shape.causal);
  const std::string range = fmt::format("scores {:.6g} to {:.6g}", s.smallest, s.largest);
  if (!s.deviation) return study.say("{}; no two pairs of different tokens have the same i - j", range);
  const char* fact = s.is_constant                 ? "is the same for all positions i and j"
                     : s.depends_on_distance_alone ? "depends on i - j alone"
                                                   : "does not depend on i - j alone";
  study.say("the score {}: off Toeplitz by {:.2g}, {}", fact, *s.deviation, range);
}

}  // namespace

std::vector<std::filesystem::path> EncodingStudy::write(const LockedPath& folder) const {
  std::vector<std::filesystem::path> written;
  const auto next = [&](const std::string& file) {
    written.push_back(folder / file);
    return folder / file;
  };
  for (const auto& [name, matrix] : matrices) write_npy(next(name + ".npy"), matrix.shape(), matrix.span());
  for (const auto& [name, map] : pictures) write_text(next(name + ".svg"), svg(map));
  write_text(next("statistics.txt"), text);
  remove_old(folder, export_names, {written.begin(), written.end()});
  return written;
}

Tensor<double> tiled(const std::vector<View<const double>>& matrices, Index across, Index gap) {
  const Index rows = matrices.front().rows + gap;
  const Index cols = matrices.front().cols + gap;
  const Index down = (std::ssize(matrices) + across - 1) / across;
  Tensor<double> result({down * rows - gap, across * cols - gap});
  std::ranges::fill(result.span(), std::numeric_limits<double>::quiet_NaN());
  for (Index n = 0; n < std::ssize(matrices); ++n) {
    const View<const double> matrix = matrices[static_cast<std::size_t>(n)];
    for (Index i = 0; i < matrix.rows; ++i)
      std::copy_n(matrix.row(i), matrix.cols, result.view().row(n / across * rows + i) + n % across * cols);
  }
  return result;
}

EncodingStudy study_encoding(const EncodingSubject& subject) {
  Study study{subject};
  const Effect& effect = study.effect;
  const bool of_input = effect.acts(Place::input);
  if (of_input) {
    const Tensor<double>& input =
        study.add("input", "what is added to the input", "dimension", effect.input());
    say_input(study, input);
    const Tensor<double>& gram =
        study.add("gram", "inner products of positions", "position", dot_product_distance(input));
    if (const auto off = score_statistics(gram.view(), effect.positions.of(0), /*causal=*/false).deviation)
      study.result.text += fmt::format("Gram matrix off Toeplitz by {:.3g}\n", *off);
    study.add("similarity", "cosine similarity of positions", "position", cosine_similarity(input));
    add_offsets(study, input);
  }
  if (Tensor<double> angles = effect.angles(); angles.size() > 0) {
    const double last = angles.view()(angles.view().rows - 1, 0);
    study.say("{} pairs rotated, up to {:.6g} radians at the last position", angles.view().cols, last);
    study.add("angles", "angles in radians", "pair", std::move(angles), Palette::sequential);
  }
  if (effect.acts(Place::scores)) {
    const Content content = random_content(effect.of.shape, effect.seq_len(), subject.seed());
    const Tensor<double>& bias =
        study.add("bias", "what is added to the scores", "key", effect.pairs(content, false, true));
    const auto [least, most] = std::ranges::minmax(bias.span());
    study.say("{} added to the scores, {:.6g} to {:.6g}", ordinal::to_string(bias.shape()), least, most);
  }
  if (effect.seq_len() > most_scored) {
    study.say("no scores.npy: more than {} positions", most_scored);
    return std::move(study.result);
  }
  const ScoreProbe probe(effect.of.shape, subject.seed());
  say_score(study, study.add("scores", "score", "key", effect.scores(probe.content(effect))));
  if (of_input) {
    const Tensor<double>& terms =
        study.add("terms", "terms of the score of head 1", "of the key", probe.terms(effect));
    const auto sizes = term_sizes(terms, effect.of.shape.causal);
    study.say(
        "root mean square of the terms of the score: content-content {:.3g}, content-position {:.3g}, "
        "position-content {:.3g}, position-position {:.3g}",
        sizes[0], sizes[1], sizes[2], sizes[3]);
  }
  return std::move(study.result);
}

}  // namespace ordinal::experiments
