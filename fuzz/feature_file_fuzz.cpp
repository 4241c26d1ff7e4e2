// Arbitrary files of feature overrides, read and changed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/feature_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = ParseFeatureText(text, "fuzz.toml");
  FeatureEntry entry{"soft", "SAMPLE", {}};
  entry.values.enabled = true;
  const auto changed = WithFeatureEntry(text, "fuzz.toml", entry);
  if (changed.ok() && !entries.ok()) std::abort();
  if (changed.ok() && !ParseFeatureText(*changed, "fuzz.toml").ok()) std::abort();
  return 0;
}
