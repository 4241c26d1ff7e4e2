// One soft adapter: what AddDevice makes and every DDI receives as hAdapter.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/pass_meter.h"
#include "base/thread.h"
#include "color/blit.h"
#include "drivers/common/palette.h"
#include "drivers/common/vidpn.h"
#include "drivers/soft/allocation_data.h"
#include "drivers/soft/connectors.h"
#include "drivers/soft/kmd/engine.h"
#include "drivers/soft/kmd/feature_client.h"
#include "drivers/soft/kmd/gpu_memory.h"
#include "drivers/soft/kmd/interrupts.h"
#include "drivers/soft/kmd/objects.h"
#include "drivers/soft/kmd/plane_layers.h"
#include "drivers/soft/kmd/scan_out.h"
#include "drivers/soft/soft_device.h"

#include <dispmprt.h>

namespace tandem::soft {

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

// Threads: as the DDI that calls. Running between Start() and Stop().
class Device final : public CommandExecutor::Owner {
 public:
  // kInvalidArgument for a description outside its ranges, or connectors that CreateConnectors() did not make.
  static Result<std::unique_ptr<Device>> Create(DEVICE_OBJECT& physical_device);

  // Memory, engines, scan-outs. kOutOfMemory, kLimit.
  Result<void> Start(const DXGKRNL_INTERFACE& kernel);
  void Stop();

  [[nodiscard]] const DeviceDescription& description() const { return description_; }
  [[nodiscard]] std::uint32_t source_count() const { return connectors_ ? connectors_->count() : 0; }
  // True if the display controller reads surfaces of the format.
  [[nodiscard]] bool ScansOut(color::Format format) const {
    return drivers::PixelBytes(format) != 0 || (drivers::IsNv12(format) && description_.scans_out_nv12);
  }
  [[nodiscard]] const DXGKRNL_INTERFACE& kernel() const { return kernel_; }
  [[nodiscard]] const FeatureClient& features() const { return features_; }
  [[nodiscard]] InterruptRegisters& interrupts() { return interrupts_; }
  [[nodiscard]] ConnectorsImpl* connectors() { return connectors_.get(); }
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
  [[nodiscard]] ScanOut* scan_out(std::uint32_t target) {
    return target < scan_outs_.size() ? scan_outs_[target].get() : nullptr;
  }
  // Calls `use(scan_out, primary)` for each target of the source. Any IRQL.
  template <class Use>
  void ForEachTarget(std::uint32_t source, Use&& use) {
    const std::uint32_t mask = modes_[source].targets.load(std::memory_order_acquire);
    const std::uint32_t primary = modes_[source].primary_target.load(std::memory_order_acquire);
    for (std::uint32_t target = 0; target < scan_outs_.size(); ++target) {
      if ((mask >> target & 1) != 0) use(*scan_outs_[target], target == primary);
    }
  }

 private:
  Device(DEVICE_OBJECT& physical_device, std::shared_ptr<ConnectorsImpl> connectors);
  void OnMemoryForgotten(std::uint64_t memory_id) override;

  DEVICE_OBJECT& physical_device_;
  const DeviceDescription& description_;
  std::shared_ptr<ConnectorsImpl> connectors_;  // null: no VidPn sources
  Objects objects_;
  DXGKRNL_INTERFACE kernel_{};
  FeatureClient features_;
  InterruptRegisters interrupts_;
  std::unique_ptr<GpuMemory> memory_;
  std::vector<std::unique_ptr<ScanOut>> scan_outs_;
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

}  // namespace tandem::soft
