// The layer from the loader's and the linker's view.
#include <filesystem>
#include <fstream>
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
                                      "tandemEnumerateInstanceExtensionProperties",
                                      "tandemVersion",
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

// Runs the test application in a window with another layer in the chain; the result contains that layer's output.
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
  // A layer listed later is below ours.
  const ProcessResult result =
      WithLayer(*server, {{"VK_INSTANCE_LAYERS", "VK_LAYER_TANDEM_present_listed:VK_LAYER_KHRONOS_validation"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("VUID"), std::string::npos) << result.out;
  EXPECT_EQ(result.err, "");
}

// Implicit layers are above explicit ones, in the search order of their folders. The validation layer therefore gets an
// implicit layer's manifest in the first folder.
TEST(LayerChain, KhronosValidationAboveUs_HasNothingToSay) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  std::ifstream installed("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json");
  auto manifest = nlohmann::json::parse(installed, nullptr, false);
  if (!manifest.is_object()) GTEST_SKIP() << "The validation layer is not installed.";
  auto& layer = manifest["layer"];
  layer["enable_environment"] = {{"TANDEM_TEST_VALIDATE", "1"}};
  layer["disable_environment"] = {{"TANDEM_TEST_DO_NOT_VALIDATE", "1"}};
  const ScratchFolder data;
  std::filesystem::create_directories(data.File("vulkan/implicit_layer.d"));
  std::ofstream(data.File("vulkan/implicit_layer.d/validation.json")) << manifest;
  const ProcessResult result =
      WithLayer(*server, {{"TANDEM_TEST_VALIDATE", "1"}, {"XDG_CONFIG_DIRS", data.File("")}, {"VK_LOADER_DEBUG", "layer"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("VUID"), std::string::npos) << result.out;
  // The loader lists the chain from the program downwards.
  const std::size_t chain = result.err.rfind("<Application>");
  ASSERT_NE(chain, std::string::npos) << result.err;
  const std::size_t validation = result.err.find("VK_LAYER_KHRONOS_validation", chain);
  const std::size_t ours = result.err.find("VK_LAYER_TANDEM_present", chain);
  ASSERT_NE(validation, std::string::npos) << result.err;
  ASSERT_NE(ours, std::string::npos) << result.err;
  EXPECT_LT(validation, ours) << result.err.substr(chain);
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
