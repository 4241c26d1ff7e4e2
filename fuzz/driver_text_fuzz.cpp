// Arbitrary files of --registry.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "system/driver_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto settings = tandem::system::ParseDriverText({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (!settings.ok()) return settings.error().message.empty() ? (std::abort(), 0) : 0;
  for (const auto& answer : settings->acpi) {
    if (answer.method.size() != 4) std::abort();
  }
  return 0;
}
