// Configuration files of any content.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "coproc/config_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto settings = tandem::coproc::ApplyConfigText(text, "fuzz.toml", "app", {});
  if (settings.ok()) (void)tandem::coproc::ToEnvironment(*settings);
  return 0;
}
