// train: trains one model on one task from a config and writes a checkpoint. Run it again to resume.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::train_driver());
}
