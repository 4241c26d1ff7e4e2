// The soft adapter under the kernel: buffers that run for long are preempted and finished, buffers that hang cost their device.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>

#include "base/fake_clock.h"
#include "drivers/soft/soft_device.h"
#include "drivers/soft/user_commands.h"
#include "kernel/kernel.h"

#include <d3dkmthk.h>

namespace tandem {
namespace {

// A program: device, context, fence.
struct Program {
  explicit Program(D3DKMT_HANDLE adapter) {
    D3DKMT_CREATEDEVICE create{};
    create.hAdapter = adapter;
    EXPECT_EQ(D3DKMTCreateDevice(&create), STATUS_SUCCESS);
    device = create.hDevice;
    D3DKMT_CREATECONTEXT context_create{};
    context_create.hDevice = device;
    EXPECT_EQ(D3DKMTCreateContext(&context_create), STATUS_SUCCESS);
    context = context_create.hContext;
    commands = context_create.pCommandBuffer;
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence_create{};
    fence_create.hDevice = device;
    fence_create.Info.Type = D3DDDI_MONITORED_FENCE;
    EXPECT_EQ(D3DKMTCreateSynchronizationObject2(&fence_create), STATUS_SUCCESS);
    fence = fence_create.hSyncObject;
    value = static_cast<const volatile UINT64*>(fence_create.Info.MonitoredFence.FenceValueCPUVirtualAddress);
  }
  ~Program() {
    const D3DKMT_DESTROYDEVICE destroy{device};
    EXPECT_EQ(D3DKMTDestroyDevice(&destroy), STATUS_SUCCESS);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NTSTATUS Delay(std::uint64_t duration_ns, bool hangs) const {
    soft::UserDelay delay;
    delay.duration_ns = duration_ns;
    delay.hangs = hangs ? 1 : 0;
    std::memcpy(commands, &delay, sizeof(delay));
    D3DKMT_RENDER render{};
    render.hContext = context;
    render.CommandLength = sizeof(delay);
    return D3DKMTRender(&render);
  }
  NTSTATUS Signal(UINT64 to) const {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal{};
    signal.hContext = context;
    signal.ObjectCount = 1;
    signal.ObjectHandleArray = &fence;
    signal.MonitoredFenceValueArray = &to;
    return D3DKMTSignalSynchronizationObjectFromGpu(&signal);
  }
  NTSTATUS Wait(UINT64 for_value) const {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
    wait.hDevice = device;
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence;
    wait.FenceValueArray = &for_value;
    return D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
  }
  [[nodiscard]] D3DKMT_DEVICEEXECUTION_STATE State() const {
    D3DKMT_GETDEVICESTATE state{};
    state.hDevice = device;
    state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
    EXPECT_EQ(D3DKMTGetDeviceState(&state), STATUS_SUCCESS);
    return state.ExecutionState;
  }

  D3DKMT_HANDLE device = 0, context = 0, fence = 0;
  void* commands = nullptr;
  const volatile UINT64* value = nullptr;
};

class Recovery : public ::testing::Test {
 protected:
  void SetUp() override {
    auto kernel = kernel::Kernel::Create(clock_, tdr_);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    kernel_ = *std::move(kernel);
    auto driver = kernel_->LoadDriver(&soft::SoftDriverEntry, "soft");
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    auto luid = kernel_->AddAdapter(**driver, &description_, "soft0");
    ASSERT_TRUE(luid.ok()) << luid.error().message;
    luid_ = *luid;
    D3DKMT_OPENADAPTERFROMLUID open{luid_, 0};
    ASSERT_EQ(D3DKMTOpenAdapterFromLuid(&open), STATUS_SUCCESS);
    adapter_ = open.hAdapter;
  }
  // Moves time on until `done`; the engine itself lives by the machine's clock.
  template <class Condition>
  void LetTimePassUntil(Condition done) {
    for (int turn = 0; turn < 2000 && !done(); ++turn) {
      clock_.Advance(tdr_.delay_ns / 4);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(done());
  }

  soft::DeviceDescription description_{3, 1 << 20, 1 << 20, nullptr};
  FakeClock clock_{1};
  kernel::TdrSettings tdr_;
  std::unique_ptr<kernel::Kernel> kernel_;
  LUID luid_{};
  D3DKMT_HANDLE adapter_ = 0;
};

TEST_F(Recovery, HungBuffer_CostsItsDeviceAndNobodyElse) {
  const Program hung(adapter_), other(adapter_);
  ASSERT_EQ(hung.Delay(soft::kMaxDelayNs, true), STATUS_SUCCESS);
  ASSERT_EQ(hung.Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(other.Delay(0, false), STATUS_SUCCESS);
  ASSERT_EQ(other.Signal(1), STATUS_SUCCESS);
  LetTimePassUntil([&] { return hung.State() != D3DKMT_DEVICEEXECUTION_ACTIVE; });
  EXPECT_EQ(hung.State(), D3DKMT_DEVICEEXECUTION_HUNG);
  EXPECT_EQ(hung.Wait(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(other.Wait(1), STATUS_SUCCESS);  // it waited behind the hung buffer
  EXPECT_EQ(other.State(), D3DKMT_DEVICEEXECUTION_ACTIVE);
  EXPECT_EQ(hung.Delay(0, false), STATUS_DEVICE_HUNG);
  const Program again(adapter_);
  ASSERT_EQ(again.Delay(0, false), STATUS_SUCCESS);
  ASSERT_EQ(again.Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(again.Wait(1), STATUS_SUCCESS);
  const auto reports = kernel_->Timeouts(luid_);
  ASSERT_TRUE(reports.ok());
  ASSERT_EQ(reports->size(), 1u);
  EXPECT_STREQ(reports->front().name, "VIDEO_ENGINE_TIMEOUT_DETECTED");
  const std::string text(reinterpret_cast<const char*>(reports->front().debug_info.data()), reports->front().debug_info.size());
  EXPECT_NE(text.find("node 0: completed fence 0, busy"), std::string::npos) << text;
}

TEST_F(Recovery, LongBuffer_IsPreemptedAgainAndAgain_AndFinishes) {
  const Program program(adapter_);
  ASSERT_EQ(program.Delay(100'000'000, false), STATUS_SUCCESS);
  ASSERT_EQ(program.Signal(1), STATUS_SUCCESS);
  LetTimePassUntil([&] { return __atomic_load_n(program.value, __ATOMIC_ACQUIRE) == 1; });
  EXPECT_EQ(program.State(), D3DKMT_DEVICEEXECUTION_ACTIVE);
  EXPECT_GT(kernel_->Counters(luid_)->submissions, 1u);
  EXPECT_EQ(kernel_->Counters(luid_)->resets, 0u);
}

TEST_F(Recovery, HangsWithoutEnd_StopTheAdapter) {
  for (std::uint32_t turn = 0; turn <= tdr_.limit_count; ++turn) {
    const Program hung(adapter_);
    ASSERT_EQ(hung.Delay(soft::kMaxDelayNs, true), STATUS_SUCCESS);
    LetTimePassUntil([&] { return hung.State() != D3DKMT_DEVICEEXECUTION_ACTIVE; });
    EXPECT_EQ(hung.State(), turn < tdr_.limit_count ? D3DKMT_DEVICEEXECUTION_HUNG : D3DKMT_DEVICEEXECUTION_STOPPED);
  }
  EXPECT_NE(kernel_->Violation(luid_)->find("VIDEO_TDR_FAILURE"), std::string::npos) << *kernel_->Violation(luid_);
}

}  // namespace
}  // namespace tandem
