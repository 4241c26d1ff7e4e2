// The frame buffer that firmware set up on a machine's screen, for drivers that draw on it: memory, the registers that set other
// modes at their ports and in a BAR, and the output that shows it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/thread.h"
#include "bus/bochs_registers.h"
#include "bus/display_device.h"
#include "bus/low_memory.h"
#include "bus/standard_vga.h"
#include "color/blit.h"
#include "kernel/display_only.h"
#include "outputs/output.h"

#include <tandem_bus.h>

namespace tandem::bus {

// Pixels are A8R8G8B8; the physical address is the host's. Threads: any; Show() one at a time.
class Framebuffer final : public DisplayDevice, public kernel::DeviceBus {
 public:
  // kInvalidArgument for extents outside 1..kMaxSurfaceExtent, kOutOfMemory.
  static Result<std::unique_ptr<Framebuffer>> Create(std::uint32_t width, std::uint32_t height,
                                                     std::shared_ptr<outputs::Output> output);

  [[nodiscard]] kernel::DeviceBus& bus() override { return *this; }
  [[nodiscard]] void* extension() override { return &device_; }
  [[nodiscard]] outputs::Output& output() override { return *output_; }
  [[nodiscard]] std::uint32_t width() const override { return width_; }
  [[nodiscard]] std::uint32_t height() const override { return height_; }
  Result<void> Show(const color::BlitRect& part) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) override;
  NTSTATUS MapMemory(PHYSICAL_ADDRESS address, ULONG length, PVOID& mapped) override;
  NTSTATUS UnmapMemory(PVOID mapped) override;
  [[nodiscard]] PCM_RESOURCE_LIST TranslatedResources() override { return vga_.resources(); }
  NTSTATUS ReadConfiguration(ULONG offset, void* buffer, ULONG length, ULONG& done) override;
  NTSTATUS WriteConfiguration(ULONG offset, const void* buffer, ULONG length, ULONG& done) override;
  [[nodiscard]] bool HasRegister(std::uintptr_t address) const override { return vga_.registers().Has(address); }
  bool ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) override;
  bool WriteRegister(std::uintptr_t address, ULONG size, UINT64 value) override;
  bool ReadPort(std::uint32_t port, ULONG size, ULONG& value) override;
  bool WritePort(std::uint32_t port, ULONG size, ULONG value) override;

 private:
  Framebuffer(LowMemory memory, StandardVga vga, std::uint32_t width, std::uint32_t height,
              std::shared_ptr<outputs::Output> output);

  void ClearNewMode() TANDEM_REQUIRES(mutex_);

  const LowMemory memory_;
  const std::uint32_t width_;   // pixels
  const std::uint32_t height_;  // pixels
  const std::uint32_t pitch_;   // bytes
  const std::shared_ptr<outputs::Output> output_;
  TANDEM_BUS_DEVICE device_{};
  StandardVga vga_;  // its configuration space is accessed with the mutex held
  Mutex mutex_;
  std::uint32_t mappings_ TANDEM_GUARDED_BY(mutex_) = 0;
  BochsRegisters registers_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::bus
