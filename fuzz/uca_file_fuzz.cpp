// Arbitrary files of Thunar's actions. What is put in comes out again, and every other byte stays.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "desktop/menu/uca_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::desktop;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::array actions = {UcaAction{"Run on A & B", "tandem launch %f", "<once>"}, UcaAction{"]]>", "", ""}};
  const auto with = WithUcaActions(text, "uca.xml", actions);
  if (!with.ok()) return 0;
  const auto without = WithoutUcaActions(*with, "uca.xml");
  const auto before = WithoutUcaActions(text, "uca.xml");
  TANDEM_CHECK(without.ok() && before.ok() && *without == *before);
  if (text.find("X-Tandem-menu-") == std::string_view::npos && text.find('&') == std::string_view::npos &&
      text.find("CDATA") == std::string_view::npos) {
    TANDEM_CHECK(*without == text);
  }
  TANDEM_CHECK(*WithUcaActions(*with, "uca.xml", actions) == *with);
  return 0;
}
