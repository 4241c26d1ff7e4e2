#include "drivers/vulkan/display/frame_copier.h"

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/vulkan/display/frame_recording.h"
#include "drivers/vulkan/testing/test_gpu.h"
#include "drivers/vulkan/testing/x_window.h"

namespace tandem::vulkan {
namespace {

using testing::Driver;
using testing::TestFrame;

constexpr std::uint32_t kFrameWidth = 64;
constexpr std::uint32_t kFrameHeight = 48;
constexpr std::int64_t kFramePatienceNs = 20'000'000'000;

class FrameCopierTest : public ::testing::TestWithParam<Driver> {
 protected:
  void SetUp() override {
    std::string why_not;
    gpu_ = testing::OpenGpu(GetParam(), why_not);
    if (gpu_ == nullptr) GTEST_SKIP() << why_not;
    window_ = testing::XWindow::Create(kFrameWidth, kFrameHeight);
    if (window_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
    const Gpu::Queue& queue = gpu_->queue(kRenderNode);
    const WsiDevice device{gpu_->vk(),   gpu_->instance(), gpu_->get_instance_proc_addr(), gpu_->physical(), gpu_->device(),
                           queue.handle, queue.family,     gpu_->LockOf(queue.handle)};
    auto presenter = WsiPresenter::Create(device, window_->target());
    ASSERT_TRUE(presenter.ok()) << presenter.error().message;
    presenter_ = *std::move(presenter);
    auto copier = FrameCopier::Create(*gpu_);
    ASSERT_TRUE(copier.ok()) << copier.error().message;
    copier_ = *std::move(copier);
    ASSERT_TRUE(presenter_->Configure(VK_FORMAT_B8G8R8A8_UNORM, {kFrameWidth, kFrameHeight}, WsiPacing::kVerticalBlank).ok());
  }

  FrameTarget Acquire() {
    FrameTarget target;
    const auto image = presenter_->Acquire(kFramePatienceNs);
    EXPECT_TRUE(image.ok()) << image.error().message;
    if (image.ok()) target.image = *image;
    target.extent = presenter_->extent();
    target.format = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_UNDEFINED};
    return target;
  }

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<testing::XWindow> window_;
  std::unique_ptr<WsiPresenter> presenter_;
  std::unique_ptr<FrameCopier> copier_;
};

TEST_P(FrameCopierTest, Copy_SteadyState_RecordsNothingMore) {
  TestFrame frame(*gpu_, kFrameWidth, kFrameHeight, color::Format::kB8G8R8A8Unorm);
  std::uint64_t recorded_early = 0;
  for (int number = 0; number < 40; ++number) {
    const FrameTarget target = Acquire();
    const auto copied = copier_->Copy(frame.copy(), target);
    ASSERT_TRUE(copied.ok()) << copied.error().message;
    copier_->Await(*copied);
    ASSERT_TRUE(presenter_->QueueImage(target.image).ok());
    if (number == 19) recorded_early = copier_->recorded();
  }
  EXPECT_EQ(copier_->recorded(), recorded_early);
  copier_->Forget(*frame.copy().source);
}

TEST_P(FrameCopierTest, Forget_Source_RecordsAnew) {
  TestFrame frame(*gpu_, kFrameWidth, kFrameHeight, color::Format::kB8G8R8A8Unorm);
  FrameTarget target = Acquire();
  auto copied = copier_->Copy(frame.copy(), target);
  ASSERT_TRUE(copied.ok());
  copier_->Await(*copied);
  copier_->Forget(*frame.copy().source);
  target.written = true;
  copied = copier_->Copy(frame.copy(), target);
  ASSERT_TRUE(copied.ok());
  copier_->Await(*copied);
  EXPECT_EQ(copier_->recorded(), 2u);
  EXPECT_TRUE(presenter_->QueueImage(target.image).ok());
}

TEST_P(FrameCopierTest, FrameRegions_WindowSmallerThanTheFrame_IsTheIntersection) {
  TestFrame frame(*gpu_, kFrameWidth, kFrameHeight, color::Format::kB8G8R8A8Unorm);
  FrameTarget target;
  target.extent = {kFrameWidth - 10, kFrameHeight + 10};
  const auto regions = FrameRegions(frame.copy(), target);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].imageExtent.width, kFrameWidth - 10);
  EXPECT_EQ(regions[0].imageExtent.height, kFrameHeight);
}

TEST_P(FrameCopierTest, FrameRegions_Rectangles_AreTheFrameWhereItIsWantedWhole) {
  TestFrame frame(*gpu_, kFrameWidth, kFrameHeight, color::Format::kB8G8R8A8Unorm);
  CopyCommand part = frame.copy();
  part.rects[0] = {5, 6, 15, 26};
  FrameTarget target;
  target.extent = {kFrameWidth, kFrameHeight};
  EXPECT_EQ(FrameRegions(part, target)[0].imageExtent.width, kFrameWidth);
  target.whole = false;
  const auto regions = FrameRegions(part, target);
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].imageOffset.x, 5);
  EXPECT_EQ(regions[0].imageExtent.width, 10u);
  EXPECT_EQ(regions[0].imageExtent.height, 20u);
}

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, FrameCopierTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return testing::NameOf(each.param); });

}  // namespace
}  // namespace tandem::vulkan
