// Accesses to the registers of a VirtioDevice. A field is accessed with its width, a 64-bit one in two halves; other accesses
// read zero and write nothing.
#include "bus/virtio/virtio_registers.h"

#include <bit>
#include <utility>

#include "bus/virtio/virtio_device.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)

// The half of a 64-bit register at `offset`.
std::uint32_t Half(std::uint64_t value, std::uint32_t offset) { return static_cast<std::uint32_t>(value >> (offset % 8 * 8)); }

void SetHalf(std::uint64_t& value, std::uint32_t offset, std::uint32_t half) {
  const std::uint32_t shift = offset % 8 * 8;
  value = (value & ~(std::uint64_t{0xFFFFFFFF} << shift)) | std::uint64_t{half} << shift;
}

std::uint32_t FeatureWord(std::uint64_t features, std::uint32_t select) { return select < 2 ? Half(features, select * 4) : 0; }

constexpr std::uint32_t WidthOf(std::uint32_t offset) {
  if (offset == kStatus || offset == kGeneration) return 1;
  return offset < kConfigVector || offset >= kQueueDescriptors ? 4 : 2;
}

}  // namespace

std::uint32_t VirtioDevice::ReadRegister(std::uint32_t offset, std::uint32_t size) {
  const std::uint32_t within = offset % kPartBytes;
  if (offset - within == kDevice) return within + size <= device_.config_bytes ? ReadConfig(within, size) : 0;
  const MutexLock lock(mutex_);
  if (offset - within == kCommon) return ReadCommon(within, size);
  if (offset == kInterrupt) return std::exchange(interrupt_status_, std::uint8_t{0});
  return 0;
}

void VirtioDevice::WriteRegister(std::uint32_t offset, std::uint32_t size, std::uint32_t value) {
  const std::uint32_t within = offset % kPartBytes;
  if (offset - within == kDevice) {
    if (within + size <= device_.config_bytes) WriteConfig(within, size, value);
    return;
  }
  {
    const MutexLock lock(mutex_);
    if (offset < kCommonBytes) WriteCommon(offset, size, value);
  }
  if (offset >= kNotify || offset == kStatus) host_->Wake();
}

std::uint32_t VirtioDevice::ReadCommon(std::uint32_t offset, std::uint32_t size) {
  if (size != WidthOf(offset)) return 0;
  switch (offset) {
    case kDeviceFeatureSelect: return device_feature_select_;
    case kDeviceFeature: return FeatureWord(device_.features | kVersion1, device_feature_select_);
    case kDriverFeatureSelect: return driver_feature_select_;
    case kDriverFeature: return FeatureWord(driver_features_, driver_feature_select_);
    case kConfigVector: return config_vector_;
    case kQueueCount: return static_cast<std::uint32_t>(queues_.size());
    case kStatus: return status_;
    case kGeneration: return generation_;
    case kQueueSelect: return queue_select_;
    default: return queue_select_ < queues_.size() ? ReadQueue(offset) : 0;
  }
}

std::uint32_t VirtioDevice::ReadQueue(std::uint32_t offset) {
  const Queue& queue = queues_[queue_select_];
  switch (offset) {
    case kQueueSize: return queue.place.size;
    case kQueueVector: return queue.vector;
    case kQueueEnable: return queue.enabled ? 1 : 0;
    case kQueueNotifyOffset: return queue_select_;
    case kQueueDescriptors:
    case kQueueDescriptors + 4: return Half(queue.place.descriptors, offset);
    case kQueueAvailable:
    case kQueueAvailable + 4: return Half(queue.place.available, offset);
    case kQueueUsed:
    case kQueueUsed + 4: return Half(queue.place.used, offset);
    default: return 0;
  }
}

void VirtioDevice::WriteCommon(std::uint32_t offset, std::uint32_t size, std::uint32_t value) {
  if (size != WidthOf(offset)) return;
  switch (offset) {
    case kDeviceFeatureSelect: device_feature_select_ = value; return;
    case kDriverFeatureSelect: driver_feature_select_ = value; return;
    case kDriverFeature:
      if (driver_feature_select_ < 2 && (status_ & kFeaturesOk) == 0)
        SetHalf(driver_features_, driver_feature_select_ * 4, value);
      return;
    case kConfigVector: config_vector_ = VectorOf(value); return;
    case kStatus: return WriteStatus(value);
    case kQueueSelect: queue_select_ = static_cast<std::uint16_t>(value); return;
    default:
      if (queue_select_ < queues_.size()) WriteQueue(offset, value);
  }
}

// The place of a queue that is enabled does not change.
void VirtioDevice::WriteQueue(std::uint32_t offset, std::uint32_t value) {
  Queue& queue = queues_[queue_select_];
  if (offset == kQueueVector) queue.vector = VectorOf(value);
  if (queue.enabled) return;
  switch (offset) {
    case kQueueSize:
      if (std::has_single_bit(value) && value <= queue.most) queue.place.size = static_cast<std::uint16_t>(value);
      return;
    case kQueueEnable: queue.enabled = value == 1; return;
    case kQueueDescriptors:
    case kQueueDescriptors + 4: return SetHalf(queue.place.descriptors, offset, value);
    case kQueueAvailable:
    case kQueueAvailable + 4: return SetHalf(queue.place.available, offset, value);
    case kQueueUsed:
    case kQueueUsed + 4: return SetHalf(queue.place.used, offset, value);
    default: return;
  }
}

// Bits are only added. A device that works is reset by its thread; the driver waits until it reads zero.
void VirtioDevice::WriteStatus(std::uint32_t value) {
  if (reset_wanted_.load(std::memory_order_relaxed)) return;
  if (value == 0) {
    if ((status_ & kDriverOk) == 0) return ResetRegisters();
    reset_wanted_.store(true, std::memory_order_release);
    return;
  }
  // The device takes no notice of features that it did not offer, as QEMU's: a shipped driver sets such bits.
  if ((value & kFeaturesOk) != 0) driver_features_ &= device_.features | kVersion1;
  if ((driver_features_ & kVersion1) == 0) value &= ~std::uint32_t{kFeaturesOk};
  if (((value | status_) & kFeaturesOk) == 0) value &= ~std::uint32_t{kDriverOk};
  status_ |= static_cast<std::uint8_t>(value & ~std::uint32_t{kNeedsReset});
}

std::uint16_t VirtioDevice::VectorOf(std::uint32_t value) const {
  return value < description_.messages ? static_cast<std::uint16_t>(value) : kNoVector;
}

}  // namespace tandem::bus
