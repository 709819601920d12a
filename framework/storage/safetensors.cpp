#include "framework/storage/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "framework/core/errors.h"
#include "framework/math/half.h"

#define XXH_INLINE_ALL  // header-only use
#define XXH_VECTOR 0    // plain C: GCC 12 warns about its AVX-512
#include <xxhash.h>

namespace ordinal {
namespace {

/// Uses memcpy because the bytes of the file may not be aligned for Stored.
template <typename Stored, typename T, typename Number = std::identity>
void convert(const std::byte* source, std::span<T> destination, Number number = {}) {
  for (T& value : destination) {
    Stored stored{};
    std::memcpy(&stored, source, sizeof(Stored));
    value = static_cast<T>(number(stored));
    source += sizeof(Stored);
  }
}

/// False if values of `type` cannot be converted to T: reals and integers do not mix.
template <typename T>
bool convert_from(std::string_view type, const std::byte* source, std::span<T> destination) {
  if constexpr (std::is_floating_point_v<T>) {
    if (type == "F64") convert<double>(source, destination);
    if (type == "F32") convert<float>(source, destination);
    if (type == "F16") convert<std::uint16_t>(source, destination, from_half);
    if (type == "BF16") convert<std::uint16_t>(source, destination, from_bfloat16);
    return !type.starts_with('I');
  } else {
    if (type == "I64") convert<std::int64_t>(source, destination);
    if (type == "I32") convert<std::int32_t>(source, destination);
    return type.starts_with('I');
  }
}

constexpr const char* hashes_key = "xxh3";

// 64 bits of XXH3 (xxHash) of the bytes, with the hash of the text as the seed.
std::string xxh3(std::string_view text, Bytes bytes = {}) {
  const XXH64_hash_t seed = XXH3_64bits(text.data(), text.size());
  return fmt::format("{:016x}", XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed));
}

// What the metadata holds under `hashes_key`, so that damage is found when the file is read: {"metadata": HASH, "tensors":
// {NAME: HASH, …}}, of all other metadata, and of a tensor's name, type, shape and bytes. `data` holds the bytes of each tensor.
nlohmann::json hashes_of(const std::map<std::string, std::string>& metadata,
                         const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data) {
  std::string text;
  for (const auto& [key, value] : metadata)
    text += fmt::format("{}\n{}\n{}\n{}\n", key.size(), key, value.size(), value);
  nlohmann::json hashes = {{"metadata", xxh3(text)}, {"tensors", nlohmann::json::object()}};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, type, shape, begin, end] = tensors[i];
    hashes["tensors"][name] = xxh3(fmt::format("{} {} {}\n", name, type, to_string(shape)), data[i]);
  }
  return hashes;
}

// What does not have its hash in `held`: "tensor NAME" or "metadata"; "" if everything has.
std::string damaged_part(const std::string& held, const nlohmann::json& hashes) {
  const auto lacks = [&](const std::string& name, const nlohmann::json& hash) {
    const std::string entry = nlohmann::json::object({{name, hash}}).dump();
    return held.find(entry.substr(1, entry.size() - 2)) == std::string::npos;  // without the brackets
  };
  if (lacks("metadata", hashes["metadata"])) return "metadata";
  for (const auto& [name, hash] : hashes["tensors"].items())
    if (lacks(name, hash)) return "tensor " + quote_name(name);
  return "";
}

}  // namespace

void SafetensorsWriter::add_bytes(const std::string& name, const Shape& shape, const std::string& type,
                                  std::span<const std::byte> bytes) {
  const Index size = size_in_bytes(type);
  check_value_count(shape, bytes.size() / static_cast<std::size_t>(size));
  const bool taken = std::ranges::find(tensors_, name, &SafetensorsTensor::name) != tensors_.end();
  if (taken || name == "__metadata__") {
    throw std::invalid_argument(fmt::format("safetensors: the name {} is {}", quote_name(name),
                                            taken ? "already taken" : "reserved"));
  }
  const auto smaller = std::ranges::find_if(
      tensors_, [&](const SafetensorsTensor& tensor) { return size_in_bytes(tensor.type) < size; });
  data_.insert(data_.begin() + (smaller - tensors_.begin()), bytes);
  tensors_.insert(smaller, {name, type, shape});
}

void SafetensorsWriter::write(const std::filesystem::path& path, const WriteCheck& check) const {
  std::vector<SafetensorsTensor> tensors = tensors_;
  Index offset = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].begin = offset;
    offset += std::ssize(data_[i]);
    tensors[i].end = offset;
  }
  std::map<std::string, std::string> metadata = metadata_;
  metadata.erase(hashes_key);
  metadata[hashes_key] = hashes_of(metadata, tensors, data_).dump();
  const std::string header = render_safetensors_header(metadata, tensors);
  std::vector<Bytes> chunks = {std::as_bytes(std::span(header))};
  chunks.insert(chunks.end(), data_.begin(), data_.end());
  write_file_atomically(path, chunks, check);
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path.string()) {
  try {
    contents_ = read_file(path);
    header_ = parse_safetensors_header(contents_);
  } catch (const DataError& error) {
    throw CheckpointError(error.what());
  } catch (const CheckpointError& error) {
    throw CheckpointError(fmt::format("{}: {}", path_, error.what()));
  }
  check_hashes();
}

// Removes the hashes, so that metadata() is what the writer was given. Files from other programs hold none.
void SafetensorsFile::check_hashes() {
  const auto held = header_.metadata.extract(hashes_key);
  if (held.empty()) return;
  std::vector<Bytes> data;
  for (const SafetensorsTensor& tensor : header_.tensors) data.push_back(bytes_of(tensor));
  const std::string damaged = damaged_part(held.mapped(), hashes_of(header_.metadata, header_.tensors, data));
  if (damaged.empty()) return;
  throw CheckpointError(fmt::format(
      "{}: {} is damaged: it does not have the hash that the file holds (use another checkpoint, or train "
      "again; if you have changed the file yourself, leave {} out of its metadata)",
      path_, damaged, hashes_key));
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const SafetensorsTensor& tensor : header_.tensors) names.push_back(tensor.name);
  return names;
}

template <typename T>
void SafetensorsFile::read(std::string_view name, std::span<T> destination) const {
  const SafetensorsTensor& tensor = get(name);
  if (element_count(tensor.shape) != static_cast<Index>(destination.size())) {
    refuse(name,
           fmt::format("has shape {}, expected {} values", to_string(tensor.shape), destination.size()));
  }
  if (!convert_from(tensor.type, bytes_of(tensor).data(), destination)) {
    refuse(name, fmt::format("has dtype {}, expected {}", tensor.type,
                             std::is_floating_point_v<T> ? "F64, F32, F16 or BF16" : "I64 or I32"));
  }
}

const SafetensorsTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(header_.tensors, name, &SafetensorsTensor::name);
  return found == header_.tensors.end() ? nullptr : &*found;
}

Bytes SafetensorsFile::bytes_of(const SafetensorsTensor& tensor) const {
  return subspan<const std::byte>(std::as_bytes(std::span(contents_)), header_.data_begin + tensor.begin,
                                  tensor.end - tensor.begin);
}

const SafetensorsTensor& SafetensorsFile::get(std::string_view name) const {
  const SafetensorsTensor* tensor = find(name);
  if (tensor == nullptr) refuse(name, "is not in the file");
  return *tensor;
}

void SafetensorsFile::refuse(std::string_view name, const std::string& reason) const {
  throw CheckpointError(fmt::format("{}: tensor {} {}", path_, quote_name(name), reason));
}

template void SafetensorsFile::read(std::string_view, std::span<float>) const;
template void SafetensorsFile::read(std::string_view, std::span<double>) const;
template void SafetensorsFile::read(std::string_view, std::span<std::int64_t>) const;

}  // namespace ordinal
