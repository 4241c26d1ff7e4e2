#include "bus/virtio/virtio_gpu.h"

#include <utility>

#include "base/log.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kCursorQueue = 1;
constexpr std::uint16_t kControlSize = 256, kCursorSize = 16;
// Offsets in the configuration: events_read, events_clear, num_scanouts.
constexpr std::uint32_t kEventsRead = 0, kEventsClear = 4, kScanoutCount = 8, kConfigBytes = 16;
constexpr std::uint32_t kDisplayEvent = 1;
constexpr std::uint8_t kDisplayClass = 0x03, kOtherDisplay = 0x80;

VirtioDescription Description() {
  return {virtio::kGpuType, kDisplayClass, kOtherDisplay, virtio::kGpuEdid, {kControlSize, kCursorSize}, kConfigBytes};
}

}  // namespace

VirtioGpu::VirtioGpu(const GpuDisplay& display, outputs::Output* flushed_to)
    : VirtioDevice(Description()), flushed_to_(flushed_to), commands_(display) {}

Result<void> VirtioGpu::Show(outputs::Output& output, const color::BlitRect& part) {
  const MutexLock lock(mutex_);
  if (!commands_.connected()) return {};
  return commands_.Show(output, part);
}

void VirtioGpu::SetConnected(bool connected) {
  {
    const MutexLock lock(mutex_);
    if (commands_.connected() == connected) return;
    commands_.SetConnected(connected);
  }
  events_.fetch_or(kDisplayEvent);
  TellConfigChange();
}

std::uint64_t VirtioGpu::flushes() const {
  const MutexLock lock(mutex_);
  return commands_.flushes();
}

std::uint64_t VirtioGpu::copied_bytes() const {
  const MutexLock lock(mutex_);
  return commands_.copied_bytes();
}

Result<std::optional<std::uint32_t>> VirtioGpu::Serve(std::uint32_t queue, const Chain& chain) {
  {
    const MutexLock lock(mutex_);
    const std::uint64_t flushes = commands_.flushes();
    commands_.Execute(queue == kCursorQueue, chain, answer_);
    if (flushed_to_ != nullptr && commands_.flushes() != flushes) ShowFlushed();
  }
  std::uint32_t written = 0;
  if (chain.Write(answer_.data(), answer_.size(), written)) return std::optional(written);
  return Fail(ErrorKind::kInvalidArgument, "The answer to a command of queue {} has no memory.", queue);
}

// A driver hears of no display that is lost: the device keeps the picture.
void VirtioGpu::ShowFlushed() {
  if (!commands_.connected()) return;
  const Result<void> shown = commands_.ShowScanOut(*flushed_to_);
  if (shown.ok() || std::exchange(lost_was_logged_, true)) return;
  Log(LogLevel::kWarn, "Pictures of a virtio GPU are not seen any more: {}", shown.error().message);
}

void VirtioGpu::OnReset() {
  const MutexLock lock(mutex_);
  commands_.Reset();
  events_ = 0;
}

// There are no capability sets. A field is accessed with its width.
std::uint32_t VirtioGpu::ReadConfig(std::uint32_t offset, std::uint32_t size) {
  if (offset == kEventsRead && size == sizeof(kDisplayEvent)) return events_.load();
  return offset == kScanoutCount ? 1 : 0;
}

void VirtioGpu::WriteConfig(std::uint32_t offset, std::uint32_t size, std::uint32_t value) {
  if (offset == kEventsClear && size == sizeof(value)) events_.fetch_and(~value);
}

}  // namespace tandem::bus
