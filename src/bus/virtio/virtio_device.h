// What every virtio device has: registers of the modern PCI transport, feature negotiation, queues, interrupts.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/thread.h"
#include "bus/device_model.h"
#include "bus/virtio/split_queue.h"
#include "bus/virtio/virtio_registers.h"

namespace tandem::bus {

struct VirtioDescription {
  std::uint16_t type = 0;  // device type of the specification
  std::uint8_t base_class = 0;
  std::uint8_t sub_class = 0;
  std::uint64_t features = 0;              // offered beside VIRTIO_F_VERSION_1
  std::vector<std::uint16_t> queue_sizes;  // powers of two
  std::uint32_t config_bytes = 0;          // of the device's own configuration
};

// A chain that Serve() kept, and the bytes that were written to it since.
struct FinishedChain {
  std::uint32_t queue = 0;
  std::uint16_t head = 0;
  std::uint32_t written = 0;
};

// A queue that the driver broke, or an answer that it has no memory for, stops the device until the driver resets it
// (DEVICE_NEEDS_RESET).
class VirtioDevice : public DeviceModel {
 public:
  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void Attach(DeviceHost& host) override { host_ = &host; }
  [[nodiscard]] std::uint32_t ReadRegister(std::uint32_t offset, std::uint32_t size) override;
  void WriteRegister(std::uint32_t offset, std::uint32_t size, std::uint32_t value) override;
  void Work() override;
  [[nodiscard]] bool LineAsserted() const override;
  void Reset() override;

  // How the driver broke the device since the last reset; empty: it did not. Any thread.
  [[nodiscard]] std::string broken() const;

 protected:
  explicit VirtioDevice(const VirtioDescription& device);

  // The device's own part, on the thread of Work(). Serve answers a chain of buffers, and returns the bytes that it wrote.
  // nullopt: TakeFinished() returns the chain later, before the next OnReset().
  [[nodiscard]] virtual Result<std::optional<std::uint32_t>> Serve(std::uint32_t queue, const Chain& chain) = 0;
  // Each call of Work() asks for the kept chains that are finished, before it serves others.
  [[nodiscard]] virtual Result<std::vector<FinishedChain>> TakeFinished() { return std::vector<FinishedChain>{}; }
  virtual void OnReset() = 0;
  // The device's configuration; `offset` and `size` as DeviceModel's, inside of config_bytes. Any thread.
  [[nodiscard]] virtual std::uint32_t ReadConfig(std::uint32_t offset, std::uint32_t size) = 0;
  virtual void WriteConfig(std::uint32_t /*offset*/, std::uint32_t /*size*/, std::uint32_t /*value*/) {}
  // The device's configuration has changed; a driver that has started hears of it. Any thread.
  void TellConfigChange();
  [[nodiscard]] DeviceHost& host() { return *host_; }

 private:
  // The registers of a queue.
  struct Queue {
    QueuePlace place;
    std::uint16_t most = 0;  // the largest size
    std::uint16_t vector = kNoVector;
    bool enabled = false;
  };

  [[nodiscard]] std::uint32_t ReadCommon(std::uint32_t offset, std::uint32_t size) TANDEM_REQUIRES(mutex_);
  void WriteCommon(std::uint32_t offset, std::uint32_t size, std::uint32_t value) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::uint32_t ReadQueue(std::uint32_t offset) TANDEM_REQUIRES(mutex_);
  void WriteQueue(std::uint32_t offset, std::uint32_t value) TANDEM_REQUIRES(mutex_);
  void WriteStatus(std::uint32_t value) TANDEM_REQUIRES(mutex_);
  void ResetRegisters() TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::uint16_t VectorOf(std::uint32_t value) const;

  // Gives finished chains back. Errors: the driver broke their queue.
  [[nodiscard]] Result<void> PushFinished();
  // Serves what is in the queue. Errors: the driver broke it.
  [[nodiscard]] Result<void> ServeQueue(std::uint32_t index);
  // Starts the ring of a queue that the driver has enabled. False: there is nothing to serve.
  [[nodiscard]] bool StartRing(std::uint32_t index);
  // Raises the queue's interrupt if the driver wants it. Errors: the driver broke the queue.
  [[nodiscard]] Result<void> TellUsed(std::uint32_t index);
  void Break(const std::string& reason);

  const VirtioDescription device_;
  DeviceDescription description_;
  DeviceHost* host_ = nullptr;
  std::vector<SplitQueue> rings_;          // of Work()
  std::atomic<bool> reset_wanted_{false};  // by the driver, of a device that works

  mutable Mutex mutex_;
  std::uint32_t device_feature_select_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint32_t driver_feature_select_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint64_t driver_features_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint16_t config_vector_ TANDEM_GUARDED_BY(mutex_) = kNoVector;
  std::uint8_t generation_ TANDEM_GUARDED_BY(mutex_) = 0;  // of the device's configuration
  std::uint16_t queue_select_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint8_t status_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint8_t interrupt_status_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::vector<Queue> queues_ TANDEM_GUARDED_BY(mutex_);
  std::string broken_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::bus
