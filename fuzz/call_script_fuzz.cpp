// Arbitrary scripts of `tandem fuzz`: what is read is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "conform/fuzz/call_script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::conform;
  const auto script = ParseScript({reinterpret_cast<const char*>(data), size});
  if (!script.ok()) return 0;
  const auto again = ParseScript(ToText(*script, {}));
  if (!again.ok() || !(*again == *script)) std::abort();
  return 0;
}
