#include "drivers/vulkan/link/link_engine.h"
#include "color/format.h"
#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"
#include "link/trial/encoding_trial.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/vulkan/gpu/link_probe.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/discrete_gpu.h"
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

// A picture that crosses to a link surface and back, by the engine that the adapter chooses.
class ChosenEngine {
 public:
  explicit ChosenEngine(const DeviceDescription& description) : kernel_(FakeKernel::Start(description, Pages::kAnonymous)) {
    const auto make = [&](AllocationKind kind, color::Format format) {
      auto data = DescribeSurface(kind, 64, 32, format, 0);
      data->image_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
      return kernel_->CreateRaw(*data);
    };
    drawn_ = make(AllocationKind::kImage, color::Format::kB8G8R8A8Unorm);
    surface_ = make(AllocationKind::kLinear, link::kLinkFormat);
    link::InitializeLinkSurface(bytes(), link::LinkSliceRows(32, 1));
  }
  ~ChosenEngine() {
    kernel_->Destroy(std::move(drawn_));
    kernel_->Destroy(std::move(surface_));
  }

  // True if a shader encoded the next frame.
  bool EncodesByShader(link::LinkEncoding encoding) {
    link::RequestLinkFrame(bytes(), ++frame_, encoding);
    return Cross(*drawn_, *surface_);
  }
  bool DecodesByShader() { return Cross(*surface_, *drawn_); }
  [[nodiscard]] Blitter::Counters counters() {
    return static_cast<Miniport*>(kernel_->adapter())->blitter(kernel_->node()).counters();
  }

 private:
  [[nodiscard]] std::span<std::byte> bytes() { return {surface_->pages, surface_->data.size}; }
  bool Cross(TestResource& from, TestResource& to) {
    const Blitter::Counters before = counters();
    DXGKARG_PRESENT args{};
    args.SrcRect = args.DstRect = {0, 0, 64, 32};
    args.Flags.Blt = 1;
    EXPECT_TRUE(kernel_->WaitFence(kernel_->Present(&from, to, args)));
    const Blitter::Counters after = counters();
    EXPECT_EQ(after.by_shader + after.by_processor, before.by_shader + before.by_processor + 1);
    return after.by_shader != before.by_shader;
  }

  std::unique_ptr<FakeKernel> kernel_;
  std::unique_ptr<TestResource> drawn_;
  std::unique_ptr<TestResource> surface_;
  std::uint64_t frame_ = 0;
};

class KnownAnswers final : public DeviceMemory {
 public:
  std::optional<std::string> Recall(const std::string& what) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = answers_.find(what);
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }
  void Keep(const std::string& what, const std::string& answer) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    answers_[what] = answer;
    ++kept_;
  }
  [[nodiscard]] int kept() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return kept_;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
  int kept_ = 0;
};

// A program's device that is borrowed to the adapter. Its validation layer is heard at the end.
class LinkEngineTest : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
  }
  void TearDown() override {
    if (application_ == nullptr) return;
    application_->WaitIdle();
    for (const std::string& message : application_->messages()) ADD_FAILURE() << message;
  }
  [[nodiscard]] DeviceDescription Describe(const BorrowedDevice& borrowed) const {
    DeviceDescription description;
    description.borrowed = borrowed;
    description.memory = memory_;
    return description;
  }

  std::unique_ptr<Application> application_;
  std::shared_ptr<KnownAnswers> memory_ = std::make_shared<KnownAnswers>();
};

TEST_P(LinkEngineTest, SoftwareDevice_IsTheProcessors_AndNoShaderIsTried) {
  const DeviceDescription description = Describe(application_->Borrow());
  {
    ChosenEngine engine(description);
    for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
      if (!link::IsBuilt(encoding)) continue;
      EXPECT_FALSE(engine.EncodesByShader(encoding)) << link::ToString(encoding);
      EXPECT_FALSE(engine.DecodesByShader()) << link::ToString(encoding);
    }
    EXPECT_EQ(engine.counters().recorded, 0U);
  }
  EXPECT_EQ(memory_->kept(), 0);
}

// The software device says that it is a GPU, so both engines are tried; what they take here does not matter.
TEST_P(LinkEngineTest, Gpu_FirstFrameIsTheProcessors_AndTheAnswerIsKept) {
  const DeviceDescription description = Describe(AsDiscreteGpu(application_->Borrow()));
  {
    ChosenEngine engine(description);
    EXPECT_FALSE(engine.EncodesByShader(link::LinkEncoding::kBc1));
    while (memory_->kept() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(ParseLinkVerdict(*memory_->Recall("encoding bc1")).has_value());
  }
  // A known answer is not tried again: a later program gets its shader as soon as that is made.
  memory_->Keep("encoding bc1", "shader");
  {
    ChosenEngine engine(description);
    while (!engine.EncodesByShader(link::LinkEncoding::kBc1)) {
    }
    EXPECT_TRUE(engine.EncodesByShader(link::LinkEncoding::kBc1));
  }
  EXPECT_EQ(memory_->kept(), 2);
}

// The adapter stops in the midst of a trial.
TEST_P(LinkEngineTest, StoppedDuringATrial_LeavesNothing) {
  const DeviceDescription description = Describe(AsDiscreteGpu(application_->Borrow()));
  EXPECT_FALSE(ChosenEngine(description).EncodesByShader(link::LinkEncoding::kPacked));
}

// Nobody relies on it there; it shows that both ways are timed.
TEST_P(LinkEngineTest, ProbeLink_HasAFigureForEachWay) {
  for (const bool import : {true, false}) {
    BorrowedDevice borrowed = application_->Borrow();
    borrowed.external_memory_host = borrowed.external_memory_host && import;
    const auto gpu = Gpu::Adopt(borrowed);
    ASSERT_TRUE(gpu.ok());
    const auto probe = ProbeLink(**gpu, MonotonicClock());
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    EXPECT_GT(probe->out.bytes_per_second, 0U);
    EXPECT_GT(probe->in.bytes_per_second, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkEngineTest, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& tested) { return tested.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan::testing
