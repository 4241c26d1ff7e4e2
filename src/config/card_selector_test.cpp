#include "config/card_selector.h"

#include <gtest/gtest.h>

namespace tandem::config {
namespace {

AdapterInfo Card(std::string name, std::string driver, std::vector<std::string> outputs) {
  AdapterInfo adapter;
  adapter.name = std::move(name);
  adapter.kind = adapter.driver = kCardKind;
  adapter.driver_detail = std::move(driver);
  adapter.outputs = std::move(outputs);
  return adapter;
}

std::vector<AdapterInfo> Machine() {
  AdapterInfo gpu;
  gpu.name = "llvmpipe";
  gpu.driver = "vulkan";
  return {gpu, Card("kms:card0", "vgem", {}), Card("kms:card1", "amdgpu", {"DP-1"}),
          Card("kms:card2", "amdgpu", {"DP-2", "HDMI-A-1"})};
}

TEST(CardSelector, EachForm_FindsItsCard) {
  const auto machine = Machine();
  const std::pair<const char*, std::size_t> cases[] = {
      {"kms", 2},
      {"kms:card0", 1},
      {"kms:vgem", 1},
      {"kms:amdgpu", 2},
      {"kms:amdgpu:DP-2", 3},
      {"kms::HDMI-A-1", 3},
      {"/dev/dri/card2", 3},
      {"/dev/dri/card2:DP-2", 3},
      {"kms:card1:DP-7", 2},  // plugged in later
  };
  for (const auto& [text, position] : cases) {
    ASSERT_TRUE(IsCardSelector(text)) << text;
    const auto found = FindCard(text, machine);
    ASSERT_TRUE(found.ok()) << text << ": " << found.error().message;
    EXPECT_EQ(*found, position) << text;
  }
}

TEST(CardSelector, NoSuchCard_ListsThoseThatExist) {
  const auto found = FindCard("kms:i915", Machine());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message,
            "'kms:i915' is no card of this machine; there are kms:card0 (vgem), kms:card1 (amdgpu), kms:card2 (amdgpu).");
  EXPECT_NE(FindCard("kms", std::vector<AdapterInfo>()).error().message.find("/dev/dri has none"), std::string::npos);
}

TEST(CardSelector, NameOfCard_KeepsTheConnector) {
  const AdapterInfo card = Machine()[3];
  EXPECT_EQ(NameOfCard("kms:amdgpu:HDMI-A-1", card), "kms:card2:HDMI-A-1");
  EXPECT_EQ(NameOfCard("/dev/dri/card2:DP-2", card), "kms:card2:DP-2");
  for (const char* text : {"kms", "kms:card2", "/dev/dri/card2", "3", "card2"}) EXPECT_EQ(NameOfCard(text, card), "kms:card2");
}

}  // namespace
}  // namespace tandem::config
