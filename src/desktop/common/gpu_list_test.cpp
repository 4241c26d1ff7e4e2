#include "desktop/common/gpu_list.h"

#include <gtest/gtest.h>

namespace tandem::desktop {
namespace {

config::AdapterInfo Adapter(std::uint32_t index, std::string name, std::string kind, std::string pci_address) {
  config::AdapterInfo adapter;
  adapter.index = index;
  adapter.name = std::move(name);
  adapter.kind = std::move(kind);
  adapter.pci_address = std::move(pci_address);
  adapter.can_render = adapter.can_display = true;
  adapter.outputs = {"wsi-xcb"};
  return adapter;
}

std::vector<config::AdapterInfo> Laptop() {
  std::vector<config::AdapterInfo> list{Adapter(0, "GeForce RTX 4070", "discrete", "0000:01:00.0"),
                                        Adapter(1, "Radeon 780M", "integrated", "0000:05:00.0"),
                                        Adapter(2, "llvmpipe", "cpu", ""), Adapter(3, "Tandem software adapter", "cpu", "")};
  list[0].vendor_id = 0x10de;
  list[0].driver_detail = "NVIDIA 550.78";
  list[3].can_render = false;
  return list;
}

TEST(GpusFrom_Laptop, OffersBothGpusAndNoProcessor) {
  const auto gpus = GpusFrom(Laptop());
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].name, "GeForce RTX 4070");
  EXPECT_TRUE(gpus[0].is_discrete);
  EXPECT_FALSE(gpus[0].is_default);
  EXPECT_EQ(gpus[0].environment,
            (EnvironmentPairs{
                {"TANDEM_RENDER", "0000:01:00.0"}, {"__NV_PRIME_RENDER_OFFLOAD", "1"}, {"__GLX_VENDOR_LIBRARY_NAME", "nvidia"}}));
  EXPECT_TRUE(gpus[1].is_default);
  EXPECT_FALSE(gpus[1].is_discrete);
  EXPECT_EQ(gpus[1].environment, (EnvironmentPairs{{"TANDEM_RENDER", "0000:05:00.0"}}));
}

TEST(GpusFrom_MesaGpu, NamesItToOpenGlToo) {
  auto list = Laptop();
  list[0].driver_detail = "NVK Mesa 24.1";
  EXPECT_EQ(GpusFrom(list)[0].environment,
            (EnvironmentPairs{{"TANDEM_RENDER", "0000:01:00.0"}, {"DRI_PRIME", "pci-0000_01_00_0"}}));
}

TEST(GpusFrom_ProcessorsAlone, OneOfThemIsTheDefault) {
  const auto all = Laptop();
  const std::vector<config::AdapterInfo> one{all[2], all[3]};
  const auto single = GpusFrom(one);
  ASSERT_EQ(single.size(), 1u);
  EXPECT_TRUE(single[0].is_default);
  std::vector<config::AdapterInfo> two{all[2], all[2], all[3]};
  two[1].name = "SwiftShader";
  two[1].index = 3;
  const auto pair = GpusFrom(two);
  ASSERT_EQ(pair.size(), 2u);
  EXPECT_NE(pair[0].is_default, pair[1].is_default);
  EXPECT_TRUE(pair[1].is_default);  // Tandem renders on the first
  EXPECT_TRUE(GpusFrom(std::vector{all[3]}).empty());
}

TEST(GpusFrom_HiddenAdapter, IsNotOffered) {
  auto list = Laptop();
  list[0].hidden = true;
  const auto gpus = GpusFrom(list);
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].name, "Radeon 780M");
}

TEST(GpusFrom_HostileName, IsPrintable) {
  auto list = Laptop();
  list[0].name = "GPU\x1b[2J\xff";
  EXPECT_EQ(GpusFrom(list)[0].name, "GPU?[2J?");
}

TEST(LayerSwitch_Manifests, InTheLoadersFoldersNeedOneVariable) {
  EXPECT_EQ(LayerSwitch("/usr/share"), (EnvironmentPairs{{"TANDEM_ENABLE", "1"}}));
  const auto elsewhere = LayerSwitch("/opt/tandem/share");
  EXPECT_EQ(elsewhere[1].second, "/opt/tandem/share/vulkan/explicit_layer.d");
  EXPECT_EQ(elsewhere[2].second, "VK_LAYER_TANDEM_present_listed");
}

}  // namespace
}  // namespace tandem::desktop
