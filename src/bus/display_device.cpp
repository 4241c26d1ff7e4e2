#include "bus/display_device.h"

#include <utility>

#include "base/limits.h"
#include "bus/framebuffer.h"
#include "bus/qxl_device.h"
#include "bus/virtio_gpu_device.h"

namespace tandem::bus {

std::string_view NameOf(DisplayDeviceKind kind) {
  switch (kind) {
    case DisplayDeviceKind::kFramebuffer: return "frame buffer";
    case DisplayDeviceKind::kVirtioGpu: return "virtio GPU";
    case DisplayDeviceKind::kVirtioGpuOnLine: return "virtio GPU with a line interrupt";
    case DisplayDeviceKind::kQxl: return "QXL device";
  }
  return "";
}

Result<std::unique_ptr<DisplayDevice>> MakeDisplayDevice(DisplayDeviceKind kind, std::uint32_t width, std::uint32_t height,
                                                         std::shared_ptr<outputs::Output> output) {
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A display of {} x {} pixels is not within 1 x 1 and {} x {}.", width, height,
                kMaxSurfaceExtent, kMaxSurfaceExtent);
  }
  if (kind == DisplayDeviceKind::kQxl) {
    auto qxl = QxlDevice::Create(width, height, std::move(output));
    if (!qxl.ok()) return std::move(qxl).error();
    return *std::move(qxl);
  }
  if (kind != DisplayDeviceKind::kFramebuffer) {
    const auto interrupts = kind == DisplayDeviceKind::kVirtioGpu ? PciInterrupts::kMessages : PciInterrupts::kLine;
    auto gpu = VirtioGpuDevice::Create(width, height, std::move(output), ShownWhen::kAsked, {}, interrupts);
    if (!gpu.ok()) return std::move(gpu).error();
    return *std::move(gpu);
  }
  auto framebuffer = Framebuffer::Create(width, height, std::move(output));
  if (!framebuffer.ok()) return std::move(framebuffer).error();
  return *std::move(framebuffer);
}

}  // namespace tandem::bus
