// Crashes before its first function is called.
#include <cstdlib>

namespace {

struct Crash {
  Crash() { std::abort(); }
} crash;

}  // namespace

extern "C" __attribute__((visibility("default"))) int DriverEntry() { return 0; }
