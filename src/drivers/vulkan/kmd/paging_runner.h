// Runs paging buffers on the worker of their node, and owns the memory segment.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/gpu/local_memory.h"

namespace tandem::vulkan {

// Threads: Run the worker of its node; the others any.
class PagingRunner {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The ways that the probe at start did not refuse for such pages.
    [[nodiscard]] virtual ImportWays WaysOf(const SystemPages& pages) const = 0;
    // Recordings over the allocation are of no use any more.
    virtual void DropRecordings(const Allocation& allocation) = 0;
  };

  // Gpu and owner outlive it.
  PagingRunner(Gpu& gpu, Owner& owner) : gpu_(gpu), owner_(owner) {}

  // The memory segment of `bytes`, made when the first allocation wants it. kOutOfMemory.
  Result<void> MakeLocalMemory(std::uint64_t bytes);
  // The allocation's rows for a command that has its address. Nothing for images, primaries and unmapped allocations.
  [[nodiscard]] Rows RowsOf(const Allocation* allocation, std::uint64_t address) const;
  void Run(Engine& engine, const Packet& packet);

 private:
  void Move(Engine& engine, const PagingCommand& command);
  void MoveByGpu(std::uint32_t node, const PagingCommand& command, const Rows& at);

  Gpu& gpu_;
  Owner& owner_;
  std::mutex mutex_;  // creation
  std::unique_ptr<LocalMemory> local_;
  std::atomic<LocalMemory*> view_{nullptr};
};

}  // namespace tandem::vulkan
