// The frame buffer that firmware set up on a machine's screen, for drivers that draw on it: memory, and the output that shows it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/memory_map.h"
#include "base/result.h"
#include "base/thread.h"
#include "color/blit.h"
#include "kernel/display_only.h"
#include "outputs/output.h"

#include <tandem_bus.h>

namespace tandem::bus {

// Pixels are A8R8G8B8; the physical address is the host's. Threads: any; Show() one at a time.
class Framebuffer final : public kernel::DeviceBus {
 public:
  // kInvalidArgument for extents outside 1..kMaxSurfaceExtent, kOutOfMemory.
  static Result<std::unique_ptr<Framebuffer>> Create(std::uint32_t width, std::uint32_t height,
                                                     std::shared_ptr<outputs::Output> output);

  // DEVICE_OBJECT.DeviceExtension.
  [[nodiscard]] void* extension() { return &device_; }
  [[nodiscard]] outputs::Output& output() { return *output_; }
  [[nodiscard]] std::uint32_t width() const { return width_; }
  [[nodiscard]] std::uint32_t height() const { return height_; }
  // Shows a part of the frame buffer, which lies inside; errors: the output's.
  Result<void> Show(const color::BlitRect& part);

  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) override;
  NTSTATUS MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) override;
  NTSTATUS UnmapMemory(PVOID mapped) override;

 private:
  Framebuffer(MemoryMap memory, std::uint32_t width, std::uint32_t height, std::shared_ptr<outputs::Output> output);

  const MemoryMap memory_;
  const std::uint32_t width_;   // pixels
  const std::uint32_t height_;  // pixels
  const std::uint32_t pitch_;   // bytes
  const std::shared_ptr<outputs::Output> output_;
  TANDEM_BUS_DEVICE device_{};
  Mutex mutex_;
  std::uint32_t mappings_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::bus
