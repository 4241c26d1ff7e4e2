// A PCI slot with a device model in it, as the kernel's bus: configuration space, BARs, interrupts, the device's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "bus/device_model.h"
#include "bus/message_table.h"
#include "bus/pci_config.h"
#include "bus/register_window.h"
#include "bus/resource_list.h"
#include "kernel/display_only.h"

namespace tandem::bus {

// The model works, and its interrupts are raised, on the slot's thread alone; a driver's access to a register only wakes it. So a
// driver may access registers under any of its locks, and at any IRQL. A line that stays asserted is raised again and again;
// after kMostLineRaises it is left alone until the driver stops. The model outlives the slot.
class PciSlot final : public kernel::DeviceBus, private DeviceHost {
 public:
  // kOutOfMemory, kLimit.
  static Result<std::unique_ptr<PciSlot>> Create(DeviceModel& model, PciInterrupts interrupts = PciInterrupts::kMessages);
  ~PciSlot() override;

  static constexpr std::uint32_t kMostLineRaises = 10'000;

  // Waits until the model has done all that it was woken for, and its interrupts were raised. False when that lasts longer.
  [[nodiscard]] bool AwaitIdle(std::int64_t limit_ns);

  // kernel::DeviceBus
  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) override;
  NTSTATUS MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) override;
  NTSTATUS UnmapMemory(PVOID mapped) override;
  [[nodiscard]] PCM_RESOURCE_LIST TranslatedResources() override;
  NTSTATUS ReadConfiguration(ULONG offset, void* buffer, ULONG length, ULONG& done) override;
  NTSTATUS WriteConfiguration(ULONG offset, const void* buffer, ULONG length, ULONG& done) override;
  [[nodiscard]] bool HasRegister(std::uintptr_t address) const override;
  bool ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) override;
  bool WriteRegister(std::uintptr_t address, ULONG size, UINT64 value) override;
  bool ReadPort(std::uint32_t port, ULONG size, ULONG& value) override;
  bool WritePort(std::uint32_t port, ULONG size, ULONG value) override;
  void Connect(const TANDEM_BUS_INTERFACE& line) override;
  void Disconnect() override;

 private:
  PciSlot(DeviceModel& model, PciInterrupts interrupts, RegisterWindow registers, RegisterWindow messages);

  [[nodiscard]] std::vector<AssignedBar> Bars() const;
  // Bytes from the address to the end of its BAR of memory or registers; 0 outside.
  [[nodiscard]] std::size_t RoomAt(std::uintptr_t address) const;
  [[nodiscard]] bool HasPort(std::uint32_t port) const { return port - first_port_ < model_.description().port_bytes; }
  // DeviceHost
  void Wake() override;
  void Raise(std::uint16_t vector) override;

  // Accesses of 1, 2 or 4 bytes.
  [[nodiscard]] std::uint32_t ReadPart(std::uintptr_t address, std::uint32_t size);
  void WritePart(std::uintptr_t address, std::uint32_t size, std::uint32_t value);

  void RunThread();
  void RaisePending();
  // Calls the driver's interrupt routine. False: there is no driver.
  bool RaiseMessage(std::uint32_t message);
  // The next message to raise; the line is message 0.
  std::optional<std::uint32_t> TakeMessage();
  [[nodiscard]] bool LineIsRaised();

  DeviceModel& model_;
  const RegisterWindow registers_;
  const RegisterWindow messages_;
  const std::uint32_t first_port_;  // of the process's
  ResourceList resources_;

  mutable Mutex config_mutex_;
  PciConfig config_ TANDEM_GUARDED_BY(config_mutex_);
  MessageTable table_ TANDEM_GUARDED_BY(config_mutex_);

  Mutex work_mutex_;  // held while the model works
  Mutex wake_mutex_;
  Condition wake_;
  std::uint64_t wanted_ TANDEM_GUARDED_BY(wake_mutex_) = 0;  // wakes so far
  std::uint64_t done_ TANDEM_GUARDED_BY(wake_mutex_) = 0;    // wakes that were answered
  bool stop_ TANDEM_GUARDED_BY(wake_mutex_) = false;
  std::optional<TANDEM_BUS_INTERFACE> line_ TANDEM_GUARDED_BY(wake_mutex_);
  bool raising_ TANDEM_GUARDED_BY(wake_mutex_) = false;        // an interrupt is being raised
  bool line_is_stuck_ TANDEM_GUARDED_BY(wake_mutex_) = false;  // raised kMostLineRaises times in a row
  Thread thread_;
};

}  // namespace tandem::bus
