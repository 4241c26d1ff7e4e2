// The time when an image can be acquired: by then all work that its semaphore depends on must be on the device's queues.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "color/format.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::uint32_t kExtent = 16;
constexpr color::Format kFormat = color::Format::kB8G8R8A8Unorm;

class AcquireImageTest : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = application_->Borrow();
    // The processor then starts copies out of shared pages, on the node's worker.
    description_.borrowed->external_memory_host = false;
    kernel_ = FakeKernel::Start(description_, Pages::kAnonymous);
    ASSERT_NE(kernel_, nullptr);
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    SetApplicationImageInfo(kernel_->device(), info);
  }

  // Releases the image after `value` of the timeline, and copies it to `shared`.
  UINT Show(TestResource& image, TestResource& shared, VkSemaphore timeline, std::uint64_t value) {
    EXPECT_TRUE(ReleaseImage(kernel_->device(), image.handle, application_->queue(), {&timeline, 1}, {&value, 1}).ok());
    return kernel_->Blt(image, shared, {});
  }

  std::unique_ptr<Application> application_;
  DeviceDescription description_;
  std::unique_ptr<FakeKernel> kernel_;
};

TEST_P(AcquireImageTest, CopyBehindWorkOfTheProcessor_IsWaitedForFirst) {
  auto first = kernel_->CreateImage(kExtent, kExtent, kFormat);
  auto second = kernel_->CreateImage(kExtent, kExtent, kFormat);
  auto shared = kernel_->OpenShared(kExtent, kExtent, kFormat);
  auto other = kernel_->OpenShared(kExtent, kExtent, kFormat);
  EXPECT_TRUE(CanAcquireImage(first->handle)) << "nothing uses it";

  const VkSemaphore rendered = application_->CreateTimeline();
  const UINT submitted = Show(*first, *shared, rendered, 1);
  ASSERT_NE(submitted, 0u);
  EXPECT_TRUE(CanAcquireImage(first->handle)) << "its copy is on the queue";
  ASSERT_NE(kernel_->Blt(*shared, *other, {}), 0u);  // runs on the worker, which waits for the rendering
  const UINT last = Show(*second, *other, rendered, 1);
  ASSERT_NE(last, 0u);
  EXPECT_FALSE(CanAcquireImage(second->handle)) << "its copy waits for the worker";

  application_->Signal(rendered, 1);
  ASSERT_TRUE(kernel_->WaitFence(last));
  EXPECT_TRUE(CanAcquireImage(second->handle));
  const VkFence fence = application_->CreateFence();
  ASSERT_TRUE(AcquireImage(kernel_->device(), second->handle, VK_NULL_HANDLE, fence).ok());
  EXPECT_TRUE(application_->WaitFence(fence));
  application_->WaitIdle();
  for (auto* resource : {&first, &second, &shared, &other}) kernel_->Destroy(std::move(*resource));
}

// The kernel takes the copy back for work of higher priority, and submits it again later.
TEST_P(AcquireImageTest, CopyThatWasGivenBack_IsNotWaitedForByItsOldValue) {
  auto first = kernel_->CreateImage(kExtent, kExtent, kFormat);
  auto second = kernel_->CreateImage(kExtent, kExtent, kFormat);
  auto shared = kernel_->OpenShared(kExtent, kExtent, kFormat);
  auto other = kernel_->OpenShared(kExtent, kExtent, kFormat);
  const VkSemaphore rendered = application_->CreateTimeline();
  const UINT running = Show(*first, *shared, rendered, 1);
  ASSERT_NE(running, 0u);
  ASSERT_NE(kernel_->Blt(*shared, *other, {}), 0u);
  ASSERT_NE(Show(*second, *other, rendered, 1), 0u);
  DXGKARG_PREEMPTCOMMAND preempt{};
  preempt.PreemptionFenceId = 900;
  preempt.NodeOrdinal = kernel_->node();
  ASSERT_EQ(kernel_->ddi().DxgkDdiPreemptCommand(kernel_->adapter(), &preempt), STATUS_SUCCESS);
  EXPECT_FALSE(CanAcquireImage(second->handle)) << "its copy was given back";
  application_->Signal(rendered, 1);
  kernel_->Preempt(901);
  EXPECT_FALSE(CanAcquireImage(second->handle));
  EXPECT_TRUE(CanAcquireImage(first->handle));
  kernel_->ForgetFencesAfter(running);
  application_->WaitIdle();
  for (auto* resource : {&first, &second, &shared, &other}) kernel_->Destroy(std::move(*resource));
}

INSTANTIATE_TEST_SUITE_P(Drivers, AcquireImageTest, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& icd) { return icd.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan::testing
