#include "bus/virtio/virtio_gpu.h"

#include <utility>

#include "base/log.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kCursorQueue = 1;
constexpr std::uint16_t kControlSize = 256, kCursorSize = 16;
// Offsets in the configuration: events_read, events_clear, num_scanouts, num_capsets.
constexpr std::uint32_t kEventsRead = 0, kEventsClear = 4, kScanoutCount = 8, kCapsetCount = 12, kConfigBytes = 16;
constexpr std::uint32_t kDisplayEvent = 1;
constexpr std::uint8_t kDisplayClass = 0x03, kOtherDisplay = 0x80;

VirtioDescription Description(bool offers_3d) {
  const std::uint64_t features = virtio::kGpuEdid | (offers_3d ? virtio::kGpuVirgl : 0);
  return {virtio::kGpuType, kDisplayClass, kOtherDisplay, features, {kControlSize, kCursorSize}, kConfigBytes};
}

}  // namespace

VirtioGpu::VirtioGpu(const GpuDisplay& display, outputs::Output* flushed_to, MakeRenderer3d make_renderer)
    : VirtioDevice(Description(make_renderer != nullptr)),
      flushed_to_(flushed_to),
      commands_(display, std::move(make_renderer), *this) {}

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

void VirtioGpu::SetFlushedPart(const color::BlitRect& part) {
  const MutexLock lock(mutex_);
  flushed_part_ = part;
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
  std::optional<std::uint32_t> fence;
  {
    const MutexLock lock(mutex_);
    const std::uint64_t flushes = commands_.flushes();
    fence = commands_.Execute(queue == kCursorQueue, chain, answer_);
    if (flushed_to_ != nullptr && commands_.flushes() != flushes) ShowFlushed();
    if (commands_.hangs()) {
      return Fail(ErrorKind::kTimeout, "The 3D renderer is not done with a command after {} ms.", kRendererLimitNs / 1'000'000);
    }
  }
  if (fence) {
    if (held_.size() == kControlSize) {
      return Fail(ErrorKind::kInvalidArgument, "More than {} commands wait for fences, with a descriptor each.", kControlSize);
    }
    held_.push_back({*fence, queue, chain, answer_});
    return std::nullopt;
  }
  const auto written = Answer(queue, chain, answer_);
  if (!written.ok()) return written.error();
  return *written;
}

Result<std::uint32_t> VirtioGpu::Answer(std::uint32_t queue, const Chain& chain, const std::vector<std::byte>& answer) {
  std::uint32_t written = 0;
  if (chain.Write(answer.data(), answer.size(), written)) return written;
  return Fail(ErrorKind::kInvalidArgument, "The answer to a command of queue {} has no memory.", queue);
}

void VirtioGpu::OnFence(std::uint32_t fence) {
  signalled_.store(fence, std::memory_order_release);
  host().Wake();
}

Result<std::vector<FinishedChain>> VirtioGpu::TakeFinished() {
  std::vector<FinishedChain> finished;
  const std::uint32_t signalled = signalled_.load(std::memory_order_acquire);
  while (!held_.empty() && static_cast<std::int32_t>(signalled - held_.front().fence) >= 0) {
    if (finished.empty()) {
      const MutexLock lock(mutex_);
      commands_.PublishResults(signalled);
    }
    const Held& held = held_.front();
    const auto written = Answer(held.queue, held.chain, held.answer);
    if (!written.ok()) return written.error();
    finished.push_back({held.queue, held.chain.head(), *written});
    held_.pop_front();
  }
  return finished;
}

// A driver hears of no display that is lost: the device keeps the picture.
void VirtioGpu::ShowFlushed() {
  if (!commands_.connected() || flushed_part_ == color::BlitRect{}) return;
  const Result<void> shown = flushed_part_ ? commands_.Show(*flushed_to_, *flushed_part_) : commands_.ShowScanOut(*flushed_to_);
  if (shown.ok() || std::exchange(lost_was_logged_, true)) return;
  Log(LogLevel::kWarn, "Pictures of a virtio GPU are not seen any more: {}", shown.error().message);
}

void VirtioGpu::OnReset() {
  const MutexLock lock(mutex_);
  commands_.Reset();
  held_.clear();
  signalled_ = 0;
  events_ = 0;
}

// A field is accessed with its width.
std::uint32_t VirtioGpu::ReadConfig(std::uint32_t offset, std::uint32_t size) {
  if (offset == kEventsRead && size == sizeof(kDisplayEvent)) return events_.load();
  if (offset == kCapsetCount) {
    const MutexLock lock(mutex_);
    return commands_.CountCapsets();
  }
  return offset == kScanoutCount ? 1 : 0;
}

void VirtioGpu::WriteConfig(std::uint32_t offset, std::uint32_t size, std::uint32_t value) {
  if (offset == kEventsClear && size == sizeof(value)) events_.fetch_and(~value);
}

}  // namespace tandem::bus
