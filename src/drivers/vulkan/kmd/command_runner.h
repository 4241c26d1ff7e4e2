// Turns commands of DMA buffers into submissions, now or on the worker of their node.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/emulated_link.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/kmd/blit_runner.h"
#include "drivers/vulkan/kmd/interrupts.h"
#include "drivers/vulkan/kmd/nodes.h"
#include "drivers/vulkan/kmd/paging_runner.h"

namespace tandem::vulkan {

// The waits of a command: the program's rendering, and the work of the other timelines on its surfaces.
[[nodiscard]] SubmitWaits WaitsOf(const Nodes& nodes, std::uint32_t node, const CommandSurfaces& surfaces);

// Threads: Prepare and Submit* as the DDIs; the others as Engine::Owner.
class CommandRunner final : public Engine::Owner {
 public:
  struct Parts {
    Gpu& gpu;
    Nodes& nodes;
    PagingRunner& paging;
    BlitRunner& blits;
    Interrupts& interrupts;
    Display* display = nullptr;          // null where the adapter has none
    const EmulatedLink* link = nullptr;  // likewise
  };
  // All outlive it.
  explicit CommandRunner(const Parts& parts) : parts_(parts) {}

  // DxgkDdiPatch: records what the command will need. Errors show when it is submitted.
  void Prepare(std::uint32_t node, const CommandHeader& command, const DmaToken& token);
  // DxgkDdiSubmitCommand. `command` null: only the fence.
  void Submit(std::uint32_t node, UINT fence, const CommandHeader* command, const DmaToken& token);
  // DxgkDdiSubmitCommand of a buffer of PagingCommands; null: only the fence.
  void SubmitPaging(std::uint32_t node, UINT fence, const std::byte* commands, UINT bytes);

  // Presents that the processor copied because pages are not imported.
  [[nodiscard]] std::uint64_t bounced_copies() const { return bounced_copies_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bounced_bytes() const { return bounced_bytes_.load(std::memory_order_relaxed); }

  // Engine::Owner.
  void Execute(Engine& engine, Packet& packet) override;
  void Finish(Engine& engine, Packet& packet) override;
  void GivenBack(const Packet& packet) override;
  void Completed(std::uint32_t node, UINT fence) override { parts_.interrupts.Completed(node, fence); }

 private:
  // False: a surface has no rows yet.
  [[nodiscard]] bool FindRows(const CommandSurfaces& surfaces, const DmaToken& token, Rows& source, Rows& destination) const;
  [[nodiscard]] bool NeedsWorker(const CommandHeader* command, const DmaToken& token) const;
  [[nodiscard]] bool WaitsForWorker(const SubmitWaits& waits) const;
  [[nodiscard]] std::uint64_t SubmitToGpu(std::uint32_t node, const CommandHeader& command, const DmaToken& token,
                                          const SubmitWaits& waits);
  [[nodiscard]] std::uint64_t SubmitCopy(std::uint32_t node, const CopyCommand& command, const DmaToken& token,
                                         const SubmitWaits& waits);
  [[nodiscard]] std::uint64_t SubmitFlush(std::uint32_t node, const FlushCommand& command, const SubmitWaits& waits);
  void CopyThroughBounce(const CopyCommand& command, bool before);

  const Parts parts_;
  std::atomic<std::uint64_t> bounced_copies_{0};
  std::atomic<std::uint64_t> bounced_bytes_{0};
};

}  // namespace tandem::vulkan
