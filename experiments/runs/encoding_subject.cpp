#include "experiments/runs/encoding_subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/configure.h"
#include "experiments/settings/encoding_choice.h"
#include "framework/core/errors.h"
#include "framework/storage/npy.h"

namespace ordinal {
namespace {

PositionScheme scheme_of(const Settings& settings, const std::string& entry, Index known, Index seq_len) {
  const Index range = settings.integer("positional.max_position");
  return {.kind = position_scheme(encoding_choice(settings, entry).test),
          .train_length = known,
          .scale = settings.real("positional.scale"),
          .max_position = range > 0 ? range : 2 * seq_len,
          .offset = settings.real("positional.offset")};
}

Tensor<double> matrix_from(const std::string& path) {
  const NpyArray array = read_npy(path);
  if (array.shape.size() != 2)
    throw DataError(
        fmt::format("{}: got shape {}, expected (L, heads·d_head)", path, to_string(array.shape)));
  return Tensor<double>(array.shape, array.reals());
}

}  // namespace

EncodingSubject::EncodingSubject(const CommandLine& command) {
  if (command.model.empty()) {
    choose(command.settings);
    build();
    initialize(*values_, static_cast<std::uint64_t>(command.settings.integer("train.seed")));
  } else {
    choose_from(command.model, command.settings);
    build();
    load_parameters(SafetensorsFile(command.model), *values_);
  }
}

void EncodingSubject::choose(const Settings& given) {
  Settings settings = given;
  name_ = settings.text("encoding.name");
  seq_len_ = settings.integer("encoding.seq_len");
  const Index trained = settings.integer("positional.train_length");
  const Index known = trained > 0 ? trained : seq_len_;
  settings.set("task.train_length", std::to_string(known), "encoding.seq_len");  // for positional.base = auto
  scheme_ = scheme_of(settings, name_, known, seq_len_);
  config_ = encoding_config(settings, name_);
  config_.d_model = settings.integer("encoding.d_model");
  config_.heads = settings.integer("encoding.heads");
  config_.n_kv_heads = config_.heads;
  config_.layers = settings.integer("encoding.layer") + 1;
  config_.causal = settings.flag("encoding.causal");
  config_.train_length = known;
  const Index rows = settings.integer("positional.max_seq_len");
  const Index needed = scheme_.needs_range() ? scheme_.max_position : known;
  config_.max_seq_len = rows > 0 ? rows : std::max(needed, seq_len_);
}

void EncodingSubject::choose_from(const std::string& model, const Settings& settings) {
  name_ = settings.text("positional.encoding");
  const ModelConfig config = model_config(settings);
  const auto same = [&](const std::string& key, const std::string& there) {
    if (settings.origin(key) == "default" || settings.text(key) == there) return;
    throw ConfigError(
        fmt::format("{} = {}, but that of {} is {}; leave it out", key, settings.text(key), model, there));
  };
  same("encoding.name", name_);
  same("encoding.d_model", std::to_string(config.d_model));
  same("encoding.heads", std::to_string(config.heads));
  same("encoding.causal", config.causal ? "true" : "false");
  const bool given = settings.origin("encoding.seq_len") != "default";
  config_ = encoding_for(config);
  seq_len_ = given ? settings.integer("encoding.seq_len") : config.encoding.train_length;
  scheme_ = scheme_of(settings, name_, config.encoding.train_length, seq_len_);
}

// A model declares the encoding's parameters under the same names.
void EncodingSubject::build() {
  encoding_ = make_positional_encoding<double>(config_, Scope(layout_, "positional"));
  values_ = std::make_unique<Parameters<double>>(layout_);
}

QueryKey EncodingSubject::query_key(const CommandLine& command) const {
  QueryKey both =
      random_query_key(config_, seq_len_, static_cast<std::uint64_t>(command.settings.integer("train.seed")));
  if (!command.query.empty()) both.query = matrix_from(command.query);
  if (!command.key.empty()) both.key = matrix_from(command.key);
  return both;
}

std::string EncodingSubject::constants() const {
  ParameterLayout layout;
  return make_positional_encoding<float>(config_, Scope(layout, "positional"))->constants();
}

std::optional<double> EncodingSubject::base_of_sines() const {
  return has_part(config_.name, "sinusoidal") ? std::optional(config_.base) : std::nullopt;
}

}  // namespace ordinal
