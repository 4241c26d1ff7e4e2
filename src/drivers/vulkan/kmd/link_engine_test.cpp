#include "drivers/vulkan/kmd/link_engine.h"

#include <gtest/gtest.h>

#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/link_probe.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::int64_t kUs = 1000;

TEST(LinkEngine, AShaderThatIsFarBehindOnASmallPicture_IsNotTriedOnALargeOne) {
  constexpr VkPhysicalDeviceType kGpu = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  constexpr VkPhysicalDeviceType kSoftware = VK_PHYSICAL_DEVICE_TYPE_CPU;
  EXPECT_TRUE(IsDecided({32768, 60 * kUs, 9000 * kUs}, kGpu));
  // What a submission takes may be all of it; a software device's takes next to nothing.
  EXPECT_FALSE(IsDecided({32768, 60 * kUs, 1500 * kUs}, kGpu));
  EXPECT_TRUE(IsDecided({32768, 60 * kUs, 1500 * kUs}, kSoftware));
  for (const VkPhysicalDeviceType device : {kGpu, kSoftware}) {
    EXPECT_FALSE(IsDecided({32768, 4000 * kUs, 9000 * kUs}, device));
    EXPECT_FALSE(IsDecided({32768, 60 * kUs, 50 * kUs}, device));
  }
}

TEST(LinkEngine, TheCheaperOneIsTaken) {
  EXPECT_TRUE(IsShaderCheaper({921600, 1200 * kUs, 180 * kUs}));
  EXPECT_FALSE(IsShaderCheaper({921600, 180 * kUs, 1200 * kUs}));
}

TEST(LinkEngine, TheCheaperPassesAreTaken) {
  EXPECT_EQ(CheaperPasses({32768, 90 * kUs, 120 * kUs}), YuvPasses::kFused);
  EXPECT_EQ(CheaperPasses({32768, 120 * kUs, 90 * kUs}), YuvPasses::kThree);
  EXPECT_EQ(CheaperPasses({32768, 90 * kUs, 90 * kUs}), YuvPasses::kFused);
}

class LinkEngineTest : public ::testing::TestWithParam<Icd> {};

// Software devices run shaders on the processor, which does better without them. Each encoding is timed by itself, once.
TEST_P(LinkEngineTest, ASoftwareDevice_CodesByTheProcessor) {
  std::string why_not;
  auto application = Application::Create(GetParam(), why_not);
  if (application == nullptr) GTEST_SKIP() << why_not;
  DeviceDescription description;
  description.lent = application->Lend();
  auto kernel = FakeKernel::Start(description, Pages::kAnonymous);
  ASSERT_NE(kernel, nullptr);
  const auto make = [&](AllocationKind kind, color::Format format) {
    auto data = DescribeSurface(kind, 64, 32, format, 0);
    data->image_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return kernel->CreateRaw(*data);
  };
  auto drawn = make(AllocationKind::kImage, color::Format::kB8G8R8A8Unorm);
  auto surface = make(AllocationKind::kLinear, codec::kLinkFormat);
  ASSERT_NE(drawn, nullptr);
  ASSERT_NE(surface, nullptr);
  const std::span<std::byte> bytes(surface->pages, surface->data.size);
  codec::InitializeLinkSurface(bytes, codec::LinkSliceRows(32, 1));
  const auto counters = [&] { return static_cast<Miniport*>(kernel->adapter())->blitter(kernel->node()).counters(); };
  std::uint64_t frame = 0;
  for (const auto encoding : {codec::LinkEncoding::kLossless, codec::LinkEncoding::kYuv420, codec::LinkEncoding::kPlain}) {
    if (!codec::IsBuilt(encoding)) continue;
    for (const bool timed : {true, false}) {
      codec::WishLinkFrame(bytes, ++frame, encoding);
      for (auto [from, to] : {std::pair(drawn.get(), surface.get()), std::pair(surface.get(), drawn.get())}) {
        const Blitter::Counters before = counters();
        DXGKARG_PRESENT args{};
        args.SrcRect = args.DstRect = {0, 0, 64, 32};
        args.Flags.Blt = 1;
        EXPECT_TRUE(kernel->WaitFence(kernel->Present(from, *to, args)));
        // Plain frames are a copy, which both do well.
        if (encoding == codec::LinkEncoding::kPlain && !timed) continue;
        EXPECT_EQ(counters().recorded > before.recorded, timed) << codec::ToString(encoding);
        if (encoding == codec::LinkEncoding::kPlain) continue;
        EXPECT_EQ(counters().by_processor - before.by_processor, 1U);
      }
    }
  }
  kernel->Destroy(std::move(drawn));
  kernel->Destroy(std::move(surface));
  kernel.reset();
  application->WaitIdle();
  for (const std::string& message : application->messages()) ADD_FAILURE() << message;
}

// Nobody relies on it there; it shows that both ways are timed.
TEST_P(LinkEngineTest, ProbeLink_HasAFigureForEachWay) {
  std::string why_not;
  auto application = Application::Create(GetParam(), why_not);
  if (application == nullptr) GTEST_SKIP() << why_not;
  for (const bool import : {true, false}) {
    LentDevice lent = application->Lend();
    lent.external_memory_host = lent.external_memory_host && import;
    const auto gpu = Gpu::Adopt(lent);
    ASSERT_TRUE(gpu.ok());
    const auto probe = ProbeLink(**gpu, MonotonicClock());
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    EXPECT_GT(probe->out.bytes_per_second, 0U);
    EXPECT_GT(probe->in.bytes_per_second, 0U);
  }
  for (const std::string& message : application->messages()) ADD_FAILURE() << message;
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkEngineTest, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& tested) { return tested.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan::testing
