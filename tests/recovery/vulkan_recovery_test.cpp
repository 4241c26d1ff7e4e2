// A lost or hung Vulkan device under the kernel: programs get an error, no wait is endless, and other adapters continue.
#include <gtest/gtest.h>

#include "conform/user_device.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/liar.h"
#include "kernel/kernel.h"
#include "system/conformance_drivers.h"

namespace tandem {
namespace {

using conform::Surface;
using conform::SurfaceUse;
using conform::UserDevice;
using vulkan::testing::Application;
using vulkan::testing::Icd;
using vulkan::testing::Liar;

constexpr UINT kCopyNode = 1;
// Longer than any successful work takes on a busy machine.
constexpr std::int64_t kTdrDelayNs = 500'000'000;

class VulkanRecovery : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = Liar::Wrap(application_->Borrow());
    const auto drivers = system::VulkanUnderTest();
    ASSERT_FALSE(drivers.empty());
    driver_ = drivers.front();  // for its private data, which is equal for each driver
    kernel::TdrSettings tdr;
    tdr.delay_ns = kTdrDelayNs;
    auto kernel = kernel::Kernel::Create(MonotonicClock(), tdr);
    ASSERT_TRUE(kernel.ok());
    kernel_ = *std::move(kernel);
    auto loaded = kernel_->LoadDriver(vulkan::VulkanDriverEntry, "vulkan");
    ASSERT_TRUE(loaded.ok());
    auto luid = kernel_->AddAdapter(**loaded, &description_, "render");
    ASSERT_TRUE(luid.ok()) << luid.error().message;
    luid_ = *luid;
    auto soft = kernel_->LoadDriver(system::SoftUnderTest().entry, "soft");
    soft_device_ = system::SoftUnderTest().make_device(nullptr);
    auto other = kernel_->AddAdapter(**soft, soft_device_->extension(), "other");
    ASSERT_TRUE(other.ok());
    other_ = *other;
  }
  void TearDown() override {
    kernel_.reset();
    Liar::Disarm();
  }

  // Another adapter still does its work.
  void ExpectOthersGoOn() {
    UserDevice user(system::SoftUnderTest(), {kernel_.get(), other_}, kCopyNode);
    const Surface a = user.Create({32, 16, SurfaceUse::kCrossAdapter});
    const Surface b = user.Create({32, 16, SurfaceUse::kCrossAdapter});
    user.Paint(a, 0x11000000);
    EXPECT_EQ(user.Copy(a, b, {}), STATUS_SUCCESS);
    user.Finish();
    EXPECT_EQ(user.Read(b).back(), UserDevice::Painted(0x11000000, 31, 15));
  }

  std::unique_ptr<Application> application_;
  vulkan::DeviceDescription description_;
  conform::DriverUnderTest driver_;
  std::unique_ptr<conform::BusDevice> soft_device_;
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID luid_{}, other_{};
};

TEST_P(VulkanRecovery, LostDevice_EndsItsPresentsAndNoOthers) {
  {
    UserDevice user(driver_, {kernel_.get(), luid_}, kCopyNode);
    const Surface a = user.Create({64, 32, SurfaceUse::kCrossAdapter});
    const Surface b = user.Create({64, 32, SurfaceUse::kCrossAdapter});
    user.Paint(a, 0x21000000);
    ASSERT_EQ(user.Copy(a, b, {}), STATUS_SUCCESS);
    user.Finish();
    Liar::Arm("QueueSubmit", VK_ERROR_DEVICE_LOST, 0);
    ASSERT_EQ(user.Copy(a, b, {}), STATUS_SUCCESS);  // detected when the buffer is submitted
    const UINT64 last = user.QueueSignal();
    const NTSTATUS waited = user.Wait(last);
    EXPECT_TRUE(waited == STATUS_SUCCESS || waited == STATUS_DEVICE_REMOVED) << std::hex << waited;
    EXPECT_FALSE(NT_SUCCESS(user.Copy(a, b, {})));
    EXPECT_NE(user.State(), D3DKMT_DEVICEEXECUTION_ACTIVE);
    EXPECT_FALSE(NT_SUCCESS(user.TryCreate({8, 8, SurfaceUse::kImage}, conform::CreateSharing::kNo)));
  }
  ExpectOthersGoOn();
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

// The driver sees a hang as waits that never end.
TEST_P(VulkanRecovery, HungDevice_CannotBeReset_StopsItsAdapterAndNoOther) {
  {
    UserDevice user(driver_, {kernel_.get(), luid_}, kCopyNode);
    const Surface a = user.Create({64, 32, SurfaceUse::kCrossAdapter});
    const Surface b = user.Create({64, 32, SurfaceUse::kCrossAdapter});
    Liar::Arm("WaitSemaphores", VK_TIMEOUT, 0);
    ASSERT_EQ(user.Copy(a, b, {}), STATUS_SUCCESS);
    const UINT64 last = user.QueueSignal();
    EXPECT_EQ(user.Wait(last), STATUS_DEVICE_REMOVED);
    EXPECT_FALSE(NT_SUCCESS(user.Copy(a, b, {})));
    application_->WaitIdle();
    Liar::Disarm();
  }
  ExpectOthersGoOn();
}

INSTANTIATE_TEST_SUITE_P(Drivers, VulkanRecovery, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& p) { return p.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem
