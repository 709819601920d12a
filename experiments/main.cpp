// The main function of each program. CMakeLists.txt defines ORDINAL_DRIVER as the function that describes the program, such as
// train_driver for programs/train.cpp. It is compiled once for each, so it declares what it needs of programs/driver.h.
namespace ordinal::experiments {
struct DriverDescription;
DriverDescription ORDINAL_DRIVER();
int run_driver(int argc, const char* const* argv, DriverDescription (*describe)());
}  // namespace ordinal::experiments

int main(int argc, char** argv) {
  return ordinal::experiments::run_driver(argc, argv, ordinal::experiments::ORDINAL_DRIVER);
}
