// Tells `tandem run` of a crash inside the code of a display driver.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "conform/crash_stack.h"

namespace tandem::system {

// While it lives, a crash with the driver's code on the stack is noted (status::NoteDriverCrash), and then goes the way that it
// goes without. Does nothing in a program that `tandem run` did not start. One at a time in a process.
class DriverCrashWatch {
 public:
  // `inside`: an address in the driver's shared object `file`; null: it is not loaded.
  DriverCrashWatch(std::string file, const void* inside);
  ~DriverCrashWatch();
  DriverCrashWatch(const DriverCrashWatch&) = delete;
  DriverCrashWatch& operator=(const DriverCrashWatch&) = delete;

 private:
  static void OnCrash(int signal, void* context);

  const std::string file_;
  const UniqueFd note_;
  conform::CrashStack stack_;
};

}  // namespace tandem::system
