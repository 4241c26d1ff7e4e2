#include "drivers/vulkan/kmd/link_engine.h"

#include <array>
#include <cstddef>
#include <vector>

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

// Runs of which each takes as long as it is told; behind the last of them none is expected.
struct ToldRuns {
  std::vector<std::int64_t> took_us;
  std::size_t done = 0;
  Result<std::int64_t> Next() {
    if (done == took_us.size()) return Fail(ErrorKind::kLimit, "Run {} was not expected.", done);
    return took_us[done++] * kUs;
  }
};

LinkEngineTimes TimesOf(VkPhysicalDeviceType device, ToldRuns processor, ToldRuns shader) {
  const auto times = ShortestTimes(
      32768, device, [&] { return processor.Next(); }, [&] { return shader.Next(); });
  EXPECT_TRUE(times.ok()) << times.error().message;
  EXPECT_EQ(processor.done, processor.took_us.size());
  EXPECT_EQ(shader.done, shader.took_us.size());
  return times.ok() ? *times : LinkEngineTimes();
}

TEST(LinkEngine, ShortestTimes_TwoRunsDecide_AndTheFirstOfAllDoesNotCount) {
  const LinkEngineTimes times = TimesOf(VK_PHYSICAL_DEVICE_TYPE_CPU, {{10, 90, 60}}, {{10, 1500, 1400}});
  EXPECT_EQ(times.pixels, 32768U);
  EXPECT_EQ(times.processor_ns, 60 * kUs);
  EXPECT_EQ(times.shader_ns, 1400 * kUs);
}

TEST(LinkEngine, ShortestTimes_OneRunThatWasHeldUp_DecidesNothing) {
  constexpr std::int64_t kHeldUp = 50'000;
  for (const auto device : {VK_PHYSICAL_DEVICE_TYPE_CPU, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU}) {
    for (std::size_t which = 1; which <= 3; ++which) {
      // The shader is ahead: all runs are wanted, and it stays ahead.
      std::vector<std::int64_t> behind(4, 1200), ahead(4, 180);
      ahead[which] = kHeldUp;
      EXPECT_TRUE(IsShaderCheaper(TimesOf(device, {behind}, {ahead})));
      // It is far behind, as on software devices: known as soon as two runs of each, of which one may be held up, show it.
      std::vector<std::int64_t> processor(3, 60), shader(3, 9000);
      if (which < processor.size()) processor[which] = kHeldUp;
      const LinkEngineTimes times = TimesOf(device, {processor}, {shader});
      EXPECT_FALSE(IsShaderCheaper(times));
      EXPECT_TRUE(IsDecided(times, device));
    }
  }
}

TEST(LinkEngine, ShortestTimes_ARunThatFails_IsTheAnswer) {
  ToldRuns processor{{60, 60}}, shader{{9000}};
  const auto times = ShortestTimes(
      32768, VK_PHYSICAL_DEVICE_TYPE_CPU, [&] { return processor.Next(); }, [&] { return shader.Next(); });
  ASSERT_FALSE(times.ok());
  EXPECT_EQ(times.error().kind, ErrorKind::kLimit);
}

TEST(LinkEngine, TheCheaperPassesAreTaken) {
  EXPECT_EQ(CheaperPasses({32768, 90 * kUs, 120 * kUs}), YuvPasses::kFused);
  EXPECT_EQ(CheaperPasses({32768, 120 * kUs, 90 * kUs}), YuvPasses::kThree);
  EXPECT_EQ(CheaperPasses({32768, 90 * kUs, 90 * kUs}), YuvPasses::kFused);
}

class LinkEngineTest : public ::testing::TestWithParam<Icd> {};

// Each encoding is timed by itself, once: from then on it is coded by who was cheaper, whoever that was. These are software
// devices: tiles are timed only where the shader was cheaper with packed pixels.
TEST_P(LinkEngineTest, EachEncoding_IsTimedAtItsFirstFrame_AndStaysWithOneEngine) {
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
  std::array<bool, 2> packed_by_shader{};
  for (const auto encoding : {codec::LinkEncoding::kPacked, codec::LinkEncoding::kLossless, codec::LinkEncoding::kYuv420,
                              codec::LinkEncoding::kPlain}) {
    if (!codec::IsBuilt(encoding)) continue;
    std::array<bool, 2> by_shader{};  // the first frame of each direction
    for (const bool timed : {true, false}) {
      codec::WishLinkFrame(bytes, ++frame, encoding);
      for (const bool encodes : {true, false}) {
        const Blitter::Counters before = counters();
        DXGKARG_PRESENT args{};
        args.SrcRect = args.DstRect = {0, 0, 64, 32};
        args.Flags.Blt = 1;
        EXPECT_TRUE(kernel->WaitFence(kernel->Present(encodes ? drawn.get() : surface.get(), encodes ? *surface : *drawn, args)));
        const Blitter::Counters after = counters();
        const bool shader = after.by_shader != before.by_shader;
        EXPECT_EQ(after.by_shader + after.by_processor, before.by_shader + before.by_processor + 1) << codec::ToString(encoding);
        if (timed) by_shader[encodes] = shader;
        EXPECT_EQ(shader, by_shader[encodes]) << codec::ToString(encoding);
        // A trial records what the shader does; so does its first frame.
        const bool tries = timed && (encoding != codec::LinkEncoding::kLossless || packed_by_shader[encodes]);
        if (tries || !shader) {
          EXPECT_EQ(after.recorded > before.recorded, tries) << codec::ToString(encoding);
        }
      }
    }
    if (encoding == codec::LinkEncoding::kPacked) packed_by_shader = by_shader;
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
