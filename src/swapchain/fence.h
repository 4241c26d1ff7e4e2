// Monitored fences that a display thread waits for. Used by this module and the shim.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"

#include <d3dkmthk.h>

namespace tandem::swapchain {

// Thread-safe; allocates nothing after creation.
class MonitoredFence {
 public:
  // The fence starts at 0.
  [[nodiscard]] static Result<std::unique_ptr<MonitoredFence>> Create(D3DKMT_HANDLE device);
  ~MonitoredFence();
  MonitoredFence(const MonitoredFence&) = delete;
  MonitoredFence& operator=(const MonitoredFence&) = delete;

  [[nodiscard]] D3DKMT_HANDLE handle() const { return handle_; }
  // The value reached so far.
  [[nodiscard]] std::uint64_t value() const;
  // Signals after all work of the context so far; flips count as done when they are on the screen. Does not wait.
  [[nodiscard]] Result<void> SignalAfter(D3DKMT_HANDLE context, std::uint64_t value) const;
  // Holds later work of the context, of any adapter, until the value is reached. Does not wait.
  [[nodiscard]] Result<void> Hold(D3DKMT_HANDLE context, std::uint64_t value) const;
  [[nodiscard]] Result<void> SignalNow(std::uint64_t value) const;

 private:
  MonitoredFence(D3DKMT_HANDLE device, D3DKMT_HANDLE handle, const void* value)
      : device_(device), handle_(handle), value_(value) {}

  D3DKMT_HANDLE device_;
  D3DKMT_HANDLE handle_;
  const void* value_;  // FenceValueCPUVirtualAddress
};

struct FenceTarget {
  const MonitoredFence* fence = nullptr;
  std::uint64_t value = 0;
};

inline constexpr std::size_t kMaxFenceTargets = 5;

// Blocks until one of `targets` is reached. `device`: any device of the process. kDeviceLost when an adapter is lost meanwhile.
[[nodiscard]] Result<void> WaitForAny(D3DKMT_HANDLE device, std::span<const FenceTarget> targets);

}  // namespace tandem::swapchain
