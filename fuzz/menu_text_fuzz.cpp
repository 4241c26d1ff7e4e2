// Arbitrary desktop entries that get a copy with actions. The copy is known as ours, and an edited one as changed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "desktop/menu/menu_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::desktop;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)MarkOf(text);
  (void)WithoutOurs(text);
  const std::array choices = {MenuChoice{"A \"GPU\"", "0000:01:00.0"}, MenuChoice{"B;C\\", "1"}};
  const auto copy = EntryCopy(text, "org.example.Game.desktop", "/opt/100%/tandem", choices);
  if (!copy.ok()) return 0;
  TANDEM_CHECK(MarkOf(*copy) == Mark::kIntact);
  TANDEM_CHECK(MarkOf(*copy + "#\n") == Mark::kChanged);
  const auto without = WithoutOurs(*copy);
  TANDEM_CHECK(without.ok() && MarkOf(*without) == Mark::kNone);
  return 0;
}
