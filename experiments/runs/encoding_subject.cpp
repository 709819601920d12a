#include "experiments/runs/encoding_subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/runs/configure.h"
#include "framework/core/errors.h"
#include "framework/storage/npy.h"

namespace ordinal::experiments {
namespace {

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

void EncodingSubject::choose(const Settings& settings) {
  name_ = settings.text("encoding.name");
  seq_len_ = settings.integer("encoding.seq_len");
  const Index given = settings.integer("positional.train_length");
  const PositionalChoice choice = positional_choice(settings, "encoding.name");
  encoding_text_ = choice.encoding;
  shape_.d_model = settings.integer("encoding.d_model");
  shape_.heads = settings.integer("encoding.heads");
  shape_.n_kv_heads = shape_.heads;
  shape_.layers = settings.integer("encoding.layer") + 1;
  shape_.causal = settings.flag("encoding.causal");
  shape_.train_length = given > 0 ? given : seq_len_;
  scheme_ = choice.test;
  scheme_.resolve(shape_.train_length, seq_len_);
  shape_.positions = std::max(scheme_.needs_range() ? scheme_.max_position : shape_.train_length, seq_len_);
}

void EncodingSubject::choose_from(const std::string& model, const Settings& settings) {
  const ModelConfig config = model_config(settings);
  const PositionalChoice choice = positional_choice(settings);
  encoding_text_ = choice.encoding;
  std::vector<std::string> names;
  for (const Part& part : encoding_parts(encoding_text_)) names.push_back(part.name);
  name_ = joined(names, "+");
  const auto same = [&](const std::string& key, const std::string& there) {
    if (!settings.is_given(key) || settings.text(key) == there) return;
    throw ConfigError(
        fmt::format("{} = {}, but that of {} is {}; leave it out", key, settings.text(key), model, there));
  };
  same("encoding.name", name_);
  same("encoding.d_model", std::to_string(config.d_model));
  same("encoding.heads", std::to_string(config.heads));
  same("encoding.causal", config.causal ? "true" : "false");
  shape_ = shape_of(config);
  seq_len_ =
      settings.is_given("encoding.seq_len") ? settings.integer("encoding.seq_len") : config.train_length;
  scheme_ = choice.test;
  scheme_.resolve(config.train_length, seq_len_);
}

// A model declares the encoding's parameters under the same names.
void EncodingSubject::build() {
  encoding_ = make_positional_encoding<double>(encoding_text_, shape_, Scope(layout_, "positional"));
  values_ = std::make_unique<Parameters<double>>(layout_);
}

QueryKey EncodingSubject::query_key(const CommandLine& command) const {
  QueryKey both =
      random_query_key(shape_, seq_len_, static_cast<std::uint64_t>(command.settings.integer("train.seed")));
  if (!command.query_file.empty()) both.query = matrix_from(command.query_file);
  if (!command.key_file.empty()) both.key = matrix_from(command.key_file);
  return both;
}

std::string EncodingSubject::constants() const {
  ParameterLayout layout;
  return make_positional_encoding<float>(encoding_text_, shape_, Scope(layout, "positional"))->constants();
}

}  // namespace ordinal::experiments
