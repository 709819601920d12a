// The main function of each program. CMakeLists.txt defines ORDINAL_DRIVER as the function that describes the program, such as
// train_driver for programs/train.cpp.
#include "experiments/programs/driver.h"

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::ORDINAL_DRIVER());
}
