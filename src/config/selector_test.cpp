#include "config/selector.h"

#include <gtest/gtest.h>

namespace tandem::config {
namespace {

AdapterInfo Adapter(std::uint32_t index, std::string name, std::string kind) {
  AdapterInfo adapter;
  adapter.index = index;
  adapter.name = std::move(name);
  adapter.kind = std::move(kind);
  adapter.can_render = true;
  adapter.can_display = true;
  adapter.outputs = {"wsi-xcb"};
  adapter.device_uuid[15] = static_cast<std::uint8_t>(index + 1);
  return adapter;
}

AdapterInfo Soft(std::uint32_t index) {
  AdapterInfo adapter = Adapter(index, "Tandem soft adapter", "cpu");
  adapter.can_render = false;
  adapter.outputs = {"x11", "headless"};
  return adapter;
}

std::vector<AdapterInfo> Laptop() {
  std::vector<AdapterInfo> list{Adapter(0, "Radeon 780M", "integrated"), Adapter(1, "GeForce RTX 4070", "discrete"),
                                Adapter(2, "llvmpipe (LLVM 15)", "cpu"), Soft(3)};
  list[0].pci_address = "0000:00:02.0";
  list[1].pci_address = "0000:01:00.0";
  list[1].vendor_id = 0x10de;
  list[1].device_id = 0x2786;
  return list;
}

TEST(FindAdapter_EachForm, FindsTheAdapter) {
  const auto list = Laptop();
  for (const char* text : {"1", "0000:01:00.0", "01:00.0", "10de:2786", "0x10DE:0x2786", "10DE:2786", "geforce", "RTX 4070",
                           "00000000-0000-0000-0000-000000000002", "00000000000000000000000000000002"}) {
    const auto found = FindAdapter(text, list);
    ASSERT_TRUE(found.ok()) << text << ": " << found.error().message;
    EXPECT_EQ(*found, 1U) << text;
  }
}

TEST(SelectorOf_TwoCardsOfOneName_AreFoundAgain, ByPciAddressThenUuidThenIndex) {
  std::vector<AdapterInfo> list{Adapter(0, "GeForce RTX 4070", "discrete"), Adapter(1, "GeForce RTX 4070", "discrete"),
                                Adapter(2, "GeForce RTX 4070", "discrete"), Adapter(3, "GeForce RTX 4070", "discrete")};
  list[0].pci_address = "0000:01:00.0";
  list[1].pci_address = list[2].pci_address = "0000:02:00.0";  // one card, two drivers
  list[3].device_uuid = {};
  EXPECT_EQ(SelectorOf(0, list), "0000:01:00.0");
  EXPECT_EQ(SelectorOf(2, list), "00000000-0000-0000-0000-000000000003");
  EXPECT_EQ(SelectorOf(3, list), "3");
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(*FindAdapter(SelectorOf(i, list), list), i);
}

TEST(FindAdapter_NothingFits, ListsWhatThereIs) {
  const auto found = FindAdapter("quadro", Laptop());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(found.error().message,
            "No adapter fits 'quadro'; there are: 0 'Radeon 780M', 1 'GeForce RTX 4070', 2 'llvmpipe (LLVM 15)', 3 'Tandem soft "
            "adapter'.");
  EXPECT_FALSE(FindAdapter("4", Laptop()).ok());
  EXPECT_FALSE(FindAdapter("0", {}).ok());
}

TEST(FindAdapter_SeveralFit, ListsTheCandidates) {
  const std::vector<AdapterInfo> list{Adapter(0, "GeForce RTX 4070", "discrete"), Adapter(1, "GeForce RTX 4070 Ti", "discrete")};
  const auto found = FindAdapter("geforce", list);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(found.error().message, "'geforce' fits 2 adapters: 0 'GeForce RTX 4070', 1 'GeForce RTX 4070 Ti'; give the index.");
  const auto whole = FindAdapter("geforce rtx 4070", list);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(*whole, 0U);
}

TEST(ParseSelector_OddText, GivesANameOrAnError) {
  EXPECT_FALSE(ParseSelector("").ok());
  EXPECT_EQ(ParseSelector(std::string(257, 'a')).error().kind, ErrorKind::kLimit);
  for (const char* text : {"-1", "99999999999999999999", ":", "10de:", "0000:01:00.0.0", "g0:00.0", "123456789:1", " 1"}) {
    const auto selector = ParseSelector(text);
    ASSERT_TRUE(selector.ok()) << text;
    EXPECT_TRUE(std::holds_alternative<NameSelector>(*selector)) << text;
  }
}

struct Choice {
  const char* name;
  Settings settings;
  std::vector<AdapterInfo> adapters;
  std::size_t render;
  std::size_t display;
};

Settings With(std::string render, std::string display, OutputSpec::Kind output) {
  Settings settings;
  settings.render = std::move(render);
  settings.display = std::move(display);
  settings.output.kind = output;
  return settings;
}

TEST(ChooseAdapters_Table, FollowsTheRules) {
  using Kind = OutputSpec::Kind;
  const std::vector<AdapterInfo> software{Adapter(0, "llvmpipe", "cpu"), Adapter(1, "SwiftShader", "cpu"), Soft(2)};
  std::vector<AdapterInfo> headless_card{Adapter(0, "GeForce", "discrete"), Adapter(1, "Tesla", "discrete")};
  headless_card[0].can_display = false;
  headless_card[1].can_display = false;
  headless_card.push_back(Soft(2));
  const Choice cases[] = {
      {"discrete renders, integrated shows", With("", "", Kind::kAuto), Laptop(), 1, 0},
      {"named render adapter, other GPU shows", With("radeon", "", Kind::kWindow), Laptop(), 0, 1},
      {"file needs the soft adapter", With("", "", Kind::kPng), Laptop(), 1, 3},
      {"named display adapter", With("", "soft", Kind::kAuto), Laptop(), 1, 3},
      {"software drivers: the soft adapter shows", With("", "", Kind::kAuto), software, 0, 2},
      {"software drivers by name", With("swift", "llvm", Kind::kAuto), software, 1, 0},
      {"no GPU with a display", With("", "", Kind::kAuto), headless_card, 0, 2},
      {"alone", With("", "", Kind::kAuto), {Adapter(0, "GeForce", "discrete")}, 0, 0},
      {"same adapter for both when asked", With("1", "1", Kind::kAuto), Laptop(), 1, 1},
  };
  for (const Choice& choice : cases) {
    const auto pair = ChooseAdapters(choice.settings, choice.adapters);
    ASSERT_TRUE(pair.ok()) << choice.name << ": " << pair.error().message;
    EXPECT_EQ(pair->render, choice.render) << choice.name;
    EXPECT_EQ(pair->display, choice.display) << choice.name;
    EXPECT_FALSE(pair->render_reason.empty());
    EXPECT_FALSE(pair->display_reason.empty());
  }
}

TEST(FindDisplayWith_Output, TakesTheBestThatHasIt) {
  std::vector<AdapterInfo> adapters(3);
  adapters[0].can_render = adapters[0].can_display = true;
  adapters[0].kind = "cpu";
  adapters[0].outputs = {"wsi-xcb", "wsi-wayland"};
  adapters[1].can_display = true;
  adapters[1].kind = "cpu";
  adapters[1].outputs = {"x11"};
  EXPECT_EQ(FindDisplayWith("wsi-wayland", adapters, 0), 0u);
  EXPECT_EQ(FindDisplayWith("x11", adapters, 0), 1u);
  EXPECT_EQ(FindDisplayWith("wsi-mir", adapters, 0), std::nullopt);
  adapters[2] = adapters[0];
  adapters[2].kind = "integrated";
  EXPECT_EQ(FindDisplayWith("wsi-wayland", adapters, 0), 2u);
}

TEST(ChooseAdapters_Impossible, SaysWhy) {
  using Kind = OutputSpec::Kind;
  EXPECT_EQ(ChooseAdapters(With("soft", "", Kind::kAuto), Laptop()).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(ChooseAdapters(With("", "radeon", Kind::kRaw), Laptop()).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(ChooseAdapters(With("", "", Kind::kAuto), {}).error().kind, ErrorKind::kNotFound);
  const std::vector<AdapterInfo> only_soft{Soft(0)};
  EXPECT_EQ(ChooseAdapters(With("", "", Kind::kAuto), only_soft).error().kind, ErrorKind::kNotFound);
  const std::vector<AdapterInfo> only_gpu{Adapter(0, "GeForce", "discrete")};
  EXPECT_EQ(ChooseAdapters(With("", "", Kind::kHeadless), only_gpu).error().message,
            "No adapter of this machine can show on output 'headless'.");
}

TEST(FindAdapter, Purpose_TakesTheKindThatIsBestForIt) {
  const auto adapter = [](const char* name, const char* kind) {
    AdapterInfo info;
    info.name = name;
    info.kind = kind;
    info.can_render = true;
    return info;
  };
  AdapterInfo soft = adapter("soft", "cpu");
  soft.can_render = false;
  std::vector<AdapterInfo> adapters{soft, adapter("cpu", "cpu"), adapter("one", "discrete"), adapter("two", "discrete"),
                                    adapter("small", "integrated")};
  EXPECT_EQ(FindAdapter("high-performance", adapters).value(), 2U);
  EXPECT_EQ(FindAdapter("Power-Saving", adapters).value(), 4U);
  adapters.pop_back();
  EXPECT_EQ(FindAdapter("power-saving", adapters).value(), 1U);
  adapters = {adapters[2]};
  EXPECT_EQ(FindAdapter("power-saving", adapters).value(), 0U);
  adapters = {soft};
  EXPECT_EQ(FindAdapter("high-performance", adapters).error().kind, ErrorKind::kNotFound);
}

TEST(ChooseAdapters, InheritedVariable_CountsWhereNothingElseIsAskedFor) {
  std::vector<AdapterInfo> adapters(2);
  for (AdapterInfo& adapter : adapters) {
    adapter.kind = "discrete";
    adapter.can_render = adapter.can_display = true;
  }
  adapters[1].pci_address = "0000:02:00.0";
  adapters[1].name = "Other";
  adapters[1].index = 1;
  Settings settings;
  settings.inherited_render = InheritedRender{"DRI_PRIME", "0000:02:00.0"};
  auto pair = ChooseAdapters(settings, adapters);
  ASSERT_TRUE(pair.ok()) << pair.error().message;
  EXPECT_EQ(pair->render, 1U);
  EXPECT_EQ(pair->render_reason, "DRI_PRIME asks for '0000:02:00.0'.");
  settings.inherited_render->selector = "0000:03:00.0";
  pair = ChooseAdapters(settings, adapters);
  ASSERT_TRUE(pair.ok()) << pair.error().message;
  EXPECT_EQ(pair->render, 0U);
  EXPECT_NE(pair->render_reason.find(" DRI_PRIME asks for '0000:03:00.0', which no adapter fits."), std::string::npos);
  settings.render = "1";
  EXPECT_EQ(ChooseAdapters(settings, adapters)->render, 1U);
  settings.render = "nvidia";
  settings.drivers_limited_by = "VK_LOADER_DRIVERS_SELECT=*radeon*";
  EXPECT_NE(ChooseAdapters(settings, adapters).error().message.find(" Drivers are limited by VK_LOADER_DRIVERS_SELECT=*radeon*."),
            std::string::npos);
}

TEST(FindNextRender, TheBestThatIsNotLost) {
  const auto list = Laptop();
  EXPECT_EQ(FindNextRender(list, {}), 1U);
  EXPECT_EQ(FindNextRender(list, std::vector<std::size_t>{1}), 0U);
  EXPECT_EQ(FindNextRender(list, std::vector<std::size_t>{0, 1}), 2U);
  EXPECT_EQ(FindNextRender(list, std::vector<std::size_t>{0, 1, 2}), std::nullopt);
}

}  // namespace
}  // namespace tandem::config
