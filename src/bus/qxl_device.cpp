#include "bus/qxl_device.h"

#include <utility>

namespace tandem::bus {
namespace {

constexpr std::int64_t kCommandsLimitNs = 2'000'000'000;
// A driver may throw a frame away, as on a change of the mode.
constexpr std::int64_t kFrameLimitNs = 200'000'000;

}  // namespace

QxlDevice::~QxlDevice() {
  kernel::UnplugDevice(this);
  if (slot_ != nullptr) slot_->Disconnect();
}

Result<std::unique_ptr<QxlDevice>> QxlDevice::Create(std::uint32_t width, std::uint32_t height,
                                                     std::shared_ptr<outputs::Output> output) {
  auto gpu = QxlGpu::Create(width, height);
  if (!gpu.ok()) return std::move(gpu).error();
  std::unique_ptr<QxlDevice> device(new QxlDevice(width, height, std::move(output), *std::move(gpu)));
  auto slot = PciSlot::Create(*device->gpu_, PciInterrupts::kLine);
  if (!slot.ok()) return std::move(slot).error();
  device->slot_ = *std::move(slot);
  kernel::PlugDevice(device->extension(), device->bus());
  return device;
}

Result<void> QxlDevice::Show(const color::BlitRect& part) {
  if (const auto before = std::exchange(draws_before_, std::nullopt)) static_cast<void>(gpu_->AwaitDraw(*before, kFrameLimitNs));
  if (!slot_->AwaitIdle(kCommandsLimitNs)) {
    return Fail(ErrorKind::kTimeout, "The QXL device is not done with the driver's commands after {} ms.",
                kCommandsLimitNs / 1'000'000);
  }
  Result<void> shown = gpu_->Show(*output_, part);
  const std::uint64_t copied = gpu_->copied_bytes();
  last_copied_bytes_ = copied - std::exchange(copied_bytes_, copied);
  return shown;
}

}  // namespace tandem::bus
