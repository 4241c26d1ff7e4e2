#include "cli/adapters.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::cli {
namespace {

coproc::AdapterInfo Gpu() {
  coproc::AdapterInfo gpu;
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
  const std::vector<coproc::AdapterInfo> list{Gpu()};
  const std::string table = ToTable(list);
  for (const char* expected : {"1  A GPU", "discrete, render, display", "vulkan: Driver 1.2", "10de:2335 at 0000:01:00.0",
                               "01020000-0000-0000-0000-000000000000", "2: It renders", "1.5 GiB", "wsi-xcb, wsi-wayland"}) {
    EXPECT_NE(table.find(expected), std::string::npos) << expected << "\n" << table;
  }
}

TEST(AdapterList, Json_IsValidWhateverTheDriverCallsItself) {
  const std::vector<coproc::AdapterInfo> list{Gpu()};
  const auto json = nlohmann::json::parse(ToJson(list));
  ASSERT_EQ(json["adapters"].size(), 1u);
  EXPECT_EQ(json["adapters"][0]["index"], 1);
  EXPECT_EQ(json["adapters"][0]["tier"], 2);
  EXPECT_EQ(json["adapters"][0]["pci_address"], "0000:01:00.0");
}

TEST(AdapterList, Json_WithoutPciAddress_IsNull) {
  coproc::AdapterInfo soft;
  soft.name = "soft";
  const std::vector<coproc::AdapterInfo> list{soft};
  EXPECT_TRUE(nlohmann::json::parse(ToJson(list))["adapters"][0]["pci_address"].is_null());
}

}  // namespace
}  // namespace tandem::cli
