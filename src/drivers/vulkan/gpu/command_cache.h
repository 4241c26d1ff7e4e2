// Command buffers that are recorded once and submitted every frame.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/condition.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// Recordings that one node keeps. Beyond it the least recently used one is freed, once the GPU is done with it.
inline constexpr std::size_t kMaxRecordings = 64;

// One per node. Thread-safe.
class CommandCache {
 public:
  [[nodiscard]] static Result<std::unique_ptr<CommandCache>> Create(Engine& engine, const Gpu& gpu);
  ~CommandCache();
  CommandCache(const CommandCache&) = delete;
  CommandCache& operator=(const CommandCache&) = delete;

  // Identifies a recording; recordings with equal keys contain equal commands.
  struct Key {
    Opcode opcode = Opcode::kNop;
    const Allocation* source = nullptr;
    const Allocation* destination = nullptr;
    Rows source_rows;  // their location in memory
    Rows destination_rows;
    std::span<const std::byte> parameters;  // the command's parameters; a kept recording copies them
  };
  // Objects that must live as long as the recording, such as descriptors.
  using Keep = std::shared_ptr<void>;
  // Finds the command buffer, or records it with `record`. `record` may leave a Keep, and returns false on failure. `submit`
  // then submits it and returns the timeline value of its submission (0 when there was none). `submit` runs outside the lock,
  // because the application's own submission may hold the queue. False without a command buffer: out of memory.
  template <class RecordCommands, class Submit>
  bool Use(const Key& key, RecordCommands record, Submit submit) {
    Recording* const recording = Take(key, record);
    if (recording == nullptr) return false;
    GiveBack(*recording, submit(recording->commands));
    return true;
  }
  // The allocation is about to be destroyed; the GPU is done with it. Waits until submissions of its recordings have returned.
  void Forget(const Allocation* allocation);

  [[nodiscard]] std::uint64_t recorded() const;  // recordings made so far

 private:
  struct Recording {
    Key key;
    std::vector<std::byte> parameters;
    Keep keep;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint64_t last_value = 0;
    std::uint64_t last_turn = 0;
    std::uint32_t users = 0;  // submissions that have not returned; the recording is not freed meanwhile
  };

  CommandCache(Engine& engine, const Gpu& gpu) : engine_(engine), gpu_(gpu) {}
  // Counts one more user until GiveBack. Null: out of memory.
  template <class RecordCommands>
  Recording* Take(const Key& key, RecordCommands record) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Recording* recording = Find(key);
    if (recording == nullptr) {
      std::unique_ptr<Recording> fresh = Begin();
      if (fresh == nullptr) return nullptr;
      if (!record(fresh->commands, fresh->keep)) {
        Free(*fresh);
        return nullptr;
      }
      recording = End(key, std::move(fresh));
      if (recording == nullptr) return nullptr;
    }
    recording->last_turn = ++turn_;
    ++recording->users;
    return recording;
  }
  void GiveBack(Recording& recording, std::uint64_t value);
  Recording* Find(const Key& key);
  std::unique_ptr<Recording> Begin();
  Recording* End(const Key& key, std::unique_ptr<Recording> recording);
  void DropOldest();
  void Free(Recording& recording);

  Engine& engine_;
  const Gpu& gpu_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  mutable std::mutex mutex_;
  Condition returned_;  // signalled when a submission returns
  std::vector<std::unique_ptr<Recording>> recordings_;
  std::uint64_t turn_ = 0;
  std::uint64_t recorded_ = 0;
};

}  // namespace tandem::vulkan
