// The loss of a device. A lost device stays lost, and its program makes a new one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "kernel/submit/fence.h"

#include <d3dukmdt.h>

namespace tandem::kernel {

enum class DeviceLoss : std::uint8_t {
  kNone,
  kHung,       // its work hung an engine
  kReset,      // an engine or the adapter was reset for somebody else's work
  kPageFault,  // its work read or wrote what is not there
  kNoMemory,   // it said that MakeResident must succeed, and there was no memory
  kException,  // the driver said STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE
};

// Threads: any, IRQL up to DISPATCH.
class DeviceCondition {
 public:
  DeviceCondition() = default;
  DeviceCondition(const DeviceCondition&) = delete;
  DeviceCondition& operator=(const DeviceCondition&) = delete;

  [[nodiscard]] DeviceLoss loss() const { return loss_.load(std::memory_order_acquire); }
  // The answer of every call with the device: STATUS_SUCCESS until it is lost.
  [[nodiscard]] NTSTATUS status() const;
  // Every wait for its fences ends. The first loss counts; false for a later one.
  bool MarkLost(DeviceLoss why);
  // A fence that ends its waits when the device is lost, or is lost at once when it is already.
  void AddFence(const std::shared_ptr<Fence>& fence);

 private:
  std::atomic<DeviceLoss> loss_{DeviceLoss::kNone};
  Mutex mutex_;
  std::vector<std::weak_ptr<Fence>> fences_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
