// Work of one queue that is recorded once, then run and awaited, one recording at a time. Marks measure the time between its
// commands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/clock.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

class Allocation;

// Maximum number of recordings; the least recently used one is freed.
inline constexpr std::size_t kMaxRecordedWork = 256;

// Run: one thread at a time; all other functions: any thread.
class RecordedWork {
 public:
  // `gpu` must outlive the object; `queue` is one of its queues.
  [[nodiscard]] static Result<std::unique_ptr<RecordedWork>> Create(Gpu& gpu, const Gpu::Queue& queue);
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  // Identifies a recording; recordings with equal keys contain equal commands.
  struct Key {
    const Allocation* source = nullptr;
    const Allocation* destination = nullptr;
    Rows source_rows;
    Rows destination_rows;
    std::array<std::uint32_t, 6> what{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  using Keep = std::shared_ptr<void>;
  // Excludes earlier work in the queue. Measured by the queue's clock; without one by the processor's, including its waits.
  struct Times {
    bool known = false;          // the recording has marks
    std::int64_t first_ns = 0;   // from mark 0 to mark 1
    std::int64_t second_ns = 0;  // from mark 1 to mark 2
  };
  [[nodiscard]] bool has_clock() const { return marks_ != VK_NULL_HANDLE; }
  // Must be called between barriers. Work recorded after mark 1 goes to `commands` as Mark leaves it.
  void Mark(VkCommandBuffer& commands, std::uint32_t which);

  // Finds the recording, or makes it with `record(commands&)`, which returns a Result<Keep> and makes no mark, or marks 0, 1
  // and 2. Submits the recording after `waits`, and waits for its end as `engine` does. kOutOfMemory: nothing was submitted;
  // kDeviceLost.
  template <class Record>
  [[nodiscard]] Result<Times> Run(const Key& key, Record record, const SubmitWaits& waits, Engine& engine) {
    Found found;
    {
      // Also held during recording, because one thread at a time may use the pool.
      const std::lock_guard<std::mutex> lock(mutex_);
      found = Find(key);
      if (found.commands[0] == VK_NULL_HANDLE) {
        auto fresh = Begin();
        if (!fresh.ok()) return std::move(fresh).error();
        VkCommandBuffer commands = (*fresh)->commands[0];
        Result<Keep> kept = record(commands);
        auto ended = End(key, *std::move(fresh), std::move(kept));
        if (!ended.ok()) return std::move(ended).error();
        found = *ended;
      }
    }
    return Submit(found, waits, engine);
  }
  // Neither may be called while Run uses the recordings to forget.
  void Forget(const Allocation* allocation);
  void ForgetAll();

  [[nodiscard]] std::uint64_t recorded() const;  // recordings made so far

 private:
  // Commands up to mark 1, and, if the queue has no clock, the commands after it.
  using Commands = std::array<VkCommandBuffer, 2>;
  struct Recording {
    Key key;
    Keep keep;
    Commands commands{};
    bool marked = false;
    std::uint64_t last_turn = 0;
  };
  struct Found {
    Commands commands{};
    bool marked = false;
  };

  RecordedWork(Gpu& gpu, const Gpu::Queue& queue) : gpu_(gpu), queue_(queue) {}
  // These require the mutex.
  Found Find(const Key& key);
  Result<std::unique_ptr<Recording>> Begin();
  Result<VkCommandBuffer> BeginCommands();
  Result<Found> End(const Key& key, std::unique_ptr<Recording> recording, Result<Keep> kept);
  void DropOldest();
  void Free(Recording& recording) const;
  Result<Times> Submit(const Found& found, const SubmitWaits& waits, Engine& engine);
  Result<Times> SubmitTimed(const Found& found, const SubmitWaits& waits, Engine& engine);
  Result<void> Queue(VkCommandBuffer commands, const SubmitWaits& waits);
  Result<void> Await(std::uint64_t value, Engine& engine);
  [[nodiscard]] Times ReadMarks() const;

  Gpu& gpu_;
  const Gpu::Queue queue_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkQueryPool marks_ = VK_NULL_HANDLE;  // null if the queue has no clock
  Clock& clock_ = MonotonicClock();
  // State of the recording in progress.
  bool marking_ = false;
  VkCommandBuffer behind_ = VK_NULL_HANDLE;
  VkResult split_ = VK_SUCCESS;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;
  mutable std::mutex mutex_;  // guards the recordings and their pool
  std::vector<std::unique_ptr<Recording>> recordings_;
  std::uint64_t turn_ = 0;
  std::uint64_t recorded_ = 0;
};

}  // namespace tandem::vulkan
