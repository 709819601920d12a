#include "experiments/runs/encoding_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/report/heatmap.h"
#include "experiments/report/plots.h"
#include "experiments/runs/encoding_words.h"
#include "framework/core/number.h"
#include "framework/positional/analysis.h"
#include "framework/positional/positional_encoding.h"
#include "framework/storage/atomic_file.h"

namespace ordinal::experiments {
namespace {

constexpr Index most_columns = 8;  // of a table of numbers

std::string short_number(double value) { return fmt::format("{:.4g}", value + 0.0); }

// 0, 1, 2, 4, 8 … below `count`, and the last one.
std::vector<Index> some_indices(Index count) {
  std::vector<Index> indices;
  for (Index i = 0; i < count; i = i == 0 ? 1 : 2 * i) indices.push_back(i);
  if (count > 0 && indices.back() != count - 1) indices.push_back(count - 1);
  return indices;
}

// At most `most` of the indices below `count`, evenly spaced.
std::vector<Index> even_indices(Index count, Index most) {
  std::vector<Index> indices;
  const Index size = std::min(count, most);
  for (Index i = 0; i < size; ++i) indices.push_back(size == 1 ? 0 : i * (count - 1) / (size - 1));
  return indices;
}

Tensor<double> cosines(const EncodingNumbers& numbers) {
  Tensor<double> result({std::ssize(numbers.positions), std::ssize(numbers.frequencies)});
  for (Index t = 0; t < result.shape()[0]; ++t) {
    for (Index i = 0; i < result.shape()[1]; ++i) {
      result(t, i) = std::cos(numbers.positions[static_cast<std::size_t>(t)] *
                              numbers.frequencies[static_cast<std::size_t>(i)]);
    }
  }
  return result;
}

// The panels of one encoding, in the order of the page.
class Panels {
 public:
  Panels(const EncodingNumbers& numbers, const SectionFacts& facts, LockedPath stem)
      : numbers_(numbers), facts_(facts), stem_(std::move(stem)) {}

  std::vector<ExplorerPanel> all() {
    if (numbers_.input.size() > 0) input();
    if (numbers_.input.size() > 0 && numbers_.step && length() > 1) offset();
    if (!numbers_.frequencies.empty()) angles();
    if (!numbers_.products.empty()) products();
    if (!numbers_.input_frequencies.empty() || !numbers_.frequencies.empty()) wavelengths();
    if (!numbers_.bias.empty()) bias();
    if (length() > 1) attention();
    return std::move(panels_);
  }

 private:
  Index length() const { return std::ssize(numbers_.positions); }
  std::string position(Index t) const { return number_text(numbers_.positions[static_cast<std::size_t>(t)]); }

  void input() {
    panels_.push_back({"input", "What is added to the input", input_words(numbers_),
                       heatmap("input", numbers_.input.view(), "dimension", "position"), input_table()});
  }

  ExplorerTable input_table() const {
    ExplorerTable table{"The first dimensions of some positions", {"position"}};
    const Index columns = std::min(most_columns, numbers_.input.shape()[1]);
    for (Index c = 0; c < columns; ++c) table.headings.push_back(fmt::format("dim {}", c));
    for (const Index t : some_indices(length())) {
      table.lines.push_back({position(t)});
      for (Index c = 0; c < columns; ++c)
        table.lines.back().push_back(fmt::format("{:.4f}", numbers_.input(t, c)));
    }
    return table;
  }

  void offset() {
    ExplorerPanel panel{"offset", "From one position to another", offset_words(numbers_), {}, {}};
    panel.table = {"The product of the first row and the row k later, and how far M_k misses a row at most",
                   {"k", "PE(p)·PE(p+k)", "error of M_k"}};
    const bool has_pairs = numbers_.d_model % 2 == 0;
    const Tensor<double> gram = dot_product_distance(numbers_.input);
    Series product{"p = " + position(0), {}, {}, {}, {}};
    for (Index k = 0; k < length(); ++k) {
      product.x.push_back(static_cast<double>(k));
      product.y.push_back(gram(0, k));
    }
    for (const Index k : facts_.offsets) {
      panel.table.lines.push_back(
          {std::to_string(k), short_number(gram(0, k)),
           has_pairs ? short_number(relative_position_matrix(numbers_.input, k).reconstruction_error)
                     : "no pairs of columns"});
    }
    panel.svg = chart("offset", "offset k", "PE(p)·PE(p+k)", {product});
    panels_.push_back(std::move(panel));
  }

  void angles() {
    panels_.push_back({"angles", "How far queries and keys are turned", angle_words(numbers_),
                       heatmap("angles", cosines(numbers_).view(), "pair", "position"), angle_table()});
  }

  ExplorerTable angle_table() const {
    ExplorerTable table{"Angles in radians", {"position"}};
    const std::vector<Index> pairs = even_indices(std::ssize(numbers_.frequencies), most_columns);
    for (const Index i : pairs) table.headings.push_back(fmt::format("pair {}", i));
    for (const Index t : some_indices(length())) {
      table.lines.push_back({position(t)});
      for (const Index i : pairs) {
        table.lines.back().push_back(short_number(numbers_.positions[static_cast<std::size_t>(t)] *
                                                  numbers_.frequencies[static_cast<std::size_t>(i)]));
      }
    }
    return table;
  }

  void products() {
    const PairFunction& f = numbers_.products;
    const double share = 1.0 / static_cast<double>(numbers_.d_head);
    const bool by_pairs = !f.distances.empty() && !numbers_.frequencies.empty();
    panels_.push_back({by_pairs ? "distance" : "products", "What that does to q·k", product_words(numbers_),
                       pair_picture("products", f, share, "q·k, share"),
                       pair_table(f, "q·k as share of that without encoding", share)});
  }

  void wavelengths() {
    const bool of_input = !numbers_.input_frequencies.empty();
    const std::vector<double>& frequencies = of_input ? numbers_.input_frequencies : numbers_.frequencies;
    ExplorerPanel panel{"waves", "Wavelengths", wavelength_words(frequencies, numbers_.positions), {}, {}};
    panel.table = {"Some pairs", {"pair", "ω", "wavelength"}};
    for (const Index i : even_indices(std::ssize(frequencies), 2 * most_columns)) {
      const double f = frequencies[static_cast<std::size_t>(i)];
      panel.table.lines.push_back({std::to_string(i), short_number(f),
                                   f == 0.0 ? "never repeats" : short_number(2.0 * std::numbers::pi / f)});
    }
    panels_.push_back(std::move(panel));
  }

  void bias() {
    panels_.push_back(
        {"bias", "What is added to the scores", bias_words(numbers_, find_encodings(facts_.text)),
         pair_picture("bias", numbers_.bias, 1.0, "added"), pair_table(numbers_.bias, "What is added", 1.0)});
  }

  void attention() {
    panels_.push_back({"attention", "Where that makes a query look", attention_words(numbers_), {}, {}});
  }

  // ---- Pictures and tables ----

  std::string pair_picture(const char* file, const PairFunction& f, double factor, const std::string& label) {
    if (f.distances.empty()) {
      const Index size = std::ssize(f.drawn);
      Tensor<double> first({size, size});
      for (Index i = 0; i < size; ++i) {
        for (Index j = 0; j < (numbers_.causal ? i + 1 : size); ++j) first(i, j) = factor * f.matrices(i, j);
      }
      return heatmap(file, first.view(), "key", "query");
    }
    if (f.distances.size() < 2) return "";
    std::vector<Series> lines;
    for (Index head = 0; head < f.heads(); ++head) {
      Series line{f.same_heads ? "all heads" : fmt::format("head {}", head + 1), f.distances, {}, {}, {}};
      for (Index n = 0; n < f.curves.shape()[1]; ++n) line.y.push_back(factor * f.curves(head, n));
      lines.push_back(std::move(line));
    }
    return chart(file, "distance n", label, std::move(lines));
  }

  // By distance; or, if it depends on more, of the last query by key.
  ExplorerTable pair_table(const PairFunction& f, const std::string& what, double factor) const {
    const bool of_distance = !f.distances.empty();
    ExplorerTable table{what + (of_distance ? ", by distance" : ", for the last query that is drawn"),
                        {of_distance ? "n" : "key"}};
    for (Index head = 0; head < f.heads(); ++head)
      table.headings.push_back(f.same_heads ? "all heads" : fmt::format("head {}", head + 1));
    const auto& columns = of_distance ? f.curves : f.matrices;
    const Index count = columns.view().cols;
    const bool both_sides = of_distance && f.distances.front() < 0.0;
    for (const Index n : both_sides ? even_indices(count, 2 * most_columns + 1) : some_indices(count)) {
      const auto at = static_cast<std::size_t>(n);
      table.lines.push_back({of_distance ? number_text(f.distances[at]) : position(f.drawn[at])});
      for (Index head = 0; head < f.heads(); ++head) {
        const Index row = of_distance ? head : (head + 1) * count - 1;
        table.lines.back().push_back(short_number(factor * columns(row, n)));
      }
    }
    return table;
  }

  std::string heatmap(const std::string& file, View<const double> values, const char* x, const char* y) {
    if (stem_.empty()) return "";
    const LockedPath svg = stem_ + ("-" + file + ".svg");
    return drawn(
        draw_heatmap(values, {.title = numbers_.name + ": " + file, .x_label = x, .y_label = y}, svg), svg);
  }

  std::string chart(const std::string& file, const char* x, const std::string& y,
                    std::vector<Series> series) {
    if (stem_.empty()) return "";
    const LockedPath svg = stem_ + ("-" + file + ".svg");
    Chart lines;
    lines.x_label = x;
    lines.y_label = y;
    lines.series = std::move(series);
    return drawn(draw_chart(lines, svg), svg);
  }

  static std::string drawn(const DrawOutcome& outcome, const std::filesystem::path& svg) {
    return outcome.drawn ? read_file(svg) : "";
  }

  const EncodingNumbers& numbers_;
  const SectionFacts& facts_;
  LockedPath stem_;
  std::vector<ExplorerPanel> panels_;
};

std::string per_part(const std::vector<EncodingEntry>& entries, const auto& text_of) {
  if (entries.size() == 1) return text_of(entries.front());
  std::string text;
  for (const EncodingEntry& entry : entries)
    text += (text.empty() ? "" : "; ") + entry.name + ": " + text_of(entry);
  return text;
}

std::string places(const EncodingEntry& entry) { return places_text(entry.acts_on); }

}  // namespace

ExplorerSection encoding_section(const EncodingNumbers& numbers, const SectionFacts& facts,
                                 const LockedPath& stem) {
  const std::vector<EncodingEntry> entries = find_encodings(facts.text);
  ExplorerSection section;
  section.name = numbers.name;
  for (const EncodingEntry& entry : entries) {
    section.formulas.push_back(entry.formula);
    section.definition += (entries.size() > 1 ? entry.name + "\n" : "") + entry.definition + "\n";
  }
  section.words = introduction_words(numbers, entries);
  section.facts = {
      {"acts on", per_part(entries, places)},
      {"learned", per_part(entries, [](const auto& entry) { return entry.parameters; })},
      {"past the training length", per_part(entries, [](const auto& entry) { return entry.beyond; })},
      {"source", per_part(entries, [](const auto& entry) { return entry.source; })},
      {"drawn", fmt::format("{} model, d_model {}, {} heads of {}, trained up to length {}; positions {}",
                            numbers.causal ? "causal" : "bidirectional", numbers.d_model, numbers.heads,
                            numbers.d_head, numbers.train_length, facts.positions)}};
  if (!facts.constants.empty()) section.facts.emplace_back("constants", facts.constants);
  if (!facts.values.empty()) section.facts.emplace_back("values", facts.values);
  section.panels = Panels(numbers, facts, stem).all();
  return section;
}

ExplorerTable comparison_table(const std::vector<SectionFacts>& all) {
  ExplorerTable table{
      "What the registry says about them",
      {"encoding", "acts on", "learned", "only distances count", "past the training length", "source"}};
  for (const SectionFacts& facts : all) {
    const std::vector<EncodingEntry> entries = find_encodings(facts.text);
    const bool relative = std::ranges::all_of(entries, &EncodingEntry::shift_invariant);
    table.lines.push_back({facts.text, per_part(entries, places),
                           per_part(entries, [](const auto& entry) { return entry.parameters; }),
                           relative ? "yes" : "no",
                           per_part(entries, [](const auto& entry) { return entry.beyond; }),
                           per_part(entries, [](const auto& entry) { return entry.source; })});
  }
  return table;
}

}  // namespace ordinal::experiments
