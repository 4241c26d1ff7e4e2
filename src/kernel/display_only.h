// A display-only adapter as the kernel's host sees it: its driver shows pictures that others render, on one VidPn source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "kernel/kernel.h"

#include <dispmprt.h>

namespace tandem::kernel {

// Answers for the bus that a device is on, where a callback of DXGKRNL_INTERFACE asks for it. Thread-safe; PASSIVE_LEVEL, but for
// registers. A bus without PCI overrides the first three functions only.
class DeviceBus {
 public:
  virtual ~DeviceBus() = default;
  // The frame buffer that firmware left behind; the driver owns it from then on. One without a width: there is none.
  virtual NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) = 0;
  // The driver gave the display back, and describes the frame buffer that it leaves; the next owner acquires that one.
  virtual void ReleasePostDisplayOwnership(const DXGK_DISPLAY_INFORMATION& /*information*/) {}
  // Host address of a range of bus memory. STATUS_INVALID_PARAMETER for a range that no device has.
  virtual NTSTATUS MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) = 0;
  // STATUS_INVALID_PARAMETER for an address that was not mapped.
  virtual NTSTATUS UnmapMemory(PVOID mapped) = 0;

  // DXGK_DEVICE_INFO.TranslatedResourceList; null: the driver gets an empty list. Valid while the bus exists.
  [[nodiscard]] virtual PCM_RESOURCE_LIST TranslatedResources() { return nullptr; }
  // The part of the range that lies in the configuration space; `done` is its size in bytes.
  virtual NTSTATUS ReadConfiguration(ULONG /*offset*/, void* /*buffer*/, ULONG /*length*/, ULONG& /*done*/) {
    return STATUS_NOT_SUPPORTED;
  }
  virtual NTSTATUS WriteConfiguration(ULONG /*offset*/, const void* /*buffer*/, ULONG /*length*/, ULONG& /*done*/) {
    return STATUS_NOT_SUPPORTED;
  }

  // True for the address of a register. Any IRQL.
  [[nodiscard]] virtual bool HasRegister(std::uintptr_t /*address*/) const { return false; }
  // `size` is 1, 2, 4 or 8 bytes. False, and nothing was accessed, where HasRegister() is false. Any IRQL.
  virtual bool ReadRegister(std::uintptr_t /*address*/, ULONG /*size*/, UINT64& /*value*/) { return false; }
  virtual bool WriteRegister(std::uintptr_t /*address*/, ULONG /*size*/, UINT64 /*value*/) { return false; }

  // I/O ports of 1, 2 or 4 bytes. False where the device has none. Any IRQL.
  virtual bool ReadPort(std::uint32_t /*port*/, ULONG /*size*/, ULONG& /*value*/) { return false; }
  virtual bool WritePort(std::uint32_t /*port*/, ULONG /*size*/, ULONG /*value*/) { return false; }

  // The driver is about to start: interrupts are raised through `line` until Disconnect().
  virtual void Connect(const TANDEM_BUS_INTERFACE& /*line*/) {}
  // The driver is gone: the device is reset, and accesses no memory of the driver any more.
  virtual void Disconnect() {}
};

// Size of the pictures that a source shows, in pixels.
struct DisplayOnlyMode {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// One thread at a time. Programs do not see the adapter. A call that has not returned for TdrSettings::ddi_delay_ns breaks the
// rule DdiReturns: it is left alone, and every later one answers kDeviceLost or STATUS_DEVICE_REMOVED.
class DisplayOnlyAdapter {
 public:
  virtual ~DisplayOnlyAdapter() = default;

  // Pins a mode that the driver offers: of this size, else the smallest that holds it, else the largest, and makes the source
  // visible. kUnsupported when the driver offers none, kDeviceLost when it broke a rule, else its status as kInternal.
  virtual Result<DisplayOnlyMode> SetMode(std::uint32_t width, std::uint32_t height) = 0;
  // Shows the dirty rectangles of an A8R8G8B8 picture of the mode's size; `pitch` in bytes. Returns when the driver has ceased to
  // read the pixels. kTimeout when it has not within two seconds.
  // kInvalidArgument, and the driver is not called, for a rectangle that is empty or leaves the mode's picture.
  virtual Result<void> Present(const std::byte* pixels, std::uint32_t pitch, std::span<const RECT> dirty) = 0;
  virtual Result<void> SetVisible(bool visible) = 0;
  // Makes the source dark and commits a VidPN without paths: there is no monitor. Errors: the driver's status as kInternal.
  virtual Result<void> TakeOff() = 0;
  // The system stops: the driver shows blocks of the kernel's last words. Errors: EnableSystemDisplay's
  // (adapter/system_display.h). Nothing but the end of the adapter follows.
  virtual Result<SystemDisplay> EnableSystemDisplay() = 0;
  virtual Result<void> WriteSystemDisplay(const SystemBlock& block) = 0;
  // The driver stops and gives the display to the next owner. Errors: Adapter::HandDisplayOver's.
  virtual Result<DXGK_DISPLAY_INFORMATION> ReleasePostDisplay() = 0;
  // True if the driver indicated since the last call that the monitor came, changed or went; monitor() is the new one.
  [[nodiscard]] virtual bool TakeMonitorChange() = 0;
  // Any thread.
  [[nodiscard]] virtual MonitorDescription monitor() const = 0;
  // Gives the active path a gamma ramp, until the next mode; errors: kernel::SetGammaRamp's (present/gamma_ramp.h),
  // STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY before the first mode.
  virtual NTSTATUS SetGammaRamp(const D3DKMDT_GAMMA_RAMP& ramp) = 0;
  // Asks the driver which VidPN it recommends; `mode` is the size of the source there. Nothing is set. Errors:
  // kernel::AskForVidPn's (present/recommended_vidpn.h).
  virtual NTSTATUS RecommendMode(DisplayOnlyMode& mode) = 0;
  // As Kernel's for the one source. Any thread, also beside Present().
  virtual Result<void> SetPointerShape(const PointerShape& shape) = 0;
  virtual Result<void> SetPointerPosition(const PointerPosition& position) = 0;
  [[nodiscard]] virtual PointerCaps pointer() const = 0;
  // Stops and removes the device, and unloads the driver; the destructor does that, too. Only destroyed afterwards. False: a
  // call does not return, and what the driver may use must stay for good: its code, the device, its bus, pixels that were not
  // shown.
  virtual bool Stop() = 0;

  [[nodiscard]] virtual const std::string& name() const = 0;
  // DXGK_WDDMVERSION of the driver's caps.
  [[nodiscard]] virtual std::uint32_t wddm_version() const = 0;
  // True if a monitor is connected to the target; as DxgkDdiQueryChildStatus answers.
  [[nodiscard]] virtual Result<bool> IsConnected() = 0;
  // DxgkDdiEscape with a program's data, which the driver may write to; its status. STATUS_NOT_SUPPORTED: it has none.
  virtual NTSTATUS Escape(D3DDDI_ESCAPEFLAGS flags, std::span<std::byte> data) = 0;
  // DxgkDdiQueryChildStatus of the child `status.ChildUid` for `status.Type`; its status. STATUS_INVALID_PARAMETER for a child
  // that is no target.
  virtual NTSTATUS QueryChildStatus(DXGK_CHILD_STATUS& status) = 0;
  // The rule that the driver broke, and how; empty while it broke none. Any thread.
  [[nodiscard]] virtual std::string violation() const = 0;
};

// A device and the bus that it is on; they outlive its adapter.
struct DisplayOnlyDevice {
  std::string name;           // the DEVICE_OBJECT's
  void* extension = nullptr;  // DEVICE_OBJECT.DeviceExtension
  DeviceBus* bus = nullptr;   // not null
};

// DriverEntry, AddDevice, StartDevice, QueryAdapterInfo and their checks. `driver_name` is for people. kUnsupported for a full
// driver; kTimeout when a call does not return: what the driver may use must stay. Needs no Kernel.
[[nodiscard]] Result<std::unique_ptr<DisplayOnlyAdapter>> StartDisplayOnlyAdapter(DRIVER_INITIALIZE* entry,
                                                                                  std::string driver_name,
                                                                                  const DisplayOnlyDevice& device,
                                                                                  const TdrSettings& tdr, Clock& clock);

// Enters the driver and unloads it. True if it called DxgkInitializeDisplayOnlyDriver. Errors: as DriverEntry's.
[[nodiscard]] Result<bool> IsDisplayOnlyDriver(DRIVER_INITIALIZE* entry, std::string driver_name);

}  // namespace tandem::kernel
