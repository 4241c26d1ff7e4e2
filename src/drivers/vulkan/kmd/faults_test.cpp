// A Vulkan driver whose calls fail: whatever it answers, nobody hangs and no picture is silently wrong.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "color/format.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"
#include "drivers/vulkan/testing/liar.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::uint32_t kFaultsWidth = 40;
constexpr std::uint32_t kFaultsHeight = 24;
// More calls of one function than the scenario makes.
constexpr std::uint32_t kMostCalls = 200;

std::vector<std::byte> Pixels(std::uint32_t seed) {
  std::vector<std::byte> pixels(std::size_t{kFaultsWidth} * kFaultsHeight * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>((i * 31 + seed) >> 2);
  return pixels;
}

bool Holds(const TestResource& shared, const std::vector<std::byte>& pixels) {
  for (std::uint32_t y = 0; y < kFaultsHeight; ++y) {
    if (std::memcmp(shared.pages + std::size_t{y} * shared.data.pitch, pixels.data() + std::size_t{y} * kFaultsWidth * 4,
                    kFaultsWidth * 4) != 0) {
      return false;
    }
  }
  return true;
}

class FaultsTest : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = Liar::Wrap(application_->Borrow());
  }
  void TearDown() override {
    End();
    Liar::Disarm();
    application_.reset();
  }

  bool Start() {
    kernel_ = FakeKernel::Start(description_, Pages::kAnonymous);
    if (kernel_ == nullptr) return false;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    SetApplicationImageInfo(kernel_->device(), info);
    image_ = kernel_->CreateImage(kFaultsWidth, kFaultsHeight, color::Format::kB8G8R8A8Unorm);
    if (image_ != nullptr) shared_ = kernel_->OpenShared(kFaultsWidth, kFaultsHeight, color::Format::kB8G8R8A8Unorm);
    return shared_ != nullptr;
  }

  // The real device is done before its objects go.
  void End() {
    if (application_ != nullptr) application_->WaitIdle();
    if (kernel_ != nullptr) {
      kernel_->Destroy(std::move(image_));
      kernel_->Destroy(std::move(shared_));
    }
    image_.reset();
    shared_.reset();
    kernel_.reset();
  }

  // One frame. False when somebody was told that it did not arrive.
  bool Frame(std::uint32_t seed) {
    const auto pixels = Pixels(seed);
    const VkSemaphore acquired = application_->CreateSemaphore();
    const VkSemaphore rendered = application_->CreateSemaphore();
    const bool back = AcquireImage(kernel_->device(), image_->handle, acquired, VK_NULL_HANDLE).ok();
    application_->Draw(ApplicationImage(image_->handle), kFaultsWidth, kFaultsHeight, 4, pixels, back ? acquired : VK_NULL_HANDLE,
                       rendered);
    const std::uint64_t value = 0;
    if (!ReleaseImage(kernel_->device(), image_->handle, application_->queue(), {&rendered, 1}, {&value, 1}).ok()) return false;
    const UINT fence = kernel_->Blt(*image_, *shared_, {});
    if (fence == 0) return false;
    EXPECT_TRUE(kernel_->WaitFence(fence)) << "a fence never came";
    if (kernel_->Query().device_lost != 0) return false;
    EXPECT_TRUE(Holds(*shared_, pixels)) << "a picture is wrong and nobody was told";
    return back;
  }

  std::unique_ptr<Application> application_;
  DeviceDescription description_;
  std::unique_ptr<FakeKernel> kernel_;
  std::unique_ptr<TestResource> image_;
  std::unique_ptr<TestResource> shared_;
};

TEST_P(FaultsTest, EveryCall_FailsOnce_NobodyHangsAndEveryLossIsTold) {
  for (const std::string_view function : Liar::Functions()) {
    const bool may_lose = function == "QueueSubmit" || function == "WaitSemaphores" || function == "GetSemaphoreCounterValue";
    for (const VkResult result : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_DEVICE_LOST}) {
      if (result == VK_ERROR_DEVICE_LOST && !may_lose) continue;
      std::uint32_t truths = 0;
      for (; truths < kMostCalls; ++truths) {
        SCOPED_TRACE(std::string(function) + " answers " + ToString(result) + " after " + std::to_string(truths) + " calls");
        Liar::Arm(function, result, truths);
        const bool started = Start();
        const bool first = started && Frame(truths);
        const bool second = started && Frame(truths + 1);
        if (started && !first && kernel_->Query().device_lost != 0) {
          EXPECT_FALSE(second) << "a lost device came back";
        }
        const bool told = Liar::told();
        End();
        if (HasFailure()) return;
        if (told) continue;
        EXPECT_TRUE(first && second);
        break;
      }
      EXPECT_LT(truths, kMostCalls);
    }
  }
}

TEST_P(FaultsTest, DeviceLost_InASubmission_PresentsTellAndTheResetFails) {
  ASSERT_TRUE(Start());
  ASSERT_TRUE(Frame(1));
  Liar::Arm("QueueSubmit", VK_ERROR_DEVICE_LOST, 0);
  const UINT fence = kernel_->Blt(*image_, *shared_, {});
  ASSERT_NE(fence, 0u);
  EXPECT_TRUE(kernel_->WaitFence(fence));
  EXPECT_EQ(kernel_->Blt(*image_, *shared_, {}), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  EXPECT_EQ(kernel_->CreateImage(8, 8, color::Format::kB8G8R8A8Unorm), nullptr);
  EXPECT_EQ(kernel_->last_status(), STATUS_DEVICE_REMOVED);
  DXGKARG_QUERYENGINESTATUS status{};
  EXPECT_EQ(kernel_->ddi().DxgkDdiQueryEngineStatus(kernel_->adapter(), &status), STATUS_SUCCESS);
  EXPECT_EQ(status.EngineStatus.Responsive, 0u);
  DXGKARG_RESETENGINE reset{};
  EXPECT_FALSE(NT_SUCCESS(kernel_->ddi().DxgkDdiResetEngine(kernel_->adapter(), &reset)));
  EXPECT_FALSE(NT_SUCCESS(kernel_->ddi().DxgkDdiResetFromTimeout(kernel_->adapter())));
}

TEST_P(FaultsTest, ImportRefused_WhenPagesAreMapped_CopiesByCpuAndSaysWhy) {
  for (const char* function : {"GetMemoryHostPointerPropertiesEXT", "AllocateMemory"}) {
    kernel_ = FakeKernel::Start(description_, Pages::kAnonymous);
    ASSERT_NE(kernel_, nullptr);
    ASSERT_EQ(kernel_->Query().Of(PageWay::kAnonymous).state, ImportState::kWorks);
    // Of the pages' import; a bounce buffer is asked for after it and would be refused, too, by a liar that goes on.
    Liar::Arm(function, VK_ERROR_INVALID_EXTERNAL_HANDLE, 0);
    shared_ = kernel_->OpenShared(kFaultsWidth, kFaultsHeight, color::Format::kB8G8R8A8Unorm);
    Liar::Disarm();
    const AdapterData data = kernel_->Query();
    EXPECT_NE(std::string(data.reason.data()).find("VK_ERROR_INVALID_EXTERNAL_HANDLE"), std::string::npos) << data.reason.data();
    ASSERT_NE(shared_, nullptr);
    if (std::strcmp(function, "GetMemoryHostPointerPropertiesEXT") == 0) {
      auto copy = kernel_->OpenShared(kFaultsWidth, kFaultsHeight, color::Format::kB8G8R8A8Unorm);
      const auto pixels = Pixels(9);
      for (std::uint32_t y = 0; y < kFaultsHeight; ++y) {
        std::memcpy(shared_->pages + std::size_t{y} * shared_->data.pitch, pixels.data() + std::size_t{y} * kFaultsWidth * 4,
                    kFaultsWidth * 4);
      }
      ASSERT_TRUE(kernel_->WaitFence(kernel_->Blt(*shared_, *copy, {})));
      EXPECT_TRUE(Holds(*copy, pixels));
      EXPECT_EQ(kernel_->Query().bounced_copies, 1u);
      kernel_->Destroy(std::move(copy));
    }
    End();
  }
}

TEST_P(FaultsTest, Preempt_WhenAllIsDone_IsAnsweredAtOnce) {
  ASSERT_TRUE(Start());
  ASSERT_TRUE(Frame(1));
  DXGKARG_QUERYCURRENTFENCE current{};
  current.NodeOrdinal = kernel_->node();
  ASSERT_EQ(kernel_->ddi().DxgkDdiQueryCurrentFence(kernel_->adapter(), &current), STATUS_SUCCESS);
  const FakeKernel::Preemption answer = kernel_->Preempt(77);
  EXPECT_EQ(answer.fence, 77u);
  EXPECT_EQ(answer.last_completed, current.CurrentFence);
}

TEST_P(FaultsTest, EngineStatus_WhileTheProgramNeverFinishes_IsNotResponsiveAndTheEngineStays) {
  ASSERT_TRUE(Start());
  ASSERT_TRUE(Frame(1));
  // A release that waits for a semaphore which is signalled late.
  const VkSemaphore rendered = application_->CreateTimeline();
  const std::uint64_t value = 1;
  ASSERT_TRUE(ReleaseImage(kernel_->device(), image_->handle, application_->queue(), {&rendered, 1}, {&value, 1}).ok());
  const UINT fence = kernel_->Blt(*image_, *shared_, {});
  ASSERT_NE(fence, 0u);
  DXGKARG_QUERYENGINESTATUS status{};
  status.NodeOrdinal = kernel_->node();
  kernel_->ddi().DxgkDdiQueryEngineStatus(kernel_->adapter(), &status);  // of what went before
  ASSERT_EQ(kernel_->ddi().DxgkDdiQueryEngineStatus(kernel_->adapter(), &status), STATUS_SUCCESS);
  EXPECT_EQ(status.EngineStatus.Responsive, 0u);
  DXGKARG_RESETENGINE reset{};
  reset.NodeOrdinal = kernel_->node();
  EXPECT_FALSE(NT_SUCCESS(kernel_->ddi().DxgkDdiResetEngine(kernel_->adapter(), &reset)));
  DXGKARG_QUERYDEPENDENTENGINEGROUP group{};
  ASSERT_EQ(kernel_->ddi().DxgkDdiQueryDependentEngineGroup(kernel_->adapter(), &group), STATUS_SUCCESS);
  EXPECT_EQ(group.DependentNodeOrdinalMask, 3u);  // one queue, borrowed
  std::array<char, 512> text{};
  DXGKARG_COLLECTDBGINFO collect{};
  collect.pBuffer = text.data();
  collect.BufferSize = text.size();
  ASSERT_EQ(kernel_->ddi().DxgkDdiCollectDbgInfo(kernel_->adapter(), &collect), STATUS_SUCCESS);
  EXPECT_NE(std::string(text.data()).find("1 packets"), std::string::npos) << text.data();
  collect.BufferSize = 3;
  ASSERT_EQ(kernel_->ddi().DxgkDdiCollectDbgInfo(kernel_->adapter(), &collect), STATUS_SUCCESS);
  EXPECT_EQ(text[2], '\0');
  application_->Signal(rendered, 1);
  EXPECT_TRUE(kernel_->WaitFence(fence));
  ASSERT_EQ(kernel_->ddi().DxgkDdiQueryEngineStatus(kernel_->adapter(), &status), STATUS_SUCCESS);
  EXPECT_EQ(status.EngineStatus.Responsive, 1u);
}

// Without import the CPU goes first, on the node's worker: what stands behind it was not begun and can be given back.
TEST_P(FaultsTest, Preempt_BehindWorkThatRuns_GivesBackWhatWasNotBegun) {
  description_.borrowed->external_memory_host = false;
  ASSERT_TRUE(Start());
  auto other = kernel_->OpenShared(kFaultsWidth, kFaultsHeight, color::Format::kB8G8R8A8Unorm);
  ASSERT_NE(other, nullptr);
  const VkSemaphore rendered = application_->CreateTimeline();
  const std::uint64_t value = 1;
  ASSERT_TRUE(ReleaseImage(kernel_->device(), image_->handle, application_->queue(), {&rendered, 1}, {&value, 1}).ok());
  const UINT running = kernel_->Blt(*image_, *shared_, {});
  const UINT waiting = kernel_->Blt(*shared_, *other, {});
  ASSERT_NE(waiting, 0u);
  DXGKARG_PREEMPTCOMMAND preempt{};
  preempt.PreemptionFenceId = 900;
  preempt.NodeOrdinal = kernel_->node();
  ASSERT_EQ(kernel_->ddi().DxgkDdiPreemptCommand(kernel_->adapter(), &preempt), STATUS_SUCCESS);
  application_->Signal(rendered, 1);
  const FakeKernel::Preemption answer = kernel_->Preempt(901);
  EXPECT_EQ(answer.fence, 901u);
  EXPECT_EQ(answer.last_completed, running);
  kernel_->ForgetFencesAfter(running);
  kernel_->Destroy(std::move(other));
}

INSTANTIATE_TEST_SUITE_P(Drivers, FaultsTest, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& p) { return p.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan::testing
