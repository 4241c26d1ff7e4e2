#include "config/adapter_tags.h"

#include <gtest/gtest.h>

#include "config/policy/policy_file.h"
#include "config/selector.h"

namespace tandem::config {
namespace {

std::vector<AdapterInfo> Machine() {
  std::vector<AdapterInfo> adapters(3);
  adapters[0].name = "Integrated";
  adapters[0].kind = "integrated";
  adapters[1].name = "Big GPU";
  adapters[1].kind = "discrete";
  adapters[2].name = "Big GPU";
  adapters[2].kind = "discrete";
  adapters[2].pci_address = "0000:02:00.0";
  for (std::uint32_t i = 0; i < adapters.size(); ++i) {
    adapters[i].index = i;
    adapters[i].can_render = adapters[i].can_display = true;
    adapters[i].outputs = {"wsi-xcb"};
  }
  return adapters;
}

TEST(AdapterTags, HiddenAdapter_RendersOnlyWhenItIsNamed) {
  const auto read = ParseAdapterTags("[adapter.\"big\"]\nhidden = true\n", "tandem.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->problems.empty());
  auto adapters = Machine();
  ApplyTags(read->tags, adapters);
  EXPECT_FALSE(adapters[0].hidden);
  EXPECT_TRUE(adapters[1].hidden && adapters[2].hidden);
  const auto unasked = ChooseAdapters(Settings{}, adapters);
  ASSERT_TRUE(unasked.ok()) << unasked.error().message;
  EXPECT_EQ(unasked->render, 0U);
  EXPECT_EQ(unasked->display, 0U);
  Settings named;
  named.render = "02:00.0";
  const auto asked = ChooseAdapters(named, adapters);
  ASSERT_TRUE(asked.ok()) << asked.error().message;
  EXPECT_EQ(asked->render, 2U);
  named.display = "1";
  EXPECT_FALSE(ChooseAdapters(named, adapters).ok());
}

TEST(AdapterTags, SelectorThatFitsNothing_ChangesNothing) {
  auto adapters = Machine();
  ApplyTags(std::vector<AdapterTag>{{"absent", true}, {"big", false}}, adapters);
  for (const AdapterInfo& adapter : adapters) EXPECT_FALSE(adapter.hidden) << adapter.index;
}

TEST(AdapterTags, WrongTable_IsLeftOutAndNamed_TheOthersCount) {
  const auto read = ParseAdapterTags(
      "[adapter.\"0\"]\nhidden = \"yes\"\n[adapter.\"1\"]\nhidden = true\n[adapter.\"2\"]\nhiden = true\n", "tandem.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->tags.size(), 1U);
  EXPECT_EQ(read->tags[0].selector, "1");
  ASSERT_EQ(read->problems.size(), 2U);
  EXPECT_EQ(read->problems[0], "tandem.toml:2: hidden is neither true nor false.");
  EXPECT_EQ(read->problems[1], "tandem.toml:6: [adapter.\"2\"] has a key 'hiden', which is not hidden.");
}

TEST(AdapterTags, TablesOfAdapters_DoNotDisturbTheSettings) {
  const PolicyFile file =
      ParsePolicyText("[adapter.\"1\"]\nhidden = 7\n[default]\nrender = \"1\"\n", "tandem.toml", Source::kFile);
  EXPECT_TRUE(file.faults.empty());
  ASSERT_EQ(file.tables.size(), 1U);
  EXPECT_EQ(file.tables.front().lines.front().text, "1");
}

}  // namespace
}  // namespace tandem::config
