#include "cli/adapters.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::cli {
namespace {

config::AdapterInfo Gpu() {
  config::AdapterInfo gpu;
  gpu.index = 1;
  gpu.name = "A GPU \xff";  // a driver may give anything, UTF-8 or not
  gpu.kind = "discrete";
  gpu.driver = "vulkan";
  gpu.driver_detail = "Driver 1.2";
  gpu.pci_address = "0000:01:00.0";
  gpu.vendor_id = 0x10de;
  gpu.device_id = 0x2335;
  gpu.device_uuid = {0x01, 0x02};
  gpu.tier = 2;
  gpu.tier_reason = "It renders to linear shared images.";
  gpu.memory_bytes = 3ULL << 29;
  gpu.outputs = {"wsi-xcb", "wsi-wayland"};
  gpu.can_render = true;
  gpu.can_display = true;
  return gpu;
}

TEST(AdapterList, Table_SaysWhatAPersonChoosesBy) {
  const std::vector<config::AdapterInfo> list{Gpu()};
  const std::string table = ToTable(list, {}, {});
  for (const char* expected : {"1  A GPU", "discrete, render, display", "vulkan: Driver 1.2", "10de:2335 at 0000:01:00.0",
                               "01020000-0000-0000-0000-000000000000", "2: It renders", "1.5 GiB", "wsi-xcb, wsi-wayland"}) {
    EXPECT_NE(table.find(expected), std::string::npos) << expected << "\n" << table;
  }
}

TEST(AdapterList, TwoCardsOfAVendor_EachEndWithWhatSelectsThem) {
  std::vector<config::AdapterInfo> list{Gpu(), Gpu(), Gpu()};
  list[1].pci_address = "0000:02:00.0";
  list[2].pci_address.clear();
  list[2].device_uuid = {0x03};
  list[2].can_render = false;
  const std::vector<config::ClosedNode> closed{{"/dev/dri/renderD130", "0000:03:00.0", config::ClosedNode::Reason::kBlocked}};
  const std::string table = ToTable(list, {}, closed);
  for (const char* expected :
       {"1  A GPU", "  --render 0000:01:00.0\n", "  --render 0000:02:00.0\n",
        "  --display 03000000-0000-0000-0000-000000000000\n", "/dev/dri/renderD130 (0000:03:00.0) is there and blocked"}) {
    EXPECT_NE(table.find(expected), std::string::npos) << expected << "\n" << table;
  }
  const auto json = nlohmann::json::parse(ToJson(list, {}, closed));
  EXPECT_EQ(json["adapters"][1]["selector"], "0000:02:00.0");
  EXPECT_EQ(json["closed_nodes"][0]["blocked"], true);
}

TEST(AdapterList, Json_IsValidWhateverTheDriverCallsItself) {
  const std::vector<config::AdapterInfo> list{Gpu()};
  const auto json = nlohmann::json::parse(ToJson(list, {}, {}));
  ASSERT_EQ(json["adapters"].size(), 1u);
  EXPECT_EQ(json["adapters"][0]["index"], 1);
  EXPECT_EQ(json["adapters"][0]["tier"], 2);
  EXPECT_EQ(json["adapters"][0]["pci_address"], "0000:01:00.0");
}

TEST(AdapterList, IdentityThatTandemMade_IsSaidToBeSo) {
  config::AdapterInfo gpu = Gpu();
  EXPECT_EQ(ToTable(std::vector{gpu}, {}, {}).find("its driver has none"), std::string::npos);
  gpu.uuid_derived = true;
  const std::vector<config::AdapterInfo> list{gpu};
  EXPECT_NE(ToTable(list, {}, {}).find("000000000000, made of the device's properties: its driver has none"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(ToJson(list, {}, {}))["adapters"][0]["uuid_derived"], true);
}

TEST(AdapterList, HiddenAdapter_IsListedAsHidden) {
  config::AdapterInfo gpu = Gpu();
  gpu.hidden = true;
  gpu.can_display = false;
  const std::vector<config::AdapterInfo> list{gpu};
  EXPECT_NE(ToTable(list, {}, {}).find("discrete, render, hidden"), std::string::npos) << ToTable(list, {}, {});
  EXPECT_EQ(nlohmann::json::parse(ToJson(list, {}, {}))["adapters"][0]["hidden"], true);
}

TEST(AdapterList, PairThatIsTakenUnasked_IsMarkedWithItsReasons) {
  config::AdapterInfo soft;
  soft.index = 2;
  soft.name = "soft";
  soft.kind = "cpu";
  soft.can_display = true;
  const std::vector<config::AdapterInfo> list{Gpu(), soft};
  const std::string table = ToTable(list, {}, {});
  EXPECT_LT(table.find("auto     renders: "), table.find("2  soft")) << table;
  EXPECT_GT(table.find("auto     shows: "), table.find("2  soft")) << table;
  const auto json = nlohmann::json::parse(ToJson(list, {}, {}));
  EXPECT_EQ(json["auto"]["render"], 1);
  EXPECT_EQ(json["auto"]["display"], 2);
  EXPECT_NE(json["auto"]["display_reason"], "");
}

TEST(AdapterList, WithoutAPair_ItIsSaidWhy) {
  config::AdapterInfo soft;
  soft.name = "soft";
  soft.can_display = true;
  const std::vector<config::AdapterInfo> list{soft};
  EXPECT_NE(ToTable(list, {}, {}).find("there is no pair: "), std::string::npos) << ToTable(list, {}, {});
  EXPECT_TRUE(nlohmann::json::parse(ToJson(list, {}, {}))["auto"].is_null());
}

TEST(AdapterList, Json_WithoutPciAddress_IsNull) {
  config::AdapterInfo soft;
  soft.name = "soft";
  const std::vector<config::AdapterInfo> list{soft};
  EXPECT_TRUE(nlohmann::json::parse(ToJson(list, {}, {}))["adapters"][0]["pci_address"].is_null());
}

TEST(AdapterList, CachedList_SaysHowDevicesAreOpened) {
  const std::vector<config::AdapterInfo> list{Gpu()};
  const std::string table = ToTable(list, {}, {}, true);
  EXPECT_TRUE(table.ends_with("This list is from the cache, and no device was opened; 'tandem adapters --wake' opens them.\n"));
  EXPECT_EQ(ToTable(list, {}, {}).find("--wake"), std::string::npos);
  const auto json = nlohmann::json::parse(ToJson(list, {}, {}, true));
  EXPECT_EQ(json["cached"], true);
  EXPECT_TRUE(json["closed_nodes"].is_null());
  EXPECT_EQ(nlohmann::json::parse(ToJson(list, {}, {}))["cached"], false);
}

TEST(AdapterList, Links_AreToldWithWhatTheyAre) {
  const std::vector<config::AdapterInfo> list{Gpu(), Gpu()};
  const std::vector<system::AdapterLink> links{{{12'300'000'000, 21'000}, {11'000'000'000, 23'000}, {}},
                                               {{}, {}, "Its memory is the system's."}};
  const std::string table = ToTable(list, links, {});
  EXPECT_NE(table.find("link     out 12300 MB/s after 21 us, in 11000 MB/s after 23 us (measured)"), std::string::npos) << table;
  EXPECT_NE(table.find("link     none: Its memory is the system's."), std::string::npos) << table;
  const auto json = nlohmann::json::parse(ToJson(list, links, {}));
  EXPECT_EQ(json["adapters"][0]["link"]["out_bytes_per_second"], 12'300'000'000);
  EXPECT_EQ(json["adapters"][0]["link"]["in_latency_ns"], 23'000);
  EXPECT_EQ(json["adapters"][1]["link"]["none"], "Its memory is the system's.");
  EXPECT_FALSE(nlohmann::json::parse(ToJson(list, {}, {}))["adapters"][0].contains("link"));
}

}  // namespace
}  // namespace tandem::cli
