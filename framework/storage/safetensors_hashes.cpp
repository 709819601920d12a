#include "framework/storage/safetensors_hashes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "framework/storage/json_depth.h"

#define XXH_INLINE_ALL  // header-only use
#define XXH_VECTOR 0    // plain C: GCC 12 warns about its AVX-512
#include <xxhash.h>

namespace ordinal {
namespace {

// Hashes a text, then bytes with the hash of the text as the seed.
std::string xxh3(std::string_view text, Bytes bytes = {}) {
  const XXH64_hash_t seed = XXH3_64bits(text.data(), text.size());
  return fmt::format("{:016x}", XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed));
}

std::string hash_of(const std::map<std::string, std::string>& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    if (key != hashes_key) text += fmt::format("{}\n{}\n{}\n{}\n", key.size(), key, value.size(), value);
  }
  return xxh3(text);
}

std::string hash_of(const SafetensorsTensor& tensor, Bytes bytes) {
  return xxh3(fmt::format("{} {} {}\n", tensor.name, to_string(tensor.type), to_string(tensor.shape)), bytes);
}

}  // namespace

std::string render_hashes(const std::map<std::string, std::string>& metadata,
                          const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data) {
  nlohmann::json hashes = {{"metadata", hash_of(metadata)}, {"tensors", nlohmann::json::object()}};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    hashes["tensors"][tensors[i].name] = hash_of(tensors[i], data[i]);
  }
  return hashes.dump();
}

std::string damaged_part(const std::map<std::string, std::string>& metadata,
                         const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data) {
  const auto held = metadata.find(hashes_key);
  if (held == metadata.end()) return "";
  const auto hashes =
      nlohmann::json::parse(is_nested_too_deep(held->second) ? "" : held->second, nullptr, false);
  const auto has = [](const nlohmann::json& object, const std::string& key, const std::string& hash) {
    return object.is_object() && object.contains(key) && object[key] == hash;
  };
  if (!has(hashes, "metadata", hash_of(metadata))) return "metadata";
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool whole =
        hashes.contains("tensors") && has(hashes["tensors"], tensors[i].name, hash_of(tensors[i], data[i]));
    if (!whole) return "tensor " + quote_name(tensors[i].name);
  }
  return "";
}

}  // namespace ordinal
