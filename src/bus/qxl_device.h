// A QXL device in a PCI slot: a display for display-only drivers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "bus/display_device.h"
#include "bus/pci_slot.h"
#include "bus/qxl/qxl_gpu.h"
#include "color/blit.h"
#include "kernel/device_slots.h"
#include "kernel/display_only.h"
#include "outputs/output.h"

namespace tandem::bus {

// The driver's commands run on the slot's thread. Show() waits for those of the frame, which the driver's own thread may send.
class QxlDevice final : public DisplayDevice {
 public:
  // Extents within 1..kMaxSurfaceExtent. kOutOfMemory, kLimit.
  static Result<std::unique_ptr<QxlDevice>> Create(std::uint32_t width, std::uint32_t height,
                                                   std::shared_ptr<outputs::Output> output);
  ~QxlDevice() override;
  QxlDevice(const QxlDevice&) = delete;
  QxlDevice& operator=(const QxlDevice&) = delete;

  [[nodiscard]] kernel::DeviceBus& bus() override { return *slot_; }
  // Its meaning is VirtioGpuDevice's.
  [[nodiscard]] void* extension() override { return this; }
  [[nodiscard]] outputs::Output& output() override { return *output_; }
  [[nodiscard]] std::uint32_t width() const override { return width_; }
  [[nodiscard]] std::uint32_t height() const override { return height_; }
  void BeginFrame() override { draws_before_ = gpu_->draws(); }
  Result<void> Show(const color::BlitRect& part) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return last_copied_bytes_; }

 private:
  QxlDevice(std::uint32_t width, std::uint32_t height, std::shared_ptr<outputs::Output> output, std::unique_ptr<QxlGpu> gpu)
      : width_(width), height_(height), output_(std::move(output)), gpu_(std::move(gpu)) {}

  const std::uint32_t width_;   // pixels
  const std::uint32_t height_;  // pixels
  const std::shared_ptr<outputs::Output> output_;
  const std::unique_ptr<QxlGpu> gpu_;
  std::unique_ptr<PciSlot> slot_;              // gpu_ outlives it
  std::optional<std::uint64_t> draws_before_;  // the frame
  std::uint64_t copied_bytes_ = 0;             // of the GPU, at the last Show
  std::uint64_t last_copied_bytes_ = 0;
};

}  // namespace tandem::bus
