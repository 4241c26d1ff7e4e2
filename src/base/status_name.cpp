#include "base/status_name.h"

#include <fmt/core.h>

namespace tandem {
namespace {

struct Name {
  std::uint32_t value;
  const char* name;
};

// The first name wins where two names share a value.
constexpr Name kNames[] = {
#include "status_names.inc"
};

}  // namespace

std::string StatusText(std::int32_t status) {
  const auto value = static_cast<std::uint32_t>(status);
  for (const Name& one : kNames) {
    if (one.value == value) return fmt::format("{} (0x{:08X})", one.name, value);
  }
  return fmt::format("0x{:08X}", value);
}

}  // namespace tandem
