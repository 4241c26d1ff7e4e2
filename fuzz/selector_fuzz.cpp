// Arbitrary adapter selectors, as a user may type them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/selector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<tandem::config::AdapterInfo, 2> adapters;
  adapters[0].name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  adapters[0].pci_address = "0000:01:00.0";
  adapters[0].vendor_id = 0x10005;
  adapters[1].index = 1;
  adapters[1].name = "soft";
  (void)tandem::config::FindAdapter({reinterpret_cast<const char*>(data), size}, adapters);
  return 0;
}
