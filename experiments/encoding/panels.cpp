// The text of the page: what encodings do, and what each panel shows.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "experiments/encoding/page.h"

namespace ordinal::experiments {
namespace {

// Joins the sentences that hold.
std::string sentences(const std::vector<std::pair<bool, std::string>>& all) {
  std::vector<std::string> said;
  for (const auto& [holds, words] : all) {
    if (holds) said.push_back(words);
  }
  return joined(said, " ");
}

bool every_part(const EncodingNumbers& n, const auto& property) {
  return std::ranges::all_of(find_encodings(n["name"]), property);
}

bool has(const EncodingNumbers& n, const char* part) { return n.contains(part); }

bool is(const EncodingNumbers& n, const char* property) { return n[property].get<bool>(); }

// Whether it is a function of query and key that does not depend on their distance alone.
bool by_pair(const EncodingNumbers& n, const char* function) {
  return has(n, function) && has(n[function], "drawn");
}

bool does_nothing(const EncodingNumbers& n) {
  return !has(n, "input") && !has(n, "products") && !has(n, "bias");
}

// Whether all keys that a query sees have the same product.
bool depends_on_query_alone(const EncodingNumbers& n) {
  if (!by_pair(n, "products")) return false;
  for (const auto& matrix : n["products"]["matrices"]) {
    for (const auto& row : matrix) {
      const auto [least, most] = std::ranges::minmax(row.get<std::vector<double>>());
      if (most - least > 1e-9) return false;
    }
  }
  return true;
}

// Whether q·k is the sum of the contributions of rotated pairs at a distance.
bool is_sum_of_pairs(const EncodingNumbers& n) {
  return has(n, "products") && !by_pair(n, "products") && has(n, "frequencies");
}

// The frequencies of the sines that are added or, without sines, of the rotation.
std::vector<double> wave_frequencies(const EncodingNumbers& n) {
  return n.value(has(n, "input_frequencies") ? "input_frequencies" : "frequencies", std::vector<double>());
}

// Why a function of query and key is not drawn by distance.
std::string why_by_pair(const EncodingNumbers& n) {
  return is(n, "step") ? "It depends on more than the distance of the two."
                       : "The positions are not evenly spaced, so it is drawn by query and key.";
}

// ---- What each panel shows ----

std::string input_words(const EncodingNumbers& n) {
  const bool sines = has(n, "input_base");
  const bool waves = !sines && has(n, "input_frequencies");
  const bool table = !sines && !waves;
  return sentences(
      {{true, "Row p is the vector that is added to the token at position p."},
       {sines,
        "Columns come in pairs, the sine and the cosine of one wave. Waves on the left change from each "
        "position to the next, like the last digit of a number; those on the right take thousands of "
        "positions for one turn. Together they make every row different."},
       {waves, "Its columns are sines or cosines, from fast waves to slow ones."},
       {table && is(n, "trained"),
        "Rows were learned one by one. Look for neighbours that resemble each other: only the data can have "
        "taught them that."},
       {table && !is(n, "trained"),
        "Each row is learned by itself. Before training, rows are random: neighbours have nothing in "
        "common."}});
}

std::string offset_words(const EncodingNumbers& n) {
  if (has(n, "input_base")) {
    return "The product of two rows depends on their offset k alone: it is the sum of cos(k ω_i) over all "
           "pairs. And one matrix M_k takes each row to the row k positions later. It turns pair i by the "
           "angle k ω_i: blocks of cosines and sines along the diagonal, zeros elsewhere. Fast pairs turn "
           "many times, slow ones hardly move.";
  }
  return "The product of two rows, and the matrix M_k that best takes each row to the row k positions later "
         "by turning pairs of columns. The sinusoidal encoding has an exact one. For others, the error says "
         "how far the best one misses.";
}

std::string angle_words(const EncodingNumbers& n) {
  const double fastest = std::ranges::max(n["frequencies"].get<std::vector<double>>());
  if (fastest == 0.0) return "With these options no pair turns.";
  return fmt::format(
      "Each pair of dimensions of a query or key is turned by an angle that grows with the position: "
      "position times θ_i. The picture shows the cosine of that angle. The fastest pair turns once in "
      "{:.3g} positions.",
      2.0 * std::numbers::pi / fastest);
}

std::string product_words(const EncodingNumbers& n) {
  const bool of_query = depends_on_query_alone(n);
  const bool of_more = !of_query && by_pair(n, "products");
  const bool of_pairs = is_sum_of_pairs(n);
  const bool fades = has(n, "rotary") && n["rotary"]["scale"] > 0.0;
  return sentences(
      {{true,
        "The product q·k of a query and a key in which every number is 1, as share of what it is without an "
        "encoding."},
       {of_query,
        "It depends on the query alone. No key gains on another by it, but where the product is multiplied "
        "by more, attention is sharper."},
       {of_more, why_by_pair(n)},
       {!of_query && !of_more && !of_pairs, "It is the same for all positions."},
       {of_pairs, "It depends on the distance alone, and is the mean of what the pairs add."},
       {of_pairs && fades, "All pairs fade with distance, the fast ones first, so far keys count less."},
       {of_pairs && !fades,
        "Fast pairs soon cancel each other, slow ones hold on. That is how alike two positions look, and not "
        "a rule that near keys win: q and k are learned, and can point to any distance."}});
}

std::string wavelength_words(const EncodingNumbers& n) {
  const auto [first, last] = std::ranges::minmax(n["positions"].get<std::vector<double>>());
  const double reach = last - first + 1.0;
  const auto turns = [&](double frequency) { return frequency * reach >= 2.0 * std::numbers::pi; };
  const std::vector<double> frequencies = wave_frequencies(n);
  return fmt::format(
      "A pair repeats after 2π/ω positions, its wavelength. {} of {} pairs turn at least once within "
      "positions {:.6g} to {:.6g}. A pair that has not turned once in training shows a model, in a longer "
      "text, angles that it has never met.",
      std::ranges::count_if(frequencies, turns), frequencies.size(), first, last);
}

std::string bias_words(const EncodingNumbers& n) {
  const bool by_distance = !by_pair(n, "bias");
  const bool same_heads = is(n["bias"], "same_heads");
  const std::size_t drawn = n["bias"][by_distance ? "curves" : "matrices"].size();
  const bool always = every_part(n, &EncodingEntry::shift_invariant) && !is(n, "reads_content");
  const bool learned = !every_part(n, [](const auto& part) { return part.parameters == "none"; });
  return sentences(
      {{true,
        "This number is added to the score of a query and a key before the softmax: −1 leaves the key 37 % "
        "of its weight, −5 less than 1 %."},
       {is(n, "reads_content"),
        "It depends on content. Drawn is what is added where every number of queries and keys is 1, and the "
        "input of the layer is 0; the switch sets queries and keys to 0."},
       {!by_distance, why_by_pair(n)},
       {by_distance, std::string(always ? "It" : "Here it") + " depends on the distance n alone."},
       {by_distance && !same_heads,
        "A head whose curve falls fast looks at its neighbours, a flat one at everything."},
       {learned && !is(n, "trained"),
        "Parameters have their initial values; with --model the page shows trained ones."},
       {!same_heads && drawn < n["heads"].get<std::size_t>(),
        fmt::format("Of {} heads the first {} are drawn.", n["heads"].get<Index>(), drawn)}});
}

std::string attention_words(const EncodingNumbers& n) {
  return sentences(
      {{true,
        "The attention of the query at position p, if every number of queries and keys is 1. Without an "
        "encoding all keys get the same share; what differs is the work of the encoding."},
       {does_nothing(n), "Here nothing differs."},
       {does_nothing(n) && is(n, "causal"),
        "But the share itself tells how many keys there are: a causal model without an encoding can count."},
       {has(n, "input"),
        "What is added to the input counts with the product of the rows of the two positions, as if W_q and "
        "W_k were identity matrices; mean over the heads."}});
}

}  // namespace

std::string introduction(const EncodingNumbers& n) {
  const auto acts = [&](Place place) { return acts_on(n["name"], place); };
  const auto acts_nowhere = [](const EncodingEntry& part) { return part.acts_on.empty(); };
  const bool moves = every_part(n, &EncodingEntry::shift_invariant) && !does_nothing(n);
  const bool of_distance = !by_pair(n, "products") && !by_pair(n, "bias") && !is(n, "reads_content");
  return sentences(
      {{acts(Place::input),
        "It tells positions apart by adding a vector to each token before the first layer."},
       {acts(Place::query_key), "It changes queries and keys in every layer, before they are multiplied."},
       {acts(Place::scores), "It adds a number to the score of each query and key, in every layer."},
       {acts(Place::values), "It can also add a vector to values, which is not drawn here."},
       {every_part(n, acts_nowhere),
        "Nothing is added anywhere: a score depends on what two tokens are, not on where they stand."},
       {is(n, "reads_content"), "What it adds depends on the content of tokens, not on positions alone."},
       {moves, std::string("Moving all tokens by the same number of positions changes nothing") +
                   (of_distance ? ": distances count, and positions do not." : ".")},
       {!moves && acts(Place::input), "Attention has to find distances in these vectors by itself."}});
}

std::vector<PagePanel> panels_of(const EncodingNumbers& n) {
  std::vector<PagePanel> panels;
  const auto add = [&](bool applies, const char* kind, const char* title, const auto& words) {
    if (applies) panels.push_back({kind, title, words(n)});
  };
  const bool several = n["positions"].size() > 1;
  add(has(n, "input"), "input", "What is added to the input", input_words);
  add(has(n, "input") && is(n, "step") && several, "offset", "From one position to another", offset_words);
  add(has(n, "frequencies"), "angles", "How far queries and keys are turned", angle_words);
  add(has(n, "products"), is_sum_of_pairs(n) ? "distance" : "products", "What that does to q·k",
      product_words);
  add(!wave_frequencies(n).empty(), "waves", "Wavelengths", wavelength_words);
  add(has(n, "bias"), "bias", "What is added to the scores", bias_words);
  add(several, "attention", "Where that makes a query look", attention_words);
  return panels;
}

}  // namespace ordinal::experiments
