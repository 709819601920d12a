// extrapolation: the main experiment. Trains rows of settings at one length, tests them at longer ones, and
// writes a table, plots and a report.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::extrapolation_driver());
}
