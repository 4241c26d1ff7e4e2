#include "cli/driver_crash_text.h"

#include <cstring>

#include <fmt/format.h>

#include "base/printable.h"
#include "cli/driver_frames.h"

namespace tandem::cli {

std::string CrashText(const status::DriverCrash& crash) {
  const std::string where = crash.ddi.empty() ? "outside its DDIs" : "in " + crash.ddi;
  const char* const signal = strsignal(crash.signal);
  std::string text = Escaped(fmt::format("The display driver {} crashed {}: {}.", crash.file.substr(crash.file.rfind('/') + 1),
                                         where, signal == nullptr ? "a signal" : signal)) +
                     "\n";
  for (const std::string& frame : NamedFrames(crash.file, crash.stack)) text += "  at " + Escaped(frame) + "\n";
  return text;
}

}  // namespace tandem::cli
