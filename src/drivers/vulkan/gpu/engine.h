// One node: packets in the order of their fences, submitted to a VkQueue, waited for by a thread, finished by an interrupt.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <vulkan/vulkan_core.h>

#include "base/emulated_link.h"
#include "base/result.h"
#include "base/ring.h"
#include "base/thread.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"

#include <d3dkmddi.h>

namespace tandem::vulkan {

// Packets that one node can hold; the kernel keeps fewer in flight.
inline constexpr std::uint32_t kMaxPackets = 64;
// Semaphores that one submission waits for.
inline constexpr std::uint32_t kMaxSubmitWaits = 1 + kLaneCount;

struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;  // 0: nothing to wait for
};
using SubmitWaits = std::array<TimelinePoint, kMaxSubmitWaits>;

// What a VkSubmitInfo points to: a command buffer (VK_NULL_HANDLE: none) that waits for points (value 0: not) and signals one.
class SubmitArrays {
 public:
  explicit SubmitArrays(const SubmitWaits& waits);
  SubmitArrays(const SubmitArrays&) = delete;
  SubmitArrays& operator=(const SubmitArrays&) = delete;

  // Valid as long as this.
  [[nodiscard]] VkSubmitInfo Info(VkSemaphore signal, std::uint64_t value, VkCommandBuffer commands);

 private:
  std::array<VkSemaphore, kMaxSubmitWaits> semaphores_{};
  std::array<std::uint64_t, kMaxSubmitWaits> values_{};
  std::array<VkPipelineStageFlags, kMaxSubmitWaits> stages_{};
  std::uint32_t count_ = 0;
  VkSemaphore signal_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkTimelineSemaphoreSubmitInfo timeline_{};
};

struct Packet {
  UINT fence = 0;           // SubmissionFenceId
  std::uint64_t value = 0;  // of the node's queue timeline, once submitted; 0: nothing on the GPU
  std::uint64_t late = 0;   // of the node's worker timeline, signalled when the packet is done; 0: not deferred
  bool deferred = false;    // Owner::Execute has to run on the worker before it can be waited for
  // Valid until the fence is complete.
  const CommandHeader* command = nullptr;  // DMA buffer private data
  const std::byte* paging = nullptr;       // PagingCommands of a DMA buffer
  UINT paging_bytes = 0;
  std::uint64_t crossing = 0;  // bytes that have to cross the link, once it has run
  DmaToken token;              // as it was at submission
  SubmitWaits waits;           // of a deferred packet: what others did with its surfaces before
};

// Queue and Submit: one thread at a time (the kernel's scheduler class) or the worker; everything else: any thread.
class Engine {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // Runs a deferred packet: CPU work before the submission, the submission itself. Worker thread.
    virtual void Execute(Engine& engine, Packet& packet) = 0;
    // The GPU has done the packet: CPU work that belongs to it. Worker thread.
    virtual void Finish(Engine& engine, Packet& packet) = 0;
    // Everything up to `fence` of this node is done. Worker thread, or the link's.
    virtual void Completed(std::uint32_t node, UINT fence) = 0;
  };

  // The gpu and owner outlive it; the link (null: none) goes after Stop() and before the engine. With one a packet is complete
  // when what it wrote has arrived; the engine goes on meanwhile. kOutOfMemory, kLimit (threads).
  [[nodiscard]] static Result<std::unique_ptr<Engine>> Create(Gpu& gpu, Owner& owner, std::uint32_t node, EmulatedLink* link);
  // Stop() first.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] std::uint32_t node() const { return node_; }
  [[nodiscard]] const Gpu::Queue& queue() const { return gpu_.queue(node_); }
  // Appends; never blocks as long as the kernel keeps below kMaxPackets.
  void Queue(const Packet& packet);
  // A packet that waits for its turn on the worker is in the queue: a new one has to wait, too.
  [[nodiscard]] bool has_deferred() const { return deferred_.load(std::memory_order_acquire) != 0; }
  // Submits a command buffer (VK_NULL_HANDLE: none) that waits for the given points (value 0: not) and signals the node's next
  // timeline value, which it returns; 0 when the device is lost, which every failure makes it: the packet cannot be refused any
  // more.
  [[nodiscard]] std::uint64_t Submit(VkCommandBuffer commands, const SubmitWaits& waits);
  // The link has brought what the packet with this fence wrote. Link thread.
  void Arrived(UINT fence);
  // The worker timeline's next value, for a packet that is about to be queued as deferred.
  [[nodiscard]] std::uint64_t ReserveLate() { return reserved_late_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  // The worker timeline's value so far.
  [[nodiscard]] std::uint64_t signalled_late() const { return signalled_late_.load(std::memory_order_acquire); }
  // On the worker: waits for other work. False when the device is lost or the engine is being stopped.
  [[nodiscard]] bool Await(const TimelinePoint& point);
  [[nodiscard]] bool Await(const SubmitWaits& waits);

  [[nodiscard]] VkSemaphore timeline() const { return timeline_; }
  [[nodiscard]] VkSemaphore late_timeline() const { return late_timeline_; }
  [[nodiscard]] std::uint64_t CompletedValue();
  [[nodiscard]] UINT completed_fence() const { return completed_fence_.load(std::memory_order_acquire); }
  [[nodiscard]] bool idle() const;

  // Takes back what waits for its turn and was not begun; Vulkan takes back nothing that was submitted. The kernel submits it
  // again.
  void GiveBack();
  // The same for good: the fence up to which the node is empty then. Nothing when work is left that cannot be aborted.
  [[nodiscard]] std::optional<UINT> Abort();
  // Since the last time that it was asked: packets came to an end, or there are none.
  [[nodiscard]] bool MadeProgress();
  struct State {
    UINT completed_fence = 0;
    UINT newest_fence = 0;         // of the queue; 0: empty
    std::uint32_t queued = 0;      // packets
    std::uint64_t gpu_value = 0;   // the node's timeline
    std::uint64_t last_value = 0;  // submitted
  };
  [[nodiscard]] State Describe();

  // Waits until the queue is empty, at most `timeout_ns`. False: something never came.
  bool Drain(std::int64_t timeout_ns);
  // Ends the worker, also while it waits; packets that are left are dropped.
  void Stop();

 private:
  Engine(Gpu& gpu, Owner& owner, std::uint32_t node, EmulatedLink* link) : gpu_(gpu), owner_(owner), node_(node), link_(link) {}
  void Run();
  void FlushLink();
  void SignalLate(std::uint64_t value);
  Packet DropWaiting();  // under mutex_; the newest one, fence 0: none

  Gpu& gpu_;
  Owner& owner_;
  const std::uint32_t node_;
  EmulatedLink* const link_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkSemaphore late_timeline_ = VK_NULL_HANDLE;
  std::atomic<std::uint64_t> reserved_late_{0};
  std::atomic<std::uint64_t> signalled_late_{0};
  std::mutex submit_mutex_;                   // the order of submissions
  std::atomic<std::uint64_t> last_value_{0};  // submitted; written under submit_mutex_
  std::atomic<UINT> completed_fence_{0};
  std::atomic<std::uint32_t> deferred_{0};
  std::atomic<std::uint32_t> on_link_{0};
  std::atomic<bool> stop_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Ring<Packet, kMaxPackets> packets_;
  bool begun_ = false;       // the oldest one
  std::uint64_t ended_ = 0;  // packets, ever
  std::uint64_t ended_when_asked_ = 0;
  std::uint64_t given_back_late_ = 0;  // highest value of packets that were given back; signalled behind the begun one
  Thread worker_;
};

}  // namespace tandem::vulkan
