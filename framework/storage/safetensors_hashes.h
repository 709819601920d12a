// Hashes of the tensors and the metadata of a safetensors file, kept in its metadata, so that damage is found when the
// file is read. Other programs see one more metadata text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/storage/atomic_file.h"
#include "framework/storage/safetensors_header.h"

namespace ordinal {

/// The metadata key of the hashes.
inline const std::string hashes_key = "xxh3";

/// A JSON object, {"metadata": HASH, "tensors": {NAME: HASH, …}}. A hash is 64 bits of XXH3 (xxHash) in hexadecimal: of all
/// other metadata, or of a tensor's name, type, shape and bytes. `data` holds the bytes of each tensor.
std::string render_hashes(const std::map<std::string, std::string>& metadata,
                          const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data);

/// What does not match its hash in the file: "tensor NAME" or "metadata"; "" if everything matches or there are no hashes.
std::string damaged_part(const std::map<std::string, std::string>& metadata,
                         const std::vector<SafetensorsTensor>& tensors, std::span<const Bytes> data);

}  // namespace ordinal
