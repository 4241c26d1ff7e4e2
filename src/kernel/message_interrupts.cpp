#include "kernel/message_interrupts.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace tandem::kernel {
namespace {

constexpr char kKey[] = "Interrupt Management\\MessageSignaledInterruptProperties";
constexpr char kName[] = "MSISupported";
constexpr std::uint32_t kRegDword = 4;

// Names in the registry have no case.
bool SameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::optional<bool> MessageInterruptsIn(const DriverSettings& settings) {
  for (const RegistryValue& value : settings.registry) {
    if (value.root != RegistryRoot::kDevice || !SameName(value.subkey, kKey) || !SameName(value.name, kName)) continue;
    return std::ranges::any_of(value.data, [](std::byte byte) { return byte != std::byte{0}; });
  }
  return std::nullopt;
}

RegistryValue MessageInterruptsValue(bool supported) {
  return {RegistryRoot::kDevice, kKey, kName, kRegDword, {static_cast<std::byte>(supported ? 1 : 0), {}, {}, {}}};
}

}  // namespace tandem::kernel
