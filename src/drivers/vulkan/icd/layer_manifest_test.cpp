#include "drivers/vulkan/icd/layer_manifest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <unistd.h>

#include "drivers/vulkan/icd/manifest_files.h"

namespace tandem::vulkan {
namespace {

constexpr char kPath[] = "/opt/layers/explicit_layer.d/good.json";

std::string Layer(const std::string& name, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "library_path": "./lib.so")" + more + "}";
}
std::string Text(const std::string& members) { return R"({"file_format_version": "1.1.2", )" + members + "}"; }

TEST(LayerManifest, Parse_OneLayer_HasItsLibraryAndFunctions) {
  const auto layers = ParseLayerManifest(
      Text(R"("layer": )" + Layer("VK_LAYER_A", R"(, "functions": {"vkGetInstanceProcAddr": "a_Get"})")), kPath);
  ASSERT_TRUE(layers.ok()) << layers.error().message;
  ASSERT_EQ(layers->size(), 1U);
  EXPECT_EQ(layers->front().name, "VK_LAYER_A");
  EXPECT_EQ(layers->front().library, "/opt/layers/explicit_layer.d/./lib.so");
  EXPECT_EQ(layers->front().get_instance_proc_addr, "a_Get");
  EXPECT_EQ(layers->front().get_device_proc_addr, "vkGetDeviceProcAddr");
  EXPECT_EQ(layers->front().negotiate, "vkNegotiateLoaderLayerInterfaceVersion");
}

TEST(LayerManifest, Parse_SeveralLayers_LeavesOutNamesForOthers) {
  const auto layers = ParseLayerManifest(
      Text(R"("layers": [)" + Layer("A") + R"(, {"name": "Both", "component_layers": ["A", "B"]}, )" + Layer("B") + "]"), kPath);
  ASSERT_TRUE(layers.ok()) << layers.error().message;
  ASSERT_EQ(layers->size(), 2U);
  EXPECT_EQ(layers->at(0).name, "A");
  EXPECT_EQ(layers->at(1).name, "B");
}

TEST(LayerManifest, Parse_Hostile_AnswersASentence) {
  const std::string cases[] = {
      "",
      "[]",
      R"({"layer": {"name": "A", "library_path": "a.so"}})",
      Text(R"("layer": 7)"),
      Text(R"("layer": {"library_path": "a.so"})"),
      Text(R"("layer": {"name": 7, "library_path": "a.so"})"),
      Text(R"("layer": {"name": "", "library_path": "a.so"})"),
      Text(R"("layer": {"name": "A"})"),
      Text(R"("layer": {"name": "A", "library_path": "a\u0000b"})"),
      Text(R"("layer": {"name": "A", "library_path": "a.so", "library_arch": "32"})"),
      Text(R"("layers": [)" + Layer("A") + ", null]"),
      Text(R"("layer": )" + Layer(std::string(kMaxManifestBytes, 'x'))),
  };
  for (const std::string& text : cases) {
    const auto layers = ParseLayerManifest(text, kPath);
    ASSERT_FALSE(layers.ok()) << text.substr(0, 100);
    EXPECT_EQ(layers.error().message.find(std::string("Manifest ") + kPath), 0U) << layers.error().message;
  }
}

class FindLayersTest : public ::testing::Test {
 protected:
  FindLayersTest() : folder_(std::filesystem::temp_directory_path() / ("tandem-layers-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    setenv("VK_LAYER_PATH", folder_.c_str(), 1);
    for (const char* const variable : {"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"})
      setenv(variable, "/nowhere", 1);
  }
  ~FindLayersTest() override {
    std::filesystem::remove_all(folder_);
    for (const char* const variable : {"VK_LAYER_PATH", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"})
      unsetenv(variable);
  }
  void Install(const std::string& name) const { std::ofstream(folder_ / (name + ".json")) << Text(R"("layer": )" + Layer(name)); }
  static Result<std::vector<LayerManifest>> Find(const std::vector<std::string>& names) { return FindLayers(names); }

  const std::filesystem::path folder_;
};

TEST_F(FindLayersTest, NamesAndParts_GiveLayersInTheirOrder) {
  Install("VK_LAYER_ALPHA_one");
  Install("VK_LAYER_BETA_two");
  const auto found = Find({"beta", "VK_LAYER_ALPHA_one", "two"});
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0).name, "VK_LAYER_BETA_two");
  EXPECT_EQ(found->at(1).name, "VK_LAYER_ALPHA_one");
}

TEST_F(FindLayersTest, NameThatIsPartOfAnother_IsTheLayerItself) {
  Install("VK_LAYER_A");
  Install("VK_LAYER_A_more");
  const auto found = Find({"VK_LAYER_A"});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->front().name, "VK_LAYER_A");
}

TEST_F(FindLayersTest, PartOfSeveral_IsRefusedWithTheirNames) {
  Install("VK_LAYER_A_one");
  Install("VK_LAYER_A_two");
  const auto found = Find({"layer_a"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "'layer_a' fits several Vulkan layers: VK_LAYER_A_one, VK_LAYER_A_two.");
}

TEST_F(FindLayersTest, OwnLayerAndTornManifest_AreNotThere) {
  Install(std::string(kOwnLayer));
  std::ofstream(folder_ / "torn.json") << "{";
  EXPECT_EQ(Find({"tandem"}).error().message, "There is no Vulkan layer 'tandem'. Installed are: none.");
  Install("VK_LAYER_A");
  EXPECT_EQ(Find({"b"}).error().message, "There is no Vulkan layer 'b'. Installed are: VK_LAYER_A.");
}

}  // namespace
}  // namespace tandem::vulkan
