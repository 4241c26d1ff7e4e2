// Kept lists of adapters of any content.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "system/adapter_cache_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::system;
  Machine machine;
  machine.key = {"kernel"};
  machine.drivers = {{"/etc/gpu.json", "/lib/gpu.so"}};
  machine.displays = {{"0000:01:00.0", 0x10de, 0x2684, false}};
  const auto adapters = ParseAdapterCache({reinterpret_cast<const char*>(data), size}, machine);
  if (!adapters.ok()) return 0;
  // A list that was taken is kept as it is.
  const auto again = ParseAdapterCache(AdapterCacheText(*adapters, machine), machine);
  if (again.ok() && again->size() != adapters->size()) std::abort();
  return 0;
}
