// The header of a safetensors file: its contents, checks and writing. Include storage/safetensors.h instead;
// it handles the data after the header.
//
//   8 bytes   N, unsigned, little-endian
//   N bytes   JSON: {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets": [begin, end]},
//             ...}
//   the rest  the tensors' bytes, row-major, little-endian, one after the other without holes or overlaps
//
// Source: github.com/huggingface/safetensors, section "Format" of its README.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/tensor.h"

namespace ordinal {

/// Bytes of a value of a type that can be read: "F64", "F32", "F16", "BF16", "I64" or "I32"; 0 for any other. Only F64, F32 and I64
/// are written.
Index size_in_bytes(std::string_view type);

struct SafetensorsTensor {
  std::string name;
  std::string type;
  Shape shape;
  Index begin = 0;  // first byte and one past the last, counted from the end of the header
  Index end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsTensor> tensors;  // in the order of their data
  Index data_begin = 0;                    // where the data starts in the file
};

/// Reads and checks the header of a whole file. Afterwards every tensor's bytes lie inside the file, fit its
/// shape and type, and together cover the data exactly. Throws CheckpointError with the reason (but not the
/// file name) for anything else, and for types other than those above.
SafetensorsHeader parse_safetensors_header(std::string_view file);

/// The first bytes of a file, length included, padded with spaces to a multiple of 64 so that the data starts
/// aligned. Throws std::invalid_argument if a name or a metadata text is not UTF-8, or if the JSON exceeds
/// the format's 100 MB.
std::string render_safetensors_header(const std::map<std::string, std::string>& metadata,
                                      const std::vector<SafetensorsTensor>& tensors);

/// The text with U+FFFD for what is not UTF-8, which can neither be a name nor stand in the metadata.
std::string whole_letters(const std::string& text);

/// A name formatted for a message: in double quotes, on one line whatever it contains.
std::string quote_name(std::string_view name);

}  // namespace ordinal
