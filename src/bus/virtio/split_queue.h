// The device's side of a split virtqueue (virtio 1.2, 2.7), in the driver's memory. Indirect descriptors and event indices are
// not offered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bus/guest_memory.h"

namespace tandem::bus {

// The buffers behind one head of the available ring.
class Chain {
 public:
  [[nodiscard]] std::uint16_t head() const { return head_; }
  // Copies bytes out of what the driver wrote, from `offset`. False when there are fewer, or one lies in no memory.
  [[nodiscard]] bool Read(std::uint64_t offset, void* to, std::size_t bytes) const;
  // Copies to the start of what the driver reads, as far as there is room; returns the bytes written. False: no memory.
  [[nodiscard]] bool Write(const void* from, std::size_t bytes, std::uint32_t& written) const;

 private:
  friend class SplitQueue;

  std::uint16_t head_ = 0;
  std::vector<GuestRange> readable_;
  std::vector<GuestRange> writable_;
};

struct QueuePlace {
  std::uint16_t size = 0;         // descriptors, a power of two
  std::uint64_t descriptors = 0;  // addresses of the three parts
  std::uint64_t available = 0;
  std::uint64_t used = 0;
};

// Threads: one at a time. Errors mean that the driver broke the queue; the device cannot go on with it.
class SplitQueue {
 public:
  // Both rings begin at zero.
  void Start(const QueuePlace& place);
  void Stop() { place_.size = 0; }
  [[nodiscard]] bool started() const { return place_.size != 0; }

  // True: the next chain of buffers is in `chain`. False: there is none.
  [[nodiscard]] Result<bool> Pop(Chain& chain);
  // Gives the buffers of `head` back; `written` bytes of them were written.
  [[nodiscard]] Result<void> Push(std::uint16_t head, std::uint32_t written);
  // True unless the driver does without interrupts.
  [[nodiscard]] Result<bool> WantsInterrupt() const;

 private:
  [[nodiscard]] Result<void> ReadChain(Chain& chain) const;

  QueuePlace place_;
  std::uint16_t next_available_ = 0;
  std::uint16_t next_used_ = 0;
};

}  // namespace tandem::bus
