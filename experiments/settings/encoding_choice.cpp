#include "experiments/settings/encoding_choice.h"

#include "framework/positional/position_scheme.h"

namespace ordinal {

EncodingChoice encoding_choice(const Settings& settings, const std::string& entry) {
  const std::size_t at = entry.find('@');
  const std::string schemes = at == std::string::npos ? "" : entry.substr(at + 1);
  const std::size_t colon = schemes.find(':');
  EncodingChoice choice{entry.substr(0, at), settings.text("positional.positions"),
                        settings.text("positional.test_positions")};
  if (at != std::string::npos) choice.training = schemes.substr(0, colon);
  if (at != std::string::npos) choice.test = colon == std::string::npos ? "same" : schemes.substr(colon + 1);
  if (choice.test == "same") choice.test = choice.training;
  find_encodings(choice.encoding);
  check_positions(choice.encoding, choice.training);
  check_positions(choice.encoding, choice.test);
  return choice;
}

}  // namespace ordinal
