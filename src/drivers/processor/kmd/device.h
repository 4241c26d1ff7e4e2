// One adapter whose engines are the processor: what AddDevice makes and every DDI receives as hAdapter.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.h"
#include "base/limits.h"
#include "base/pass_meter.h"
#include "base/thread.h"
#include "color/blit.h"
#include "drivers/common/palette.h"
#include "drivers/common/vidpn.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/display.h"
#include "drivers/processor/kmd/engine.h"
#include "drivers/processor/kmd/feature_client.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/interrupts.h"
#include "drivers/processor/kmd/objects.h"
#include "drivers/processor/kmd/plane_layers.h"

#include <dispmprt.h>

namespace tandem::processor {

// hAllocation of DxgkDdiCreateAllocation. Immutable once it is created.
struct Allocation final : Object {
  explicit Allocation(const AllocationData& surface) : data(surface) {}
  AllocationData data;
  std::byte* backing_store = nullptr;  // the kernel's address of it; null when it is not shared with us
  const std::shared_ptr<PassMeter> passes = std::make_shared<PassMeter>();  // that presents ran to write it
};

// hDeviceSpecificAllocation of DxgkDdiOpenAllocation. Immutable; the allocation outlives it.
struct OpenedAllocation final : Object {
  explicit OpenedAllocation(const Allocation& opened) : allocation(&opened) {}
  const Allocation* allocation;
};

class Device;

// hDevice and hContext.
struct DeviceHandle final : Object {
  explicit DeviceHandle(Device& owner) : device(&owner) {}
  Device* device;
};
struct ContextHandle final : Object {
  ContextHandle(Device& owner, std::uint32_t ordinal) : device(&owner), node(ordinal) {}
  Device* device;
  std::uint32_t node;
};

// The engines of an adapter.
struct EngineDescription {
  std::uint64_t aperture_bytes = 4ULL << 30;  // size of the aperture segment (address space, not memory)
  bool dithers = false;                       // colours that copies reduce from more than eight bits to eight
  std::uint64_t link_bytes_per_second = 0;    // emulated link to system memory; 0: none
};

// Threads: as the DDI that calls. Running between Start() and Stop().
class Device final : public CommandExecutor::Owner {
 public:
  Device(DEVICE_OBJECT& physical_device, const EngineDescription& description, std::unique_ptr<Display> display);

  // Memory, engines, display. kOutOfMemory, kLimit, and the display's.
  Result<void> Start(const DXGKRNL_INTERFACE& kernel);
  void Stop();

  [[nodiscard]] const EngineDescription& description() const { return description_; }
  [[nodiscard]] Display& display() { return *display_; }
  [[nodiscard]] const Display& display() const { return *display_; }
  [[nodiscard]] std::uint32_t source_count() const { return display_->source_count(); }
  [[nodiscard]] const DXGKRNL_INTERFACE& kernel() const { return kernel_; }
  [[nodiscard]] const FeatureClient& features() const { return features_; }
  [[nodiscard]] InterruptRegisters& interrupts() { return interrupts_; }
  // What CommitVidPn said of a source. PASSIVE_LEVEL, level 2.
  void Commit(std::uint32_t source, const Allocation* primary, color::Rotation rotation);
  void Rotate(std::uint32_t source, color::Rotation rotation);
  // And of its targets: the primary one first, each turned by `offset` beyond the source's rotation. Other sources lose them.
  void Connect(std::uint32_t source, std::span<const drivers::PathTarget> targets);
  // What SetPalette said of a source: its targets show it, and copies of its indexes to colours take it.
  void SetPalette(const DXGKARG_SETPALETTE& args);
  [[nodiscard]] drivers::PaletteColors PaletteOf(std::uint32_t vidpn_source) override;
  // The allocation goes: no source has it for its primary.
  void ForgetPrimary(const Allocation& allocation);
  // As a copy with Rotate into this allocation is rotated: by the path of the source whose primary it is, on the screen or not.
  [[nodiscard]] color::Rotation RotationOf(const Allocation& allocation) const;
  [[nodiscard]] color::Rotation PathRotation(std::uint32_t source) const {
    return modes_[source].rotation.load(std::memory_order_acquire);
  }
  // All that handles of the kernel name.
  [[nodiscard]] Objects& objects() { return objects_; }
  // Precondition: the source exists.
  [[nodiscard]] PlaneLayers& planes(std::uint32_t source) { return planes_[source]; }
  // Null while stopped.
  [[nodiscard]] GpuMemory* memory() { return memory_.get(); }
  [[nodiscard]] Engine* engine(std::uint32_t node) { return node < kNodeCount ? engines_[node].get() : nullptr; }
  // Calls `use(target, primary)` for each target of the source. Any IRQL.
  template <class Use>
  void ForEachTarget(std::uint32_t source, Use&& use) {
    const std::uint32_t mask = modes_[source].targets.load(std::memory_order_acquire);
    const std::uint32_t primary = modes_[source].primary_target.load(std::memory_order_acquire);
    for (std::uint32_t target = 0; target < source_count(); ++target) {
      if ((mask >> target & 1) != 0) use(target, target == primary);
    }
  }

 private:
  void OnMemoryForgotten(std::uint64_t memory_id) override;

  DEVICE_OBJECT& physical_device_;
  const EngineDescription description_;
  Objects objects_;
  DXGKRNL_INTERFACE kernel_{};
  FeatureClient features_;
  InterruptRegisters interrupts_;
  std::unique_ptr<GpuMemory> memory_;
  const std::unique_ptr<Display> display_;
  struct CommittedMode {
    std::atomic<const Allocation*> primary{nullptr};  // only compared
    std::atomic<color::Rotation> rotation{color::Rotation::kIdentity};
    std::atomic<std::uint32_t> targets{0};  // bit N: target N
    std::atomic<std::uint32_t> primary_target{0};
  };
  std::array<CommittedMode, kMaxVidPnSources> modes_;
  std::array<PlaneLayers, kMaxVidPnSources> planes_;
  std::array<drivers::SourcePalette, kMaxVidPnSources> palettes_;
  std::array<std::unique_ptr<Engine>, kNodeCount> engines_;
  std::unique_ptr<EmulatedLink> link_;  // null: none; its thread calls the engines
};

}  // namespace tandem::processor
