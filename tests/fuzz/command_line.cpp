// Command lines: the first line of the input names the program, each further line is an argument.
#include <sstream>

#include "experiments/programs/driver.h"
#include "tests/fuzz/targets.h"

namespace ordinal::fuzz {
namespace {

using experiments::DriverDescription;

DriverDescription driver_of(const std::string& name) {
  for (const DriverDescription& driver :
       {experiments::train_driver(), experiments::evaluate_driver(), experiments::generate_driver(),
        experiments::encoding_driver(), experiments::parity_driver(), experiments::claims_driver()}) {
    if (driver.name == name) return driver;
  }
  return experiments::extrapolation_driver();
}

}  // namespace

void command_line(const std::string& input) {
  std::istringstream lines(input);
  std::vector<std::string> words;
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  if (words.empty()) return;
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  const DriverDescription driver = driver_of(words.front());
  accepts(
      [&] {
        const auto command =
            experiments::parse_command_line(static_cast<int>(argv.size()), argv.data(), driver);
        command.settings.print_config();
        command.settings.resolved_config();
      },
      Message::many_lines);
}

}  // namespace ordinal::fuzz
