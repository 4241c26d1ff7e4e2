#include "bus/display_device.h"

#include <utility>

#include "base/limits.h"
#include "bus/framebuffer.h"
#include "bus/qxl_device.h"
#include "bus/virtio_gpu_device.h"

namespace tandem::bus {

namespace {

template <class Device>
Result<std::unique_ptr<DisplayDevice>> AsDisplay(Result<std::unique_ptr<Device>> device) {
  if (!device.ok()) return std::move(device).error();
  return *std::move(device);
}

}  // namespace

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
  if (kind == DisplayDeviceKind::kFramebuffer) return AsDisplay(Framebuffer::Create(width, height, std::move(output)));
  if (kind == DisplayDeviceKind::kQxl) return AsDisplay(QxlDevice::Create(width, height, std::move(output)));
  const auto interrupts = kind == DisplayDeviceKind::kVirtioGpu ? PciInterrupts::kMessages : PciInterrupts::kLine;
  return AsDisplay(VirtioGpuDevice::Create(width, height, std::move(output), ShownWhen::kAsked, {}, interrupts));
}

}  // namespace tandem::bus
