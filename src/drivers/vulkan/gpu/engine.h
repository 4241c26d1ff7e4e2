// One node: packets in fence order are submitted to a VkQueue, awaited by a thread, and reported by an interrupt.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <vulkan/vulkan_core.h>

#include "base/condition.h"
#include "base/pass_meter.h"
#include "base/result.h"
#include "base/ring.h"
#include "base/thread.h"
#include "drivers/common/node_link.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"

#include <d3dkmddi.h>

namespace tandem::vulkan {

// Packets that one node can hold; the kernel keeps fewer in flight.
inline constexpr std::uint32_t kMaxPackets = 64;
// Maximum semaphore waits of one submission.
inline constexpr std::uint32_t kMaxSubmitWaits = 1 + kTimelineCount;

class DmaBufFences;

struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;  // 0: nothing to wait for
};
using SubmitWaits = std::array<TimelinePoint, kMaxSubmitWaits>;

// The arrays of a VkSubmitInfo: a command buffer (VK_NULL_HANDLE: none) waits for points (value 0: no wait) and signals one.
class SubmitArrays {
 public:
  explicit SubmitArrays(const SubmitWaits& waits);
  // One binary semaphore more to wait for, and one to signal; VK_NULL_HANDLE: none.
  void AddBinary(VkSemaphore wait, VkSemaphore signal);
  SubmitArrays(const SubmitArrays&) = delete;
  SubmitArrays& operator=(const SubmitArrays&) = delete;

  // Valid while this object lives.
  [[nodiscard]] VkSubmitInfo Info(VkSemaphore signal, std::uint64_t value, VkCommandBuffer commands);

 private:
  void AddWait(VkSemaphore semaphore, std::uint64_t value);

  std::array<VkSemaphore, kMaxSubmitWaits + 1> semaphores_{};
  std::array<std::uint64_t, kMaxSubmitWaits + 1> values_{};
  std::array<VkPipelineStageFlags, kMaxSubmitWaits + 1> stages_{};
  std::uint32_t count_ = 0;
  std::array<VkSemaphore, 2> signals_{};
  std::array<std::uint64_t, 2> signal_values_{};
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkTimelineSemaphoreSubmitInfo timeline_{};
};

struct Packet {
  UINT fence = 0;           // SubmissionFenceId
  std::uint64_t value = 0;  // on the node's queue timeline, once submitted; 0: nothing on the GPU
  std::uint64_t late = 0;   // on the node's worker timeline, signalled when the packet is done; 0: not deferred
  bool deferred = false;    // the worker must run Owner::Execute before the packet can be awaited
  // Valid until the fence is complete.
  const CommandHeader* command = nullptr;  // DMA buffer private data
  const std::byte* paging = nullptr;       // PagingCommands of a DMA buffer
  UINT paging_bytes = 0;
  std::uint64_t crossing = 0;   // bytes that must cross the link, known after the packet has run
  PassMeter* passes = nullptr;  // meter of the destination, valid until the fence is complete; null: nobody counts
  std::int64_t queued_ns = 0;   // time of the submission
  DmaToken token;               // addresses at submission
  SubmitWaits waits;            // for a deferred packet: earlier work of other timelines on its surfaces
};

// Queue and Submit: one thread at a time (the kernel's scheduler class) or the worker. All other functions: any thread.
class Engine {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Runs a deferred packet: processor work before the submission, then the submission. Worker thread.
    virtual void Execute(Engine& engine, Packet& packet) = 0;
    // Runs the packet's processor work after the GPU has done its part. Worker thread.
    virtual void Finish(Engine& engine, Packet& packet) = 0;
    // The packet was taken back unbegun; the kernel submits it again. Must not call the engine. Any thread.
    virtual void GivenBack(const Packet& packet) = 0;
    // Reports that everything up to `fence` of this node is done. Worker thread or the link's thread.
    virtual void Completed(std::uint32_t node, UINT fence) = 0;
  };

  // `gpu` and `owner` must outlive the engine; `link` (null: none) is destroyed after Stop() and before the engine. With a
  // link, a packet is complete when its written bytes have arrived; the engine continues meanwhile. kOutOfMemory, kLimit
  // (threads).
  [[nodiscard]] static Result<std::unique_ptr<Engine>> Create(Gpu& gpu, Owner& owner, std::uint32_t node, EmulatedLink* link);
  // Precondition: Stop() was called.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] std::uint32_t node() const { return node_; }
  [[nodiscard]] const Gpu::Queue& queue() const { return gpu_.queue(node_); }
  // Appends a packet; never blocks while the kernel keeps below kMaxPackets.
  void Queue(const Packet& packet);
  // True if the queue has a packet that waits for its turn on the worker: new packets must then wait, too.
  [[nodiscard]] bool has_deferred() const { return deferred_.load(std::memory_order_acquire) != 0; }
  // Submits a command buffer (VK_NULL_HANDLE: none) that waits for the given points (value 0: no wait). Signals and returns the
  // node's next timeline value. Returns 0 when the device is lost; every failure loses the device, because the packet can no
  // longer be refused.
  // `fences`: the work writes that dma-buf, waits for its other users, and they wait for it; null: none.
  [[nodiscard]] std::uint64_t Submit(VkCommandBuffer commands, const SubmitWaits& waits, DmaBufFences* fences = nullptr);
  // The link has delivered the bytes that the packet with this fence wrote. Link thread.
  void Arrived(UINT fence);
  // Reserves the worker timeline's next value, for a packet about to be queued as deferred.
  [[nodiscard]] std::uint64_t ReserveLate() { return reserved_late_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  // The worker timeline's current value.
  [[nodiscard]] std::uint64_t signalled_late() const { return signalled_late_.load(std::memory_order_acquire); }
  // Waits on the worker for other work. False when the device is lost or the engine is being stopped.
  [[nodiscard]] bool Await(const TimelinePoint& point);
  [[nodiscard]] bool Await(const SubmitWaits& waits);
  // Waits until nobody works on the dma-buf.
  [[nodiscard]] bool AwaitIdle(int dma_buf);

  [[nodiscard]] VkSemaphore timeline() const { return timeline_; }
  [[nodiscard]] VkSemaphore late_timeline() const { return late_timeline_; }
  [[nodiscard]] std::uint64_t CompletedValue();
  [[nodiscard]] UINT completed_fence() const { return completed_fence_.load(std::memory_order_acquire); }
  [[nodiscard]] bool idle() const;

  // Drops waiting packets that were not begun; the kernel submits them again. Vulkan cannot take back submitted work.
  void GiveBack();
  // Drops waiting packets for good. Returns the fence up to which the node is then empty, or nothing if work is left that
  // cannot be aborted.
  [[nodiscard]] std::optional<UINT> Abort();
  // True if packets ended since the last call, or there are none.
  [[nodiscard]] bool MadeProgress();
  struct State {
    UINT completed_fence = 0;
    UINT newest_fence = 0;         // in the queue; 0: empty
    std::uint32_t queued = 0;      // packets
    std::uint64_t gpu_value = 0;   // the node's timeline
    std::uint64_t last_value = 0;  // submitted
  };
  [[nodiscard]] State Describe();

  // Waits until the queue is empty, at most `timeout_ns`. False on timeout.
  bool Drain(std::int64_t timeout_ns);
  // Ends the worker, even during a wait; remaining packets are dropped.
  void Stop();

 private:
  Engine(Gpu& gpu, Owner& owner, std::uint32_t node, EmulatedLink* link)
      : gpu_(gpu), owner_(owner), node_(node), link_(link, node) {}
  void Run();
  void SignalLate(std::uint64_t value);
  // Under mutex_. `dropped` gets each packet. Returns the newest one, fence 0: none.
  template <class Dropped>
  Packet DropWaiting(Dropped dropped);

  Gpu& gpu_;
  Owner& owner_;
  const std::uint32_t node_;
  drivers::NodeLink link_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkSemaphore late_timeline_ = VK_NULL_HANDLE;
  std::atomic<std::uint64_t> reserved_late_{0};
  std::atomic<std::uint64_t> signalled_late_{0};
  std::mutex submit_mutex_;                   // keeps submissions in order
  std::atomic<std::uint64_t> last_value_{0};  // submitted; written under submit_mutex_
  std::atomic<UINT> completed_fence_{0};
  std::atomic<std::uint32_t> deferred_{0};
  std::atomic<bool> stop_{false};

  mutable std::mutex mutex_;
  Condition changed_;
  Ring<Packet, kMaxPackets> packets_;
  bool begun_ = false;       // the oldest packet has begun
  std::uint64_t ended_ = 0;  // total number of packets
  std::uint64_t ended_when_asked_ = 0;
  std::uint64_t given_back_late_ = 0;  // highest value of dropped packets; signalled after the begun packet
  Thread worker_;
};

}  // namespace tandem::vulkan
