#include "experiments/runs/encoding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace ordinal::experiments {
namespace {

bool acts_there(const std::vector<EncodingEntry>& parts, Place place) {
  return std::ranges::any_of(parts, [&](const EncodingEntry& part) {
    return std::ranges::find(part.acts_on, place) != part.acts_on.end();
  });
}

bool learns(const std::vector<EncodingEntry>& parts) {
  return std::ranges::any_of(parts, [](const EncodingEntry& part) { return part.parameters != "none"; });
}

// Whether all keys that a query sees have the same product.
bool depends_on_query_alone(const EncodingNumbers& numbers) {
  const PairFunction& products = numbers.products;
  const Index size = std::ssize(products.drawn);
  for (Index row = 0; row < products.matrices.view().rows; ++row) {
    for (Index j = 0; j < (numbers.causal ? row % size + 1 : size); ++j) {
      if (std::abs(products.matrices(row, j) - products.matrices(row, 0)) > 1e-9) return false;
    }
  }
  return size > 0;
}

std::string without_last_space(std::string words) {
  if (words.ends_with(' ')) words.pop_back();
  return words;
}

// Why a function of query and key is not drawn by distance.
std::string why_by_pair(const EncodingNumbers& numbers) {
  return numbers.step ? "It depends on more than the distance of the two."
                      : "The positions are not evenly spaced, so it is drawn by query and key.";
}

bool does_nothing(const EncodingNumbers& numbers) {
  return numbers.input.size() == 0 && numbers.products.empty() && numbers.bias.empty();
}

}  // namespace

std::string introduction_words(const EncodingNumbers& numbers, const std::vector<EncodingEntry>& parts) {
  std::string words;
  if (acts_there(parts, Place::input))
    words += "It tells positions apart by adding a vector to each token before the first layer. ";
  if (acts_there(parts, Place::query_key))
    words += "It changes queries and keys in every layer, before they are multiplied. ";
  if (acts_there(parts, Place::scores))
    words += "It adds a number to the score of each query and key, in every layer. ";
  if (acts_there(parts, Place::values))
    words += "It can also add a vector to values, which is not drawn here. ";
  if (words.empty())
    words = "Nothing is added anywhere: a score depends on what two tokens are, not on where they stand. ";
  if (numbers.reads_content)
    words += "What it adds depends on the content of tokens, not on positions alone. ";
  if (std::ranges::all_of(parts, &EncodingEntry::shift_invariant) && !does_nothing(numbers)) {
    const bool of_distance = numbers.products.drawn.empty() && numbers.bias.drawn.empty();
    words += "Moving all tokens by the same number of positions changes nothing";
    words += of_distance && !numbers.reads_content ? ": distances count, and positions do not." : ".";
  } else if (acts_there(parts, Place::input)) {
    words += "Attention has to find distances in these vectors by itself.";
  }
  return without_last_space(std::move(words));
}

std::string input_words(const EncodingNumbers& numbers) {
  const std::string row = "Row p is the vector that is added to the token at position p. ";
  if (numbers.input_base) {
    return row +
           "Columns come in pairs, the sine and the cosine of one wave. Waves on the left change from each "
           "position to the next, like the last digit of a number; those on the right take thousands of "
           "positions for one turn. Together they make every row different.";
  }
  if (!numbers.input_frequencies.empty())
    return row + "Its columns are sines or cosines, from fast waves to slow ones.";
  if (numbers.trained)
    return row +
           "Rows were learned one by one. Look for neighbours that resemble each other: only the data can "
           "have taught them that.";
  return row +
         "Each row is learned by itself. Before training, rows are random: neighbours have nothing in "
         "common.";
}

std::string offset_words(const EncodingNumbers& numbers) {
  if (numbers.input_base) {
    return "The product of two rows depends on their offset k alone: it is the sum of cos(k ω_i) over all "
           "pairs. And one matrix M_k takes each row to the row k positions later. It turns pair i by the "
           "angle k ω_i: blocks of cosines and sines along the diagonal, zeros elsewhere. Fast pairs turn "
           "many times, slow ones hardly move.";
  }
  return "The product of two rows, and the matrix M_k that best takes each row to the row k positions later "
         "by turning pairs of columns. The sinusoidal encoding has an exact one. For others, the error says "
         "how far the best one misses.";
}

std::string angle_words(const EncodingNumbers& numbers) {
  if (std::ranges::all_of(numbers.frequencies, [](double frequency) { return frequency == 0.0; }))
    return "With these options no pair turns.";
  const double fastest = std::ranges::max(numbers.frequencies);
  const std::string words =
      "Each pair of dimensions of a query or key is turned by an angle that grows with the position: "
      "position times θ_i. The picture shows the cosine of that angle. ";
  return words +
         fmt::format("The fastest pair turns once in {:.3g} positions.", 2.0 * std::numbers::pi / fastest);
}

std::string product_words(const EncodingNumbers& numbers) {
  std::string words =
      "The product q·k of a query and a key in which every number is 1, as share of what it is without an "
      "encoding. ";
  if (depends_on_query_alone(numbers)) {
    return words +
           "It depends on the query alone. No key gains on another by it, but where the product is "
           "multiplied by more, attention is sharper.";
  }
  if (numbers.products.distances.empty()) return words + why_by_pair(numbers);
  if (numbers.frequencies.empty()) return words + "It is the same for all positions.";
  words += "It depends on the distance alone, and is the mean of what the pairs add. ";
  if (numbers.rotary && numbers.rotary->scale > 0.0)
    return words + "All pairs fade with distance, the fast ones first, so far keys count less.";
  return words +
         "Fast pairs soon cancel each other, slow ones hold on. That is how alike two positions look, and "
         "not a rule that near keys win: q and k are learned, and can point to any distance.";
}

std::string wavelength_words(const std::vector<double>& frequencies, std::span<const double> positions) {
  const auto [first, last] = std::ranges::minmax(positions);
  const double reach = last - first + 1.0;
  const auto turns = [&](double frequency) { return frequency * reach >= 2.0 * std::numbers::pi; };
  return fmt::format(
      "A pair repeats after 2π/ω positions, its wavelength. {} of {} pairs turn at least once within "
      "positions {:.6g} to {:.6g}. A pair that has not turned once in training shows a model, in a longer "
      "text, angles that it has never met.",
      std::ranges::count_if(frequencies, turns), frequencies.size(), first, last);
}

std::string bias_words(const EncodingNumbers& numbers, const std::vector<EncodingEntry>& parts) {
  const PairFunction& bias = numbers.bias;
  std::string words =
      "This number is added to the score of a query and a key before the softmax: −1 leaves the key 37 % of "
      "its weight, −5 less than 1 %. ";
  const bool relative = std::ranges::all_of(parts, &EncodingEntry::shift_invariant);
  if (numbers.reads_content) {
    words +=
        "It depends on content. Drawn is what is added where every number of queries and keys is 1, and the "
        "input of the layer is 0; the switch sets queries and keys to 0. ";
  }
  if (bias.distances.empty())
    words += why_by_pair(numbers) + " ";
  else
    words += relative && !numbers.reads_content ? "It depends on the distance n alone. "
                                                : "Here it depends on the distance n alone. ";
  if (!bias.same_heads && !bias.distances.empty())
    words += "A head whose curve falls fast looks at its neighbours, a flat one at everything. ";
  if (learns(parts) && !numbers.trained)
    words += "Parameters have their initial values; with --model the page shows trained ones. ";
  if (!bias.same_heads && bias.heads() < numbers.heads)
    words += fmt::format("Of {} heads the first {} are drawn. ", numbers.heads, bias.heads());
  return without_last_space(std::move(words));
}

std::string attention_words(const EncodingNumbers& numbers) {
  std::string words =
      "The attention of the query at position p, if every number of queries and keys is 1. Without an "
      "encoding all keys get the same share; what differs is the work of the encoding. ";
  if (does_nothing(numbers)) {
    words += "Here nothing differs. ";
    if (numbers.causal)
      words +=
          "But the share itself tells how many keys there are: a causal model without an encoding can "
          "count. ";
  }
  if (numbers.input.size() > 0) {
    words +=
        "What is added to the input counts with the product of the rows of the two positions, as if W_q and "
        "W_k were identity matrices; mean over the heads. ";
  }
  return without_last_space(std::move(words));
}

}  // namespace ordinal::experiments
