#include "bus/virtio_gpu_device.h"

#include <utility>

#include "bus/guest_memory.h"
#include "color/blit.h"

namespace tandem::bus {
namespace {

constexpr std::int64_t kCommandsLimitNs = 2'000'000'000;
constexpr std::int64_t kNobodysPeriodNs = 16'666'667;  // of a display that is not connected

}  // namespace

VirtioGpuDevice::VirtioGpuDevice(std::uint32_t width, std::uint32_t height, std::shared_ptr<outputs::Output> output,
                                 ShownWhen when, MakeRenderer3d make_renderer)
    : width_(width),
      height_(height),
      output_(std::move(output)),
      gpu_({width, height, output_ == nullptr ? kNobodysPeriodNs : output_->info().refresh_period_ns, output_ != nullptr},
           when == ShownWhen::kFlushed ? output_.get() : nullptr, std::move(make_renderer)) {}

// The renderer of a driver that has not stopped calls the slot.
VirtioGpuDevice::~VirtioGpuDevice() {
  kernel::UnplugDevice(this);
  if (slot_ != nullptr) slot_->Disconnect();
}

Result<std::unique_ptr<VirtioGpuDevice>> VirtioGpuDevice::Create(std::uint32_t width, std::uint32_t height,
                                                                 std::shared_ptr<outputs::Output> output, ShownWhen when,
                                                                 MakeRenderer3d make_renderer, PciInterrupts interrupts) {
  if (auto readable = ProbeGuestMemory(); !readable.ok()) return std::move(readable).error();
  std::unique_ptr<VirtioGpuDevice> device(new VirtioGpuDevice(width, height, std::move(output), when, std::move(make_renderer)));
  auto slot = PciSlot::Create(device->gpu_, interrupts);
  if (!slot.ok()) return std::move(slot).error();
  device->slot_ = *std::move(slot);
  kernel::PlugDevice(device->extension(), device->bus());
  return device;
}

bool VirtioGpuDevice::SetCable(bool plugged) {
  if (output_ == nullptr) return false;
  gpu_.SetConnected(plugged);
  return true;
}

Result<void> VirtioGpuDevice::Show(const color::BlitRect& part) {
  if (!slot_->AwaitIdle(kCommandsLimitNs)) {
    return Fail(ErrorKind::kTimeout, "The virtio GPU is not done with the driver's commands after {} ms.",
                kCommandsLimitNs / 1'000'000);
  }
  if (const std::string broken = gpu_.broken(); !broken.empty()) {
    return Fail(ErrorKind::kSurfaceLost, "The virtio GPU needs a reset: {}", broken);
  }
  const std::uint64_t flushes = gpu_.flushes();
  if (flushes == shown_flushes_) return Fail(ErrorKind::kSurfaceLost, "The driver has not flushed a picture to the virtio GPU.");
  shown_flushes_ = flushes;
  Result<void> shown = gpu_.Show(*output_, part);
  const std::uint64_t copied = gpu_.copied_bytes();
  last_copied_bytes_ = copied - std::exchange(copied_bytes_, copied);
  return shown;
}

}  // namespace tandem::bus
