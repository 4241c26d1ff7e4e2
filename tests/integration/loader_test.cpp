// Vulkan loaders newer than Debian's: scripts/fetch_swiftshader.sh puts Chromium's loader beside SwiftShader.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {
namespace fs = std::filesystem;

// The folder of libvulkan.so.1; empty if it is missing.
std::string ChromiumLoader() {
  const char* swiftshader = std::getenv("TANDEM_TEST_SWIFTSHADER_ICD");
  if (swiftshader != nullptr) {
    const fs::path fetched = fs::absolute(swiftshader).parent_path() / "loader";
    if (fs::exists(fetched / "libvulkan.so.1")) return fetched.string();
  }
  return fs::exists("/usr/lib/chromium/libvulkan.so.1") ? "/usr/lib/chromium" : "";
}

void ShowFrames(const std::string& loader, const VulkanDriver& driver, const char* form) {
  SCOPED_TRACE(driver.name);
  const ScratchFolder scratch;
  const std::string raw = scratch.File("frames.raw");
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("LD_LIBRARY_PATH", loader);
  run.options = {"--as", form, "--render", driver.selector, "--display", "soft", "--output", "raw:" + raw};
  run.program = {Program("tandem_paint"), "--frames", "20", "--mode", "fifo"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_EQ(result.stats["frames_shown"], 20) << result.process.err;
  std::uint32_t frames = 0;
  const auto broken = ForEachRawFrame(raw, [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto wrong = CheckPattern(frame, number);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    EXPECT_EQ(number, frames++);
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
}

TEST(ChromiumsLoader, EachDriver_ShowsFramesThroughTandem) {
  const std::string loader = ChromiumLoader();
  if (loader.empty()) GTEST_SKIP() << "Chromium's libvulkan.so.1 is neither beside SwiftShader nor in /usr/lib/chromium.";
  for (const char* form : {"layer", "driver"}) {
    SCOPED_TRACE(form);
    for (const VulkanDriver& driver : VulkanDrivers()) ShowFrames(loader, driver, form);
  }
}

TEST(ChromiumsLoader, QueryWithoutASurface_IsAnsweredInBothForms) {
  const std::string loader = ChromiumLoader();
  if (loader.empty()) GTEST_SKIP() << "Chromium's libvulkan.so.1 is neither beside SwiftShader nor in /usr/lib/chromium.";
  for (const char* form : {"layer", "driver"}) {
    SCOPED_TRACE(form);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("LD_LIBRARY_PATH", loader);
    run.options = {"--as", form, "--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "headless"};
    run.program = {Program("tandem_queries"), "--without-surface"};
    const TandemResult result = RunTandem(run);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  }
}

}  // namespace
}  // namespace tandem::test
