#include "experiments/settings/json_text.h"

#include <nlohmann/json.hpp>

namespace ordinal::experiments {

bool json_can_hold(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace ordinal::experiments
