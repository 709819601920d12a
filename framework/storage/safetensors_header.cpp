#include "framework/storage/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>

#include "framework/core/errors.h"
#include "framework/core/text.h"

namespace ordinal {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation
constexpr std::size_t kAlignment = 64;
constexpr int kMaxDepth = 3;  // object of tensors, tensor, its shape, one extent
constexpr const char* kMetadataKey = "__metadata__";

[[noreturn]] void refuse(const std::string& reason) { throw CheckpointError(reason); }

[[noreturn]] void refuse_tensor(const std::string& name, const std::string& reason) {
  refuse(fmt::format("corrupt header: tensor {}: {}", quote_name(name), reason));
}

/// The JSON text, if the length before it is plausible. A file in another format nearly always fails here,
/// because its first eight bytes read as an enormous length.
std::string_view header_text(std::string_view file) {
  std::uint64_t length = std::numeric_limits<std::uint64_t>::max();
  if (file.size() >= kLengthBytes) std::memcpy(&length, file.data(), kLengthBytes);
  const std::string_view rest = file.substr(std::min(file.size(), kLengthBytes));
  if (length > kMaxHeaderBytes || (!rest.empty() && rest.front() != '{')) {
    refuse(
        "not a safetensors file: it does not start with the length of a JSON header and that header "
        "(if torch.save wrote it, use safetensors.torch.save_file)");
  }
  if (length > rest.size()) {
    refuse(fmt::format("truncated: the header has {} bytes, the file holds {} of them", length, rest.size()));
  }
  return rest.substr(0, length);
}

/// Rejects duplicate keys: JSON parsers usually keep the last one, so two readers could see different
/// tensors.
json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> keys_of_open_objects;
  const auto check = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kMaxDepth) refuse("corrupt header: JSON nested deeper than a safetensors header can be");
    if (event == json::parse_event_t::object_start) keys_of_open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) keys_of_open_objects.pop_back();
    if (event == json::parse_event_t::key) {
      const auto key = parsed.get<std::string>();
      if (!keys_of_open_objects.back().insert(key).second) {
        refuse(fmt::format("corrupt header: the name {} occurs twice", quote_name(key)));
      }
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::exception&) {
    refuse("corrupt header: not valid JSON");
  }
}

std::map<std::string, std::string> parse_metadata(const json& object) {
  std::map<std::string, std::string> metadata;
  if (!object.is_object()) refuse("corrupt header: __metadata__ is not an object");
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) refuse(fmt::format("corrupt header: metadata {} is not a text", quote_name(key)));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// Whether it is a list of integers from 0 to the largest Index.
bool are_sizes(const json& list) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  return list.is_array() && std::all_of(list.begin(), list.end(), [](const json& value) {
           return value.is_number_unsigned() && value.get<std::uint64_t>() <= largest;
         });
}

SafetensorsTensor parse_tensor(const std::string& name, const json& entry) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    refuse_tensor(name, "expected exactly the fields dtype, shape and data_offsets");
  }
  const json& dtype = entry["dtype"];
  const Index size = dtype.is_string() ? size_in_bytes(dtype.get<std::string>()) : 0;
  if (size == 0) {
    refuse_tensor(name, fmt::format("dtype {} is unknown here, expected F64, F32, F16, BF16, I64 or I32",
                                    printable(dtype.dump())));
  }
  const json& offsets = entry["data_offsets"];
  if (!are_sizes(entry["shape"]) || !are_sizes(offsets) || offsets.size() != 2 || offsets[0] > offsets[1]) {
    refuse_tensor(
        name, fmt::format("got shape {} and data_offsets {}, expected a list of sizes, and its begin and end",
                          printable(entry["shape"].dump()), printable(offsets.dump())));
  }
  SafetensorsTensor tensor{name, dtype, entry["shape"].get<Shape>(), offsets[0], offsets[1]};
  const Index bytes = tensor.end - tensor.begin;
  if (checked_element_count(tensor.shape).value_or(-1) * size != bytes) {
    refuse_tensor(name, fmt::format("{} bytes of data do not fit shape {} of {}", bytes,
                                    to_string(tensor.shape), tensor.type));
  }
  return tensor;
}

/// Sorts by offset. Each tensor must begin where the one before it ends; the last must end with the file.
void sort_and_check_layout(std::vector<SafetensorsTensor>& tensors, Index data_bytes) {
  std::sort(tensors.begin(), tensors.end(), [](const SafetensorsTensor& a, const SafetensorsTensor& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  Index expected = 0;
  for (const SafetensorsTensor& tensor : tensors) {
    if (tensor.begin != expected) {
      refuse_tensor(tensor.name, fmt::format("its data begins at {}, expected {} (a hole or an overlap)",
                                             tensor.begin, expected));
    }
    expected = tensor.end;
  }
  if (expected != data_bytes) {
    refuse(fmt::format("{}: {} bytes of data, expected {}",
                       expected > data_bytes ? "truncated" : "bytes after the last tensor", data_bytes,
                       expected));
  }
}

}  // namespace

Index size_in_bytes(std::string_view type) {
  if (type == "F64" || type == "I64") return 8;
  if (type == "F32" || type == "I32") return 4;
  return type == "F16" || type == "BF16" ? 2 : 0;
}

std::string whole_letters(const std::string& text) {
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string quote_name(std::string_view name) {
  return printable(json(name).dump(-1, ' ', false, json::error_handler_t::replace));  // JSON keeps \x7f
}

SafetensorsHeader parse_safetensors_header(std::string_view file) {
  const std::string_view text = header_text(file);
  const json parsed = parse_json(text);
  if (!parsed.is_object()) refuse("corrupt header: not a JSON object");
  SafetensorsHeader header;
  for (const auto& [key, value] : parsed.items()) {
    if (key == kMetadataKey) {
      header.metadata = parse_metadata(value);
    } else {
      header.tensors.push_back(parse_tensor(key, value));
    }
  }
  header.data_begin = static_cast<Index>(kLengthBytes + text.size());
  sort_and_check_layout(header.tensors, static_cast<Index>(file.size()) - header.data_begin);
  return header;
}

std::string render_safetensors_header(const std::map<std::string, std::string>& metadata,
                                      const std::vector<SafetensorsTensor>& tensors) {
  json object = json::object();
  if (!metadata.empty()) object[kMetadataKey] = metadata;
  for (const SafetensorsTensor& tensor : tensors) {
    object[tensor.name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string text;
  try {
    text = object.dump();
  } catch (const json::type_error&) {
    throw std::invalid_argument("safetensors: a tensor's name or a metadata text is not UTF-8");
  }
  const std::size_t used = kLengthBytes + text.size();
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  const std::uint64_t length = text.size();
  if (length > kMaxHeaderBytes) {
    throw std::invalid_argument(
        fmt::format("safetensors: header of {} bytes, at most {} allowed", length, kMaxHeaderBytes));
  }
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + text;
}

}  // namespace ordinal
