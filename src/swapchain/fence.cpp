#include "swapchain/fence.h"

#include <array>
#include <atomic>

#include "base/check.h"
#include "swapchain/status.h"

namespace tandem::swapchain {

Result<std::unique_ptr<MonitoredFence>> MonitoredFence::Create(D3DKMT_HANDLE device) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create{};
  create.hDevice = device;
  create.Info.Type = D3DDDI_MONITORED_FENCE;
  auto created = CheckStatus("Creating a fence", D3DKMTCreateSynchronizationObject2(&create));
  if (!created.ok()) return std::move(created).error();
  return std::unique_ptr<MonitoredFence>(
      new MonitoredFence(device, create.hSyncObject, create.Info.MonitoredFence.FenceValueCPUVirtualAddress));
}

MonitoredFence::~MonitoredFence() {
  const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{handle_};
  static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
}

std::uint64_t MonitoredFence::value() const {
  // The kernel writes the value concurrently, so both sides access the contract's 64-bit value atomically.
  return std::atomic_ref<std::uint64_t>(*static_cast<std::uint64_t*>(const_cast<void*>(value_))).load(std::memory_order_acquire);
}

Result<void> MonitoredFence::SignalAfter(D3DKMT_HANDLE context, std::uint64_t value) const {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal{};
  signal.hContext = context;
  signal.ObjectCount = 1;
  signal.ObjectHandleArray = &handle_;
  signal.MonitoredFenceValueArray = &value;
  return CheckStatus("Queueing a signal", D3DKMTSignalSynchronizationObjectFromGpu(&signal));
}

Result<void> MonitoredFence::Hold(D3DKMT_HANDLE context, std::uint64_t value) const {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait{};
  wait.hContext = context;
  wait.ObjectCount = 1;
  wait.ObjectHandleArray = &handle_;
  wait.MonitoredFenceValueArray = &value;
  return CheckStatus("Queueing a wait", D3DKMTWaitForSynchronizationObjectFromGpu(&wait));
}

Result<void> MonitoredFence::SignalNow(std::uint64_t value) const {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal{};
  signal.hDevice = device_;
  signal.ObjectCount = 1;
  signal.ObjectHandleArray = &handle_;
  signal.FenceValueArray = &value;
  return CheckStatus("Signalling a fence", D3DKMTSignalSynchronizationObjectFromCpu(&signal));
}

Result<void> WaitForAny(D3DKMT_HANDLE device, std::span<const FenceTarget> targets) {
  TANDEM_CHECK(!targets.empty() && targets.size() <= kMaxFenceTargets);
  std::array<D3DKMT_HANDLE, kMaxFenceTargets> handles{};
  std::array<UINT64, kMaxFenceTargets> values{};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    handles[i] = targets[i].fence->handle();
    values[i] = targets[i].value;
  }
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
  wait.hDevice = device;
  wait.ObjectCount = static_cast<UINT>(targets.size());
  wait.ObjectHandleArray = handles.data();
  wait.FenceValueArray = values.data();
  wait.Flags.WaitAny = 1;
  return CheckStatus("Waiting for a fence", D3DKMTWaitForSynchronizationObjectFromCpu(&wait));
}

}  // namespace tandem::swapchain
