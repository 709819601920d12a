// Hashes of the tensors and the metadata of a safetensors file, kept in its metadata, so that damage is found when it is
// read. Other programs see one more text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/storage/atomic_file.h"
#include "framework/storage/safetensors_header.h"

namespace ordinal {

/// The key of the metadata under which they stand.
inline const std::string hashes_key = "xxh3";

/// A JSON object, {"metadata": HASH, "tensors": {NAME: HASH, …}}: 64 bits of XXH3 (xxHash), in hexadecimal, of all other metadata, and of each tensor's
/// name, type, shape and bytes. `data` holds the bytes of each tensor.
std::string render_hashes(const std::map<std::string, std::string>& metadata,
                          const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data);

/// What does not have the hash that a file holds: "tensor NAME", "metadata", or "" if all of it has, or there are none.
std::string damaged_part(const std::map<std::string, std::string>& metadata,
                         const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data);

}  // namespace ordinal
