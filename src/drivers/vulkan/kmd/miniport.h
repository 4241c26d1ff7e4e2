// One adapter: what AddDevice makes and every DDI gets back.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/display/display.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/command_cache.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/link_probe.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/gpu/probe.h"
#include "drivers/vulkan/kmd/blitter.h"
#include "drivers/vulkan/vulkan_device.h"

#include <dispmprt.h>

namespace tandem::vulkan {

// The behaviour behind the DDIs; ddi_*.cpp translate. Threads: as the DDIs, and the workers of the engines and heads.
//
// A lost VkDevice stays lost: packets that were submitted complete (what they copied is undefined), so that nobody waits for
// ever; from then on Present and Render answer STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE and CreateAllocation
// STATUS_DEVICE_REMOVED, releases and acquires kDeviceLost. DMA_FAULTED is the system's alone. A timeout (ResetFromTimeout)
// is treated as a loss and fails. So is any call whose failure comes too late to be told, such as recording what was already
// submitted.
class Miniport final : public Engine::Owner, public Allocation::Owner, public Display::Owner {
 public:
  Miniport(const DeviceDescription& description, const TANDEM_BUS_INTERFACE& bus) : description_(description), bus_(bus) {}

  // StartDevice: opens or adopts the device, probes it, starts the nodes and, with a connector, the heads.
  Result<void> Start(const DXGKRNL_INTERFACE& callbacks);
  // StopDevice. Nothing of the kernel's is in flight; what the application never finished is left behind.
  void Stop();

  [[nodiscard]] const DeviceDescription& description() const { return description_; }
  [[nodiscard]] const DXGKRNL_INTERFACE& callbacks() const { return callbacks_; }
  [[nodiscard]] Gpu& gpu() { return *gpu_; }
  [[nodiscard]] bool started() const { return gpu_ != nullptr; }
  [[nodiscard]] Display* display() { return display_.get(); }
  [[nodiscard]] std::uint32_t vidpn_sources() const { return display_ == nullptr ? 0 : display_->source_count(); }
  [[nodiscard]] std::uint32_t cross_adapter_tier() const { return tier_; }
  [[nodiscard]] AdapterData Describe();
  // For who looks into a timeout: one line a node.
  [[nodiscard]] std::string DescribeState();
  [[nodiscard]] Engine& engine(std::uint32_t node) { return *engines_[node]; }
  [[nodiscard]] bool may_import(bool memfd) const;
  [[nodiscard]] bool lost() const { return gpu_->lost(); }

  // The memory segment, made when the first allocation wants it. kOutOfMemory.
  Result<void> MakeLocalMemory();
  // DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD is enabled; to ask is to say that this driver supports it.
  [[nodiscard]] bool ShareBackingStores() const;
  // What CommitVidPn said of a source, and how a copy with Rotate to a surface is turned: as the path of the source that the
  // primary is for.
  void Rotate(std::uint32_t source, color::Rotation rotation) { rotations_[source].store(rotation, std::memory_order_release); }
  [[nodiscard]] color::Rotation RotationOf(const Allocation& destination) const;
  // DxgkDdiSetPalette: what is shown or about to be changes its colours at once. Blocks until it was copied.
  void SetPalette(const DXGKARG_SETPALETTE& args);
  // A primary with a palette exists from here on, until Forget.
  void AddPalettePrimary(Allocation& primary);
  [[nodiscard]] Blitter& blitter(std::uint32_t node) { return *blitters_[node]; }

  // DxgkDdiPatch: records what the command will need. Errors show when it is submitted.
  void Prepare(std::uint32_t node, const CommandHeader& command, const DmaToken& token);
  // DxgkDdiSubmitCommand. `command` null: only the fence.
  void SubmitCommand(std::uint32_t node, UINT fence, const CommandHeader* command, const DmaToken& token);
  // The same of a buffer of PagingCommands; null: only the fence.
  void SubmitPaging(std::uint32_t node, UINT fence, const std::byte* commands, UINT bytes);
  // DxgkDdiPreemptCommand: gives back what was not begun; answered when the node is empty.
  void Preempt(std::uint32_t node, UINT preemption_fence);
  // The allocation goes.
  void Forget(const Allocation& allocation);

  // DxgkDdiInterruptRoutine; false when there was nothing to report.
  bool ReportInterrupts();

  // Engine::Owner.
  void Execute(Engine& engine, Packet& packet) override;
  void Finish(Engine& engine, Packet& packet) override;
  void Completed(std::uint32_t node, UINT fence) override;
  // Allocation::Owner.
  void GiveFirstLayout(Allocation& allocation) override;
  VkResult AcquireImage(Allocation& allocation, VkSemaphore semaphore, VkFence fence) override;
  [[nodiscard]] bool IsSubmitted(const Allocation& allocation) const override;
  void ImportRefused(const std::string& reason) override;
  // Display::Owner.
  void SetVerticalBlank(std::uint32_t target, std::uint64_t address) override;
  void RaiseVerticalBlank() override { bus_.RaiseInterrupt(bus_.Context, 0); }
  void WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address) override;

 private:
  struct Interrupts {
    struct Node {
      bool completed = false;
      UINT fence = 0;
      bool preempted = false;
      UINT preemption_fence = 0;
    };
    struct Target {
      bool vsync = false;
      std::uint64_t address = 0;
    };
    std::array<Node, kNodeCount> nodes;
    std::array<Target, kMaxVidPnSources> targets;
  };

  [[nodiscard]] std::uint32_t FindTier() const;
  void MeasureLinks();
  // Where an allocation's rows are for a command that has its address; nothing for images and primaries, and for what is not
  // mapped.
  [[nodiscard]] Rows RowsOf(const Allocation* allocation, std::uint64_t address) const;
  // False: something has no rows yet.
  [[nodiscard]] bool FindRows(const CommandSurfaces& surfaces, const DmaToken& token, Rows& source, Rows& destination) const;
  [[nodiscard]] VkSemaphore TimelineOf(std::uint32_t lane) const {
    const Engine& engine = *engines_[lane / 2];
    return lane % 2 == 0 ? engine.timeline() : engine.late_timeline();
  }
  // What the other lanes do with the surfaces, and the program's rendering.
  [[nodiscard]] SubmitWaits WaitsOf(std::uint32_t node, const CommandSurfaces& surfaces) const;
  static void NoteUse(const CommandSurfaces& surfaces, std::uint32_t lane, std::uint64_t value);
  [[nodiscard]] static CommandCache::Key KeyOf(const CopyCommand& command, const Rows& source, const Rows& destination);
  [[nodiscard]] bool NeedsWorker(const CommandHeader* command, const DmaToken& token) const;
  [[nodiscard]] bool WaitsForWorker(const SubmitWaits& waits) const;
  [[nodiscard]] std::uint64_t SubmitToGpu(std::uint32_t node, const CommandHeader& command, const DmaToken& token,
                                          const SubmitWaits& waits);
  [[nodiscard]] std::uint64_t SubmitCopy(std::uint32_t node, const CopyCommand& command, const DmaToken& token,
                                         const SubmitWaits& waits);
  [[nodiscard]] std::uint64_t SubmitFlush(std::uint32_t node, const FlushCommand& command, const SubmitWaits& waits);
  void DropRecordings(const Allocation& allocation);
  void RunBlit(Engine& engine, Packet& packet, const BlitCommand& blit, const Rows& source, const Rows& destination);
  void PlacePicture(std::uint32_t node, const BlitCommand& blit, const Rows& source);
  void ShowBlit(std::uint32_t node, const BlitCommand& blit);
  void ShowInColors(Allocation& primary);
  void RunPaging(Engine& engine, const Packet& packet);
  void MoveBytes(Engine& engine, const PagingCommand& command);
  void MoveBytesByGpu(std::uint32_t node, const PagingCommand& command, const Rows& at);
  void CopyThroughBounce(const CopyCommand& command, bool before);
  void AnswerPreemptions();

  const DeviceDescription& description_;
  const TANDEM_BUS_INTERFACE bus_;
  DXGKRNL_INTERFACE callbacks_{};
  ImportProbe probe_;
  LinkProbe link_probe_;  // of a device with memory of its own
  std::uint32_t tier_ = 1;
  std::unique_ptr<Gpu> gpu_;
  std::array<std::unique_ptr<Engine>, kNodeCount> engines_;
  std::unique_ptr<EmulatedLink> link_;  // null: none; its thread calls the engines
  std::array<std::unique_ptr<CommandCache>, kNodeCount> caches_;
  std::array<std::unique_ptr<Blitter>, kNodeCount> blitters_;
  std::array<std::vector<std::byte>, kNodeCount> shown_;  // of ShowBlit, the node's worker
  std::mutex local_mutex_;                                // creation
  std::unique_ptr<LocalMemory> local_;
  std::atomic<LocalMemory*> local_view_{nullptr};
  std::array<std::atomic<color::Rotation>, kMaxVidPnSources> rotations_{};
  std::array<drivers::SourcePalette, kMaxVidPnSources> palettes_;
  std::mutex palette_mutex_;  // pictures of primaries with a palette, and the list of these
  std::vector<Allocation*> palette_primaries_;
  std::unique_ptr<Display> display_;
  std::atomic<std::uint64_t> bounced_copies_{0};
  std::atomic<std::uint64_t> bounced_bytes_{0};
  std::mutex refusal_mutex_;
  std::string refusal_;  // why pages were not imported, the last time
  std::mutex interrupts_mutex_;
  Interrupts interrupts_;
  std::array<std::atomic<UINT>, kNodeCount> preempting_{};  // PreemptionFenceId that waits for its answer, 0: none
};

}  // namespace tandem::vulkan
