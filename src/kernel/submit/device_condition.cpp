#include "kernel/submit/device_condition.h"

namespace tandem::kernel {

NTSTATUS DeviceCondition::status() const {
  switch (loss()) {
    case DeviceLoss::kNone: return STATUS_SUCCESS;
    case DeviceLoss::kHung: return STATUS_DEVICE_HUNG;
    case DeviceLoss::kReset: return STATUS_GRAPHICS_ADAPTER_WAS_RESET;
    case DeviceLoss::kNoMemory: return STATUS_NO_MEMORY;
    case DeviceLoss::kPageFault:
    case DeviceLoss::kException: return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  }
  return STATUS_DEVICE_REMOVED;
}

bool DeviceCondition::MarkLost(DeviceLoss why) {
  DeviceLoss expected = DeviceLoss::kNone;
  if (!loss_.compare_exchange_strong(expected, why, std::memory_order_acq_rel)) return false;
  const MutexLock lock(mutex_);
  for (const auto& weak : fences_) {
    if (const auto fence = weak.lock()) fence->MarkLost();
  }
  return true;
}

void DeviceCondition::AddFence(const std::shared_ptr<Fence>& fence) {
  const MutexLock lock(mutex_);
  std::erase_if(fences_, [](const auto& other) { return other.expired(); });
  fences_.push_back(fence);
  if (loss() != DeviceLoss::kNone) fence->MarkLost();
}

}  // namespace tandem::kernel
