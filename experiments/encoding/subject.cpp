#include "experiments/encoding/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/settings/checkpoint_settings.h"
#include "experiments/settings/plan.h"
#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal::experiments {
namespace {

constexpr double largest_position = 1e9;
constexpr double longest_table = 1e6;

}  // namespace

std::vector<double> given_positions(const Settings& settings) {
  std::vector<double> positions;
  for (const std::string& text : settings.list("encoding.positions")) {
    const auto position = parse_real(text);
    if (!position || std::abs(*position) > largest_position) {
      throw ConfigError(fmt::format(
          "encoding.positions: got '{}', expected real numbers up to 1e9, such as 0, 5, 7.5", text));
    }
    positions.push_back(*position);
  }
  if (!positions.empty() && settings.is_given("encoding.seq_len")) {
    throw ConfigError(
        fmt::format("encoding.positions are {} positions, and encoding.seq_len = {} sets their number; leave "
                    "one of them out",
                    positions.size(), settings.text("encoding.seq_len")));
  }
  return positions;
}

void check_given_positions(const std::string& encoding, const PositionScheme& scheme) {
  const bool counted = scheme.name() == "contiguous" || scheme.stretches();
  if (!counted || scheme.offset != 0.0) {
    throw ConfigError(
        fmt::format("encoding.positions: the scheme {} chooses positions itself; leave encoding.positions "
                    "out, or choose contiguous, ntk or yarn without an offset",
                    scheme.describe(1)));
  }
  const auto reads = [](const EncodingEntry& entry) { return entry.positions != PositionUse::nothing; };
  if (std::ranges::any_of(find_encodings(encoding), reads)) return;
  throw ConfigError(fmt::format("encoding.positions would change nothing: {} takes no positions", encoding));
}

Index reach_of(std::span<const double> positions) {
  return static_cast<Index>(
      std::clamp(std::floor(*std::ranges::max_element(positions)) + 1.0, 1.0, longest_table));
}

bool evenly_spaced(std::span<const double> positions, double step) {
  if (positions.size() < 2) return true;
  if (step == 0.0) step = positions[1] - positions[0];
  for (std::size_t t = 1; t < positions.size(); ++t) {
    const double expected = positions[0] + static_cast<double>(t) * step;
    if (std::abs(positions[t] - expected) > 1e-9 * (1.0 + std::abs(expected))) return false;
  }
  return step > 0.0;
}

std::vector<Index> chosen_offsets(const Settings& settings, Index positions) {
  std::vector<Index> offsets;
  for (const std::string& text : settings.list("encoding.offsets")) {
    const auto offset = parse_integer(text);
    if (!offset || *offset < 0) {
      throw ConfigError(
          fmt::format("encoding.offsets: got '{}', expected whole numbers from 0, such as 1, 5", text));
    }
    if (*offset < positions) offsets.push_back(*offset);
    if (*offset >= positions && settings.is_given("encoding.offsets")) {
      throw ConfigError(fmt::format("encoding.offsets: got {}, expected offsets below the {} positions",
                                    *offset, positions));
    }
  }
  return offsets;
}

EncodingSubject::EncodingSubject(const CommandLine& command)
    : command_(command),
      seed_(static_cast<std::uint64_t>(command.settings.integer("train.seed"))),
      given_positions_(given_positions(command.settings)),
      layer_(command.settings.integer("encoding.layer")) {
  const Settings& settings = command.settings;
  command.model.empty() ? choose() : choose_from_checkpoint();
  build();
  if (layer_ >= shape_.layers) {
    throw ConfigError(
        fmt::format("encoding.layer: got {}, expected a layer below {}", layer_, shape_.layers));
  }
  const std::string why_none = why_no_offsets();
  if (why_none.empty()) {
    offsets_ = chosen_offsets(settings, seq_len_);
  } else if (settings.origin("encoding.offsets") == command_line_origin) {  // a file serves several
    throw ConfigError(fmt::format("encoding.offsets = {} would change nothing: {}",
                                  settings.text("encoding.offsets"), why_none));
  }
}

void EncodingSubject::choose() {
  const Settings& settings = command_.settings;
  name_ = settings.text("encoding.name");
  set_length(settings.integer("encoding.seq_len"));
  const Index given = settings.integer("model.train_length");
  Settings drawn = settings;
  drawn.set("model.encoding", name_, settings.origin("encoding.name"));
  const PositionalChoice choice = positional_choice(drawn);
  text_ = choice.encoding;
  shape_.d_model = settings.integer("encoding.d_model");
  shape_.heads = settings.integer("encoding.heads");
  shape_.n_kv_heads = shape_.heads;
  shape_.layers = layer_ + 1;
  shape_.causal = settings.flag("encoding.causal");
  shape_.train_length = given > 0 ? given : reach_;
  scheme_ = choice.test;
  scheme_.resolve(shape_.train_length, reach_);
  shape_.positions = std::max(scheme_.entry().has_range ? scheme_.max_position : shape_.train_length, reach_);
}

void EncodingSubject::choose_from_checkpoint() {
  const Settings& settings = command_.settings;
  const ModelConfig config = Plan(settings).model;
  text_ = config.encoding;
  name_ = names_only(named_parts(part_kind("positional encodings"), text_));
  for (const auto& [key, there] : {std::pair{"encoding.name", name_},
                                   {"encoding.d_model", std::to_string(config.d_model)},
                                   {"encoding.heads", std::to_string(config.heads)},
                                   {"encoding.causal", config.causal ? "true" : "false"}}) {
    if (!settings.is_given(key) || settings.text(key) == there) continue;
    throw ConfigError(fmt::format("{} = {}, but that of {} is {}; leave it out", key, settings.text(key),
                                  command_.model, there));
  }
  shape_ = shape_of(config);
  set_length(settings.is_given("encoding.seq_len") ? settings.integer("encoding.seq_len")
                                                   : config.train_length);
  scheme_ = positional_choice(settings).test;
  scheme_.resolve(config.train_length, reach_);
}

void EncodingSubject::set_length(Index seq_len) {
  seq_len_ = given_positions_.empty() ? seq_len : std::ssize(given_positions_);
  reach_ = given_positions_.empty() ? seq_len : reach_of(given_positions_);
}

// A model declares the encoding's parameters under the same names.
void EncodingSubject::build() {
  if (!given_positions_.empty()) check_given_positions(text_, scheme_);
  encoding_ = make_positional_encoding<double>(text_, shape_, Scope(layout_, "positional"));
  values_ = std::make_unique<Parameters<double>>(layout_);
  if (command_.model.empty()) {
    initialize(*values_, seed_);
    positions_seed_ = seed_;
  } else {
    const SafetensorsFile file(command_.model);
    load_parameters(file, *values_);
    positions_seed_ = seed_of(file, command_.model);
  }
}

Effect<double> EncodingSubject::effect() const {
  const Positions positions =
      given_positions_.empty()
          ? make_positions(scheme_, 1, seq_len_, validation_positions(positions_seed_))
          : Positions::shared(1, given_positions_).stretched(make_positions(scheme_, 1, reach_).stretch());
  return {*encoding_, *values_, text_, shape_, positions, layer_};
}

std::string EncodingSubject::why_no_offsets() const {
  if (!acts_on(text_, Place::input)) return name_ + " adds nothing to the input";
  if (shape_.d_model % 2 != 0) return fmt::format("M_k needs an even width, got {}", shape_.d_model);
  const bool consecutive = evenly_spaced(effect().positions.of(0), given_positions_.empty() ? 0.0 : 1.0);
  return consecutive ? "" : "M_k needs consecutive positions";
}

std::string EncodingSubject::in_effect() const {
  std::vector<std::string> positions;
  for (const double position : given_positions_) positions.push_back(number_text(position));
  std::string text = "positions: " + joined(positions);
  if (positions.empty() || scheme_.stretches())
    text += (positions.empty() ? "" : "; ") + scheme_.describe(reach_);
  ParameterLayout layout;
  const std::string constants =
      make_positional_encoding<float>(text_, shape_, Scope(layout, "positional"))->constants();
  return text + (constants.empty() ? "" : "\nconstants: " + constants) + "\n";
}

}  // namespace ordinal::experiments
