// The layer from the loader's and the linker's view.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr char kValidation[] = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json";

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

// The loader lists the chain from the program downwards.
void ExpectOrder(const std::string& log, const char* upper, const char* lower) {
  const std::size_t chain = log.rfind("<Application>");
  ASSERT_NE(chain, std::string::npos) << log;
  const std::size_t above = log.find(upper, chain);
  const std::size_t below = log.find(lower, chain);
  ASSERT_NE(above, std::string::npos) << log.substr(chain);
  ASSERT_NE(below, std::string::npos) << log.substr(chain);
  EXPECT_LT(above, below) << log.substr(chain);
}

// Loader 1.3.239 takes listed layers in the order of their folders, later ones in the order of the list; here both are the same.
TEST(LayerChain, KhronosValidationBelowUs_HasNothingToSay) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (!std::filesystem::exists(kValidation)) GTEST_SKIP() << "The validation layer is not installed.";
  const std::string share = std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/')) + "/share";
  const ProcessResult result =
      WithLayer(*server, {{"VK_INSTANCE_LAYERS", "VK_LAYER_TANDEM_present_listed:VK_LAYER_KHRONOS_validation"},
                          {"XDG_DATA_DIRS", share + ":/usr/share"},
                          {"VK_LOADER_DEBUG", "layer"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("VUID"), std::string::npos) << result.out;
  ExpectOrder(result.err, "VK_LAYER_TANDEM_present", "VK_LAYER_KHRONOS_validation");
}

// Implicit layers are above explicit ones, in the search order of their folders. The validation layer therefore gets an
// implicit layer's manifest in the first folder.
TEST(LayerChain, KhronosValidationAboveUs_HasNothingToSay) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  std::ifstream installed(kValidation);
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
  ExpectOrder(result.err, "VK_LAYER_KHRONOS_validation", "VK_LAYER_TANDEM_present");
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
