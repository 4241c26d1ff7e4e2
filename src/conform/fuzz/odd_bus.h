// A device's bus whose device misbehaves when it is told to: interrupts at odd times, registers with odd values.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/thread.h"
#include "kernel/display_only.h"

namespace tandem::conform {

class OddBus final : public kernel::DeviceBus {
 public:
  // `bus` outlives it.
  explicit OddBus(kernel::DeviceBus& bus) : bus_(bus) {}

  // False where the device has no interrupts, or no driver. A line has no other number than 0. Not under a lock of the driver.
  [[nodiscard]] bool RaiseInterrupt(std::uint32_t message);
  // The register that is read after `skip` others is answered by `value`. Once.
  void SpoilRegister(std::uint32_t skip, std::uint64_t value);

  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) override {
    return bus_.AcquirePostDisplayOwnership(information);
  }
  NTSTATUS MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) override {
    return bus_.MapMemory(address, length, mapped);
  }
  NTSTATUS UnmapMemory(PVOID mapped) override { return bus_.UnmapMemory(mapped); }
  [[nodiscard]] PCM_RESOURCE_LIST TranslatedResources() override { return bus_.TranslatedResources(); }
  NTSTATUS ReadConfiguration(ULONG offset, void* buffer, ULONG length, ULONG& done) override {
    return bus_.ReadConfiguration(offset, buffer, length, done);
  }
  NTSTATUS WriteConfiguration(ULONG offset, const void* buffer, ULONG length, ULONG& done) override {
    return bus_.WriteConfiguration(offset, buffer, length, done);
  }
  [[nodiscard]] bool HasRegister(std::uintptr_t address) const override { return bus_.HasRegister(address); }
  bool ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) override;
  bool WriteRegister(std::uintptr_t address, ULONG size, UINT64 value) override {
    return bus_.WriteRegister(address, size, value);
  }
  bool ReadPort(std::uint32_t port, ULONG size, ULONG& value) override { return bus_.ReadPort(port, size, value); }
  bool WritePort(std::uint32_t port, ULONG size, ULONG value) override { return bus_.WritePort(port, size, value); }
  void Connect(const TANDEM_BUS_INTERFACE& line) override;
  void Disconnect() override;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  kernel::DeviceBus& bus_;
  Mutex line_mutex_;
  std::optional<TANDEM_BUS_INTERFACE> line_ TANDEM_GUARDED_BY(line_mutex_);
  std::atomic<std::uint64_t> reads_left_{kNever};  // until the spoiled one
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace tandem::conform
