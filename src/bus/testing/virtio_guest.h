// A driver of a virtio device for tests: registers, and one split queue after the other in memory of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bus/device_model.h"
#include "bus/virtio/virtio_registers.h"

namespace tandem::bus {

// The slot of a model, without a thread: Run() works while the model wants to.
class FakeHost final : public DeviceHost {
 public:
  explicit FakeHost(DeviceModel& model) : model_(model) { model.Attach(*this); }
  void Wake() override { awake_ = true; }
  void Raise(std::uint16_t vector) override { raised.push_back(vector); }
  void Run() {
    for (int i = 0; i < 1000 && awake_.exchange(false); ++i) model_.Work();
  }

  std::vector<std::uint16_t> raised;

 private:
  DeviceModel& model_;
  std::atomic<bool> awake_{false};
};

// The memory of a queue, as the specification lays it out.
struct GuestQueue {
  static constexpr std::uint16_t kSize = 16;
  struct Descriptor {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint16_t flags, next;
  };
  struct Available {
    std::uint16_t flags, index;
    std::array<std::uint16_t, kSize> heads;
  };
  struct Used {
    std::uint16_t flags, index;
    struct Entry {
      std::uint32_t head, written;
    };
    std::array<Entry, kSize> entries;
  };
  alignas(16) std::array<Descriptor, kSize> descriptors{};
  Available available{};
  Used used{};

  void Offer(std::uint16_t head) { available.heads[available.index++ % kSize] = head; }
};

class VirtioGuest {
 public:
  static constexpr std::uint16_t kNext = 1, kDeviceWrites = 2;

  explicit VirtioGuest(DeviceModel& device) : model(device), host(device) {}

  void Write(std::uint32_t offset, std::uint32_t size, std::uint32_t value) { model.WriteRegister(offset, size, value); }
  std::uint32_t Read(std::uint32_t offset, std::uint32_t size) { return model.ReadRegister(offset, size); }
  void Write64(std::uint32_t offset, const void* address) {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    Write(offset, 4, static_cast<std::uint32_t>(value));
    Write(offset + 4, 4, static_cast<std::uint32_t>(value >> 32));
  }

  // Negotiates VIRTIO_F_VERSION_1 and `features` (of the first 32), enables both queues and sets DRIVER_OK. Returns the status.
  std::uint32_t Start(std::uint32_t features = 0) {
    using namespace virtio;  // NOLINT(google-build-using-namespace)
    Write(kStatus, 1, kAcknowledge | kDriver);
    Write(kDriverFeatureSelect, 4, 0);
    Write(kDriverFeature, 4, features);
    Write(kDriverFeatureSelect, 4, 1);
    Write(kDriverFeature, 4, kVersion1 >> 32);
    Write(kStatus, 1, kAcknowledge | kDriver | kFeaturesOk);
    Write(kConfigVector, 2, 0);
    for (std::uint16_t i = 0; i < queues.size(); ++i) {
      queues[i] = {};
      Write(kQueueSelect, 2, i);
      Write(kQueueSize, 2, GuestQueue::kSize);
      Write(kQueueVector, 2, i + 1u);
      Write64(kQueueDescriptors, queues[i].descriptors.data());
      Write64(kQueueAvailable, &queues[i].available);
      Write64(kQueueUsed, &queues[i].used);
      Write(kQueueEnable, 2, 1);
    }
    Write(kStatus, 1, kAcknowledge | kDriver | kFeaturesOk | kDriverOk);
    host.Run();
    return Read(kStatus, 1);
  }

  void Reset() {
    Write(virtio::kStatus, 1, 0);
    host.Run();
  }

  void Notify(std::uint16_t queue) {
    Write(virtio::kNotify + queue * virtio::kNotifyStride, 2, queue);
    host.Run();
  }

  // Sends a command in two buffers, and reads an answer of `answer_bytes`. Returns the bytes that the device wrote.
  std::uint32_t Send(std::uint16_t queue, std::span<const std::byte> command, void* answer, std::uint32_t answer_bytes) {
    GuestQueue& ring = queues[queue];
    const auto half = static_cast<std::uint32_t>(command.size() / 2);
    const auto rest = static_cast<std::uint32_t>(command.size()) - half;
    const auto begin = reinterpret_cast<std::uintptr_t>(command.data());
    ring.descriptors[0] = {begin, half, kNext, 1};
    ring.descriptors[1] = {begin + half, rest, kNext, 2};
    ring.descriptors[2] = {reinterpret_cast<std::uintptr_t>(answer), answer_bytes, kDeviceWrites, 0};
    ring.Offer(0);
    const std::uint16_t before = ring.used.index;
    Notify(queue);
    return ring.used.index == before ? 0 : ring.used.entries[before % GuestQueue::kSize].written;
  }

  // The answer's type to a command structure; `tail` follows it.
  template <class Command, class Entry = std::byte>
  std::uint32_t Send(const Command& command, std::uint16_t queue = 0, std::span<const Entry> tail = {}) {
    std::vector<std::byte> bytes(sizeof(command) + tail.size_bytes());
    std::memcpy(bytes.data(), &command, sizeof(command));
    if (!tail.empty()) std::memcpy(bytes.data() + sizeof(command), tail.data(), tail.size_bytes());
    std::array<std::uint32_t, 6> answer{};
    Send(queue, bytes, answer.data(), sizeof(answer));
    return answer[0];
  }

  DeviceModel& model;
  FakeHost host;
  std::array<GuestQueue, 2> queues;
};

}  // namespace tandem::bus
