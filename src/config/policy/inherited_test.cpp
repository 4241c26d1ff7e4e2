#include "config/policy/inherited.h"

#include <map>
#include <string_view>

#include <gtest/gtest.h>

namespace tandem::config {
namespace {

Environment With(std::map<std::string, std::string, std::less<>> variables) {
  return [variables = std::move(variables)](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::optional<std::string>() : std::optional(found->second);
  };
}

std::string Render(std::map<std::string, std::string, std::less<>> variables) {
  const auto render = InheritedRenderAdapter(With(std::move(variables)));
  return render ? render->variable + ": " + render->selector : "none";
}

TEST(Inherited, MesasVariables_NameTheRenderAdapter) {
  EXPECT_EQ(Render({}), "none");
  EXPECT_EQ(Render({{"DRI_PRIME", "pci-0000_01_00_0"}}), "DRI_PRIME: 0000:01:00.0");
  EXPECT_EQ(Render({{"DRI_PRIME", "1"}}), "DRI_PRIME: high-performance");
  EXPECT_EQ(Render({{"DRI_PRIME", "10de:2684!"}}), "DRI_PRIME: 10de:2684");
  EXPECT_EQ(Render({{"DRI_PRIME", "1002:73ff"}, {"MESA_VK_DEVICE_SELECT", "10de:2684"}}), "MESA_VK_DEVICE_SELECT: 10de:2684");
  for (const char* const nothing : {"0", "pci-", "pci-0000_01", "nonsense", "list", "pci-zzzz_01_00_0"}) {
    EXPECT_EQ(Render({{"DRI_PRIME", nothing}}), "none") << nothing;
  }
}

TEST(Inherited, Selection_NamesEachVariableThatIsSet) {
  const auto variables =
      InheritedSelection(With({{"CARDWIRE_ALLOW", "1"}, {"VK_LOADER_DRIVERS_SELECT", "*radeon*"}, {"HOME", "/"}}));
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].name, "VK_LOADER_DRIVERS_SELECT");
  EXPECT_EQ(variables[0].value, "*radeon*");
  EXPECT_EQ(variables[1].name, "CARDWIRE_ALLOW");
  EXPECT_EQ(
      LimitingVariables(With({{"DRI_PRIME", "1"}, {"VK_DRIVER_FILES", "/a.json"}, {"VK_LOADER_DRIVERS_SELECT", "*radeon*"}})),
      "VK_DRIVER_FILES=/a.json, VK_LOADER_DRIVERS_SELECT=*radeon*");
  EXPECT_EQ(LimitingVariables(With({{"DRI_PRIME", "1"}})), "");
  EXPECT_EQ(LimitingVariables(With({{"TANDEM_AS", "driver"}, {"VK_LOADER_DRIVERS_DISABLE", "*radeon*"}})), "");
}

}  // namespace
}  // namespace tandem::config
