// generate: generates text from a checkpoint written by train.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::generate_driver());
}
