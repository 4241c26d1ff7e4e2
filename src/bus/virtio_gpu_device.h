// A virtio GPU in a PCI slot: a display for display-only drivers, which asks for pictures, and a device for full drivers, which
// flush them when they flip.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "bus/display_device.h"
#include "bus/pci_slot.h"
#include "bus/virtio/renderer_3d.h"
#include "bus/virtio/virtio_gpu.h"
#include "color/blit.h"
#include "kernel/device_slots.h"
#include "kernel/display_only.h"
#include "outputs/output.h"

namespace tandem::bus {

// When the pictures of a device come to its output.
enum class ShownWhen : std::uint8_t {
  kAsked,    // Show() asks
  kFlushed,  // the driver flushes; Show() is not called. Without an output the display is not connected
};

// The driver's commands run on the slot's thread, which shows what is flushed; Show() waits for them and calls the output on
// its own thread.
class VirtioGpuDevice final : public DisplayDevice {
 public:
  // Extents within 1..kMaxSurfaceExtent. With `make_renderer` the device offers 3D, which costs nothing until a driver takes it.
  // kUnsupported, kOutOfMemory, kLimit.
  static Result<std::unique_ptr<VirtioGpuDevice>> Create(std::uint32_t width, std::uint32_t height,
                                                         std::shared_ptr<outputs::Output> output, ShownWhen when,
                                                         MakeRenderer3d make_renderer = {},
                                                         PciInterrupts interrupts = PciInterrupts::kMessages);

  ~VirtioGpuDevice() override;
  VirtioGpuDevice(const VirtioGpuDevice&) = delete;
  VirtioGpuDevice& operator=(const VirtioGpuDevice&) = delete;

  [[nodiscard]] kernel::DeviceBus& bus() override { return *slot_; }
  // Not for the driver, which knows a PCI device by its configuration space: adapters that are added with it are on the bus.
  [[nodiscard]] void* extension() override { return this; }
  [[nodiscard]] outputs::Output& output() override { return *output_; }
  [[nodiscard]] std::uint32_t width() const override { return width_; }
  [[nodiscard]] std::uint32_t height() const override { return height_; }
  Result<void> Show(const color::BlitRect& part) override;
  // False without an output: nothing is connected.
  bool SetCable(bool plugged) override;
  // VirtioGpu's, for kFlushed.
  void SetFlushedPart(const color::BlitRect& part) { gpu_.SetFlushedPart(part); }
  // Bytes that GpuCommands::copied_bytes() counts.
  [[nodiscard]] std::uint64_t copied_bytes() const { return gpu_.copied_bytes(); }
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return last_copied_bytes_; }

 private:
  VirtioGpuDevice(std::uint32_t width, std::uint32_t height, std::shared_ptr<outputs::Output> output, ShownWhen when,
                  MakeRenderer3d make_renderer);

  const std::uint32_t width_;   // pixels
  const std::uint32_t height_;  // pixels
  const std::shared_ptr<outputs::Output> output_;
  VirtioGpu gpu_;
  std::unique_ptr<PciSlot> slot_;  // gpu_ outlives it
  std::uint64_t shown_flushes_ = 0;
  std::uint64_t copied_bytes_ = 0;  // of the GPU, at the last Show
  std::uint64_t last_copied_bytes_ = 0;
};

}  // namespace tandem::bus
