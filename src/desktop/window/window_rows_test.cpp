#include "desktop/window/window_rows.h"

#include <gtest/gtest.h>

#include "swapchain/swap_chain.h"

namespace tandem::desktop {
namespace {

constexpr std::int64_t kNowNs = 100'000'000'000;

TEST(AdapterRows_Adapter_SaysWhatItCanDo, OnTwoLines) {
  config::AdapterInfo adapter;
  adapter.name = "GPU\x1b";
  adapter.kind = "discrete";
  adapter.can_render = true;
  adapter.pci_address = "0000:01:00.0";
  adapter.memory_bytes = 8ULL << 30;
  adapter.driver_detail = "NVIDIA 550.78";
  adapter.tier_reason = "It copies.";
  EXPECT_EQ(AdapterRows(std::vector{adapter}),
            (std::vector<WindowRow>{{"GPU?", "discrete, renders, at 0000:01:00.0, 8.0 GiB, NVIDIA 550.78\nIt copies."}}));
}

TEST(RunningRows_Programs_HaveTheirFrameRateAndPath, OrAreIdle) {
  status::LiveSwapChain chain;
  chain.reported_ns = kNowNs;
  chain.width = 640;
  chain.height = 480;
  chain.path = swapchain::Path::kOneCopy;
  chain.millihertz = 59'940;
  chain.render = "A";
  chain.display = "B";
  chain.path_reason = "B scans out.";
  status::LivePrograms found;
  found.programs.push_back({{1, 1, 1}, "vkcube", {chain}});
  found.programs.push_back({{2, 1, 1}, "starts", {}});
  EXPECT_EQ(RunningRows(found, kNowNs),
            (std::vector<WindowRow>{{"vkcube: 59.9 frames/s", "A → B, 640 × 480\nPath one-copy: B scans out."},
                                    {"starts", "shows nothing yet"}}));
  EXPECT_EQ(RunningRows(found, kNowNs + 3'000'000'000)[0].title, "vkcube: idle");
}

TEST(ProgramRows_UsersFile_IsShownWithoutTheVendors, ByProgram) {
  const auto users = config::ParsePolicyText(
      "[default]\nrender = \"0\"\n[app.vkcube]\nuse = \"always\"\nrender = \"0000:01:00.0\"\n[app.\"steam:440\"]\nuse = "
      "\"never\"\n",
      "tandem.toml", config::Source::kFile);
  const auto vendors = config::ParsePolicyText("[app.sh]\nuse = \"never\"\n", "vendor.toml", config::Source::kVendor);
  EXPECT_EQ(ProgramRows(std::vector{vendors, users}),
            (std::vector<ProgramRow>{{"vkcube", config::Use::kAlways, "0000:01:00.0"}, {"steam:440", config::Use::kNever, ""}}));
}

}  // namespace
}  // namespace tandem::desktop
