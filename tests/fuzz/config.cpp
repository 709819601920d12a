// Config files as the program extrapolation reads them. What is accepted can be saved and read again.
#include "experiments/programs/driver.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

std::string resolved(const std::string& text) {
  const std::string path = file_of(text, "fuzz.cfg").string();
  const char* const argv[] = {"extrapolation", "--config", path.c_str()};
  return experiments::parse_command_line(3, argv, experiments::extrapolation_driver())
      .settings.resolved_config();
}

}  // namespace

void config(const std::string& input) {
  std::string saved;
  if (!accepts([&] { saved = resolved(input); }, Message::many_lines)) return;
  std::string again;
  if (!accepts([&] { again = resolved(saved); }, Message::many_lines))
    finding("a resolved.cfg that is refused");
  if (again != saved) finding("a resolved.cfg that is read as other settings");
}

}  // namespace ordinal::fuzz
