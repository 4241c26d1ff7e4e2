// One adapter: what AddDevice makes and every DDI gets back.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/display/display.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/link_probe.h"
#include "drivers/vulkan/gpu/probe.h"
#include "drivers/vulkan/kmd/command_runner.h"
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
class Miniport final : public Allocation::Owner, public PagingRunner::Owner {
 public:
  Miniport(const DeviceDescription& description, const TANDEM_BUS_INTERFACE& bus)
      : description_(description), interrupts_(bus, nodes_) {}

  // StartDevice: opens or adopts the device, probes it, starts the nodes and, with connectors, the heads.
  Result<void> Start(const DXGKRNL_INTERFACE& callbacks);
  // StopDevice. Precondition: no packet is in flight. Rendering that the application never finishes is left behind.
  void Stop();

  [[nodiscard]] const DeviceDescription& description() const { return description_; }
  [[nodiscard]] const DXGKRNL_INTERFACE& callbacks() const { return callbacks_; }
  [[nodiscard]] Gpu& gpu() { return *gpu_; }
  [[nodiscard]] bool started() const { return gpu_ != nullptr; }
  [[nodiscard]] Display* display() { return display_.get(); }
  [[nodiscard]] std::uint32_t vidpn_sources() const { return display_ == nullptr ? 0 : display_->source_count(); }
  [[nodiscard]] std::uint32_t cross_adapter_tier() const { return tier_; }
  [[nodiscard]] AdapterData Describe();
  // One line for each node, for a report about a timeout.
  [[nodiscard]] std::string DescribeState();
  [[nodiscard]] Engine& engine(std::uint32_t node) { return *nodes_.engines[node]; }
  [[nodiscard]] bool lost() const { return gpu_->lost(); }

  // Queries DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD. Side effect: declares that this driver supports it.
  [[nodiscard]] bool ShareBackingStores() const;
  // CommitVidPn set the rotation of a source's paths. A copy with Rotate to a primary of that source is turned by it.
  void Rotate(std::uint32_t source, color::Rotation rotation) { rotations_[source].store(rotation, std::memory_order_release); }
  [[nodiscard]] color::Rotation RotationOf(const Allocation& destination) const;
  [[nodiscard]] PagingRunner& paging() { return *paging_; }
  [[nodiscard]] BlitRunner& blits() { return *blits_; }
  [[nodiscard]] CommandRunner& commands() { return *commands_; }
  [[nodiscard]] Interrupts& interrupts() { return interrupts_; }
  [[nodiscard]] Blitter& blitter(std::uint32_t node) { return *nodes_.blitters[node]; }

  // Precondition: the allocation is about to be destroyed, and no packet of the kernel uses it. Blocks until the device is done.
  void Forget(const Allocation& allocation);

  // Allocation::Owner.
  void GiveFirstLayout(Allocation& allocation) override;
  VkResult AcquireImage(Allocation& allocation, VkSemaphore semaphore, VkFence fence) override;
  [[nodiscard]] bool IsSubmitted(const Allocation& allocation) const override;
  void DmaBufRefused(const std::string& reason) override;
  void ImportRefused(const std::string& reason) override;
  // PagingRunner::Owner.
  [[nodiscard]] ImportWays WaysOf(const SystemPages& pages) const override;
  void DropRecordings(const Allocation& allocation) override;

 private:
  [[nodiscard]] std::uint32_t FindTier() const;
  void MeasureLinks();

  const DeviceDescription& description_;
  DXGKRNL_INTERFACE callbacks_{};
  ImportProbe probe_;
  LinkProbe link_probe_;  // of a device with memory of its own
  std::uint32_t tier_ = 1;
  std::unique_ptr<Gpu> gpu_;
  // The engines' threads use what stands before them.
  std::unique_ptr<PagingRunner> paging_;
  std::unique_ptr<BlitRunner> blits_;
  std::unique_ptr<CommandRunner> commands_;
  Interrupts interrupts_;
  Nodes nodes_;
  std::unique_ptr<EmulatedLink> link_;  // null: none; its thread calls the engines
  std::unique_ptr<Display> display_;
  std::array<std::atomic<color::Rotation>, kMaxVidPnSources> rotations_{};
  std::mutex refusal_mutex_;
  std::string refusal_;  // why pages were not imported, the last time
};

}  // namespace tandem::vulkan
