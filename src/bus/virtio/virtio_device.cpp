#include "bus/virtio/virtio_device.h"

#include <utility>

#include "base/log.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)

// Body of a virtio_pci_cap behind its first three bytes.
std::vector<std::uint8_t> Capability(std::uint8_t type, std::uint32_t offset, std::uint32_t bytes) {
  std::vector<std::uint8_t> body{type, static_cast<std::uint8_t>(kRegisterBar), 0, 0, 0};
  for (const std::uint32_t word : {offset, bytes}) {
    for (int shift = 0; shift < 32; shift += 8) body.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  return body;
}

DeviceDescription Describe(const VirtioDescription& device) {
  DeviceDescription described;
  const auto id = static_cast<std::uint16_t>(kFirstDevice + device.type);
  described.identity = {kVendor, id, kVendor, id, 1, device.base_class, device.sub_class};
  described.register_bar = kRegisterBar;
  described.register_bytes = kRegisterBytes;
  described.messages = static_cast<std::uint32_t>(device.queue_sizes.size()) + 1;
  std::vector<std::uint8_t> notify = Capability(kNotifyCapability, kNotify, kPartBytes);
  notify.insert(notify.end(), {std::uint8_t{kNotifyStride}, 0, 0, 0});  // notify_off_multiplier
  described.vendor_properties = {Capability(kCommonCapability, kCommon, kCommonBytes), std::move(notify),
                                 Capability(kInterruptCapability, kInterrupt, 1),
                                 Capability(kDeviceCapability, kDevice, device.config_bytes)};
  return described;
}

}  // namespace

VirtioDevice::VirtioDevice(const VirtioDescription& device)
    : device_(device), description_(Describe(device)), rings_(device.queue_sizes.size()) {
  const MutexLock lock(mutex_);
  ResetRegisters();
}

std::string VirtioDevice::broken() const {
  const MutexLock lock(mutex_);
  return broken_;
}

void VirtioDevice::ResetRegisters() {
  device_feature_select_ = driver_feature_select_ = 0;
  driver_features_ = 0;
  config_vector_ = kNoVector;
  queue_select_ = 0;
  status_ = interrupt_status_ = 0;
  queues_.clear();
  for (const std::uint16_t size : device_.queue_sizes) {
    Queue queue;
    queue.place.size = queue.most = size;
    queues_.push_back(queue);
  }
  broken_.clear();
}

void VirtioDevice::Reset() {
  for (SplitQueue& ring : rings_) ring.Stop();
  OnReset();
  const MutexLock lock(mutex_);
  ResetRegisters();
  reset_wanted_.store(false, std::memory_order_relaxed);
}

bool VirtioDevice::LineAsserted() const {
  const MutexLock lock(mutex_);
  return interrupt_status_ != 0;
}

void VirtioDevice::Work() {
  if (reset_wanted_.load(std::memory_order_acquire)) Reset();
  if (Result<void> pushed = PushFinished(); !pushed.ok()) return Break(pushed.error().message);
  for (std::uint32_t index = 0; index < rings_.size(); ++index) {
    if (Result<void> served = ServeQueue(index); !served.ok()) return Break(served.error().message);
  }
}

Result<void> VirtioDevice::PushFinished() {
  if (!broken().empty()) return {};
  auto finished = TakeFinished();
  if (!finished.ok()) return std::move(finished).error();
  std::vector<bool> used(rings_.size());
  for (const FinishedChain& chain : *finished) {
    if (Result<void> pushed = rings_[chain.queue].Push(chain.head, chain.written); !pushed.ok()) return pushed;
    used[chain.queue] = true;
  }
  for (std::uint32_t index = 0; index < used.size(); ++index) {
    if (!used[index]) continue;
    if (Result<void> told = TellUsed(index); !told.ok()) return told;
  }
  return {};
}

Result<void> VirtioDevice::ServeQueue(std::uint32_t index) {
  if (!StartRing(index)) return {};
  SplitQueue& ring = rings_[index];
  Chain chain;
  const std::uint32_t most = device_.queue_sizes[index];
  std::uint32_t count = 0, answered = 0;
  for (; count < most && !reset_wanted_.load(std::memory_order_acquire); ++count) {
    auto popped = ring.Pop(chain);
    if (!popped.ok()) return std::move(popped).error();
    if (!*popped) break;
    const auto written = Serve(index, chain);
    if (!written.ok()) return written.error();
    if (!*written) continue;
    if (Result<void> pushed = ring.Push(chain.head(), **written); !pushed.ok()) return pushed;
    ++answered;
  }
  if (answered != 0) {
    if (Result<void> told = TellUsed(index); !told.ok()) return told;
  }
  if (count == most) host_->Wake();  // for the other chains
  return {};
}

bool VirtioDevice::StartRing(std::uint32_t index) {
  const MutexLock lock(mutex_);
  if ((status_ & kDriverOk) == 0 || (status_ & kNeedsReset) != 0 || !queues_[index].enabled) return false;
  if (!rings_[index].started()) rings_[index].Start(queues_[index].place);
  return true;
}

Result<void> VirtioDevice::TellUsed(std::uint32_t index) {
  const auto wants = rings_[index].WantsInterrupt();
  if (!wants.ok()) return wants.error();
  if (!*wants) return {};
  std::uint16_t vector = kNoVector;
  {
    const MutexLock lock(mutex_);
    interrupt_status_ |= kQueueInterrupt;
    vector = queues_[index].vector;
  }
  host_->Raise(vector);
  return {};
}

void VirtioDevice::TellConfigChange() {
  std::uint16_t vector = kNoVector;
  {
    const MutexLock lock(mutex_);
    ++generation_;
    if ((status_ & kDriverOk) == 0) return;
    interrupt_status_ |= kConfigInterrupt | kQueueInterrupt;  // both bits, as QEMU's: a shipped driver knows no other value
    vector = config_vector_;
  }
  host_->Raise(vector);
  host_->Wake();
}

void VirtioDevice::Break(const std::string& reason) {
  Log(LogLevel::kWarn, "A virtio device needs a reset: {}", reason);
  std::uint16_t vector = kNoVector;
  {
    const MutexLock lock(mutex_);
    status_ |= kNeedsReset;
    interrupt_status_ |= kConfigInterrupt;
    broken_ = reason;
    vector = config_vector_;
  }
  host_->Raise(vector);
}

}  // namespace tandem::bus
