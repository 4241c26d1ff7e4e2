// A device that a display-only driver shows pictures on, and the output that its picture goes to.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "color/blit.h"
#include "kernel/display_only.h"
#include "outputs/output.h"

namespace tandem::bus {

class DisplayDevice {
 public:
  virtual ~DisplayDevice() = default;
  [[nodiscard]] virtual kernel::DeviceBus& bus() = 0;
  // DEVICE_OBJECT.DeviceExtension.
  [[nodiscard]] virtual void* extension() = 0;
  [[nodiscard]] virtual outputs::Output& output() = 0;
  [[nodiscard]] virtual std::uint32_t width() const = 0;  // pixels of the display
  [[nodiscard]] virtual std::uint32_t height() const = 0;
  // The driver is about to be given a frame, which the next Show() waits for.
  virtual void BeginFrame() {}
  // Shows a part of the picture that the driver has shown on the device since the last call; it lies in the driver's mode.
  // Errors: the output's; kSurfaceLost when the driver has shown nothing.
  virtual Result<void> Show(const color::BlitRect& part) = 0;
  // Pulls the cable of the display, or puts it back. False: the display is there for good. Any thread.
  virtual bool SetCable(bool /*plugged*/) { return false; }
  // Bytes that the device copied for the last Show.
  [[nodiscard]] virtual std::uint64_t LastShowCopiedBytes() const = 0;
};

enum class DisplayDeviceKind : std::uint8_t {
  kFramebuffer,      // memory that firmware left behind (Framebuffer)
  kVirtioGpu,        // PCI device 1AF4:1050 with message interrupts (VirtioGpuDevice)
  kVirtioGpuOnLine,  // the same with its interrupt line
  kQxl,              // PCI device 1B36:0100 with an interrupt line (QxlDevice)
};

// For people.
[[nodiscard]] std::string_view NameOf(DisplayDeviceKind kind);

// kInvalidArgument for extents outside 1..kMaxSurfaceExtent, kOutOfMemory; for a virtio GPU kUnsupported when the system refuses
// the calls that read a driver's memory.
[[nodiscard]] Result<std::unique_ptr<DisplayDevice>> MakeDisplayDevice(DisplayDeviceKind kind, std::uint32_t width,
                                                                       std::uint32_t height,
                                                                       std::shared_ptr<outputs::Output> output);

}  // namespace tandem::bus
