// The layer as the loader and the linker see it.
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

TEST(LayerLibrary, DynamicSymbols_AreThoseThatALayerMustExport) {
  const ProcessResult result = RunProcess({"nm", "--dynamic", "--defined-only", "--format=posix", TANDEM_LAYER}, {}, 20000);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::set<std::string> allowed{"vkNegotiateLoaderLayerInterfaceVersion",
                                      "vkGetInstanceProcAddr",
                                      "vkGetDeviceProcAddr",
                                      "vkEnumerateInstanceLayerProperties",
                                      "vkEnumerateInstanceExtensionProperties",
                                      "vkEnumerateDeviceLayerProperties",
                                      "vkEnumerateDeviceExtensionProperties"};
  std::istringstream lines(result.out);
  bool negotiates = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string symbol = line.substr(0, line.find_first_of(" @"));
    EXPECT_TRUE(allowed.count(symbol) == 1) << "Exported: " << symbol;
    negotiates = negotiates || symbol == "vkNegotiateLoaderLayerInterfaceVersion";
  }
  EXPECT_TRUE(negotiates);
}

// Runs the painter in a window with another layer in the chain; what that layer printed is in the result.
ProcessResult WithLayer(const XServer& server, const Environment& added) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server.display());
  run.environment.insert(run.environment.end(), added.begin(), added.end());
  run.options = {"--display", "soft", "--path", "one-copy"};
  run.program = {Program("tandem_paint"), "--xcb", "--frames", "20", "--size", "320x240,333x251"};
  TandemResult result = RunTandem(run);
  EXPECT_TRUE(result.stats.is_object());
  if (result.stats.is_object()) {
    EXPECT_EQ(result.stats["frames_presented"], 40);
  }
  return result.process;
}

TEST(LayerChain, KhronosValidation_HasNothingToSay) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const ProcessResult result = WithLayer(*server, {{"VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("VUID"), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "");
}

TEST(LayerChain, MangoHud_WorksBesideUs) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (RunProcess({"sh", "-c", "ls /usr/share/vulkan/implicit_layer.d/MangoHud*"}, {}, 5000).exit_code != 0) {
    GTEST_SKIP() << "MangoHud is not installed.";
  }
  const ProcessResult result = WithLayer(*server, {{"MANGOHUD", "1"}});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace tandem::test
