#include "drivers/soft/kmd/device.h"

#include <utility>

#include "drivers/common/node_link.h"

namespace tandem::soft {

Device::Device(DEVICE_OBJECT& physical_device, std::shared_ptr<ConnectorsImpl> connectors)
    : physical_device_(physical_device),
      description_(*static_cast<const DeviceDescription*>(physical_device.DeviceExtension)),
      connectors_(std::move(connectors)) {}

Result<std::unique_ptr<Device>> Device::Create(DEVICE_OBJECT& physical_device) {
  const auto* description = static_cast<const DeviceDescription*>(physical_device.DeviceExtension);
  if (description == nullptr) return Fail(ErrorKind::kInvalidArgument, "The soft adapter's bus description is missing.");
  if (description->tier > 3) {
    return Fail(ErrorKind::kInvalidArgument, "Cross-adapter tier {} is not within 0 and 3.", description->tier);
  }
  if (description->overlay_planes < 1 || description->overlay_planes > kMaxScanOutPlanes) {
    return Fail(ErrorKind::kInvalidArgument, "{} overlay planes are not within 1 and {}.", description->overlay_planes,
                kMaxScanOutPlanes);
  }
  auto connectors = std::dynamic_pointer_cast<ConnectorsImpl>(description->connectors);
  if (description->connectors && !connectors) {
    return Fail(ErrorKind::kInvalidArgument, "The soft adapter's connectors were not made by CreateConnectors.");
  }
  return std::unique_ptr<Device>(new Device(physical_device, std::move(connectors)));
}

Result<void> Device::Start(const DXGKRNL_INTERFACE& kernel) {
  kernel_ = kernel;
  interrupts_.Start(physical_device_.Bus, kernel_);
  features_.Start(kernel_);
  // Nobody shows what an adapter without sources has in its own memory.
  const auto pages = connectors_ == nullptr ? GpuMemory::LocalPages::kPrivate : GpuMemory::LocalPages::kMemfd;
  auto memory = GpuMemory::Create(description_.local_memory_bytes, description_.aperture_bytes, pages);
  if (!memory.ok()) return std::move(memory).error();
  memory_ = *std::move(memory);
  for (std::uint32_t source = 0; source < source_count(); ++source) {
    auto scan_out = ScanOut::Create(source, *connectors_, *memory_, interrupts_, MonotonicClock(), description_.dithers);
    if (!scan_out.ok()) return std::move(scan_out).error();
    scan_outs_.push_back(*std::move(scan_out));
    modes_[source].targets.store(1u << source, std::memory_order_release);
    modes_[source].primary_target.store(source, std::memory_order_release);
  }
  auto link = drivers::StartLink(description_.link_bytes_per_second, engines_);
  if (!link.ok()) return std::move(link).error();
  link_ = *std::move(link);
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    auto engine = Engine::Create(node, *memory_, *this, interrupts_, MonotonicClock(), link_.get());
    if (!engine.ok()) return std::move(engine).error();
    engines_[node] = *std::move(engine);
  }
  return {};
}

void Device::Stop() {
  // Engines first: an unmap of theirs waits for a scan-out's lease, and tells the scan-outs.
  for (auto& engine : engines_) {
    if (engine != nullptr) engine->Halt();
  }
  link_.reset();
  for (auto& engine : engines_) engine.reset();
  scan_outs_.clear();
  memory_.reset();
}

void Device::OnMemoryForgotten(std::uint64_t memory_id) {
  for (const auto& scan_out : scan_outs_) scan_out->ForgetMemory(memory_id);
}

void Device::Commit(std::uint32_t source, const Allocation* primary, color::Rotation rotation) {
  modes_[source].rotation.store(rotation, std::memory_order_release);
  modes_[source].primary.store(primary, std::memory_order_release);
}

void Device::Rotate(std::uint32_t source, color::Rotation rotation) {
  modes_[source].rotation.store(rotation, std::memory_order_release);
}

void Device::Connect(std::uint32_t source, std::span<const drivers::PathTarget> targets) {
  std::uint32_t mask = 0;
  for (const drivers::PathTarget& target : targets) {
    mask |= 1u << target.id;
    scan_outs_[target.id]->SetRotation(target.offset);
    scan_outs_[target.id]->SetPalette(PaletteOf(source));
  }
  for (CommittedMode& mode : modes_) mode.targets.fetch_and(~mask, std::memory_order_acq_rel);
  modes_[source].primary_target.store(targets.front().id, std::memory_order_release);
  modes_[source].targets.store(mask, std::memory_order_release);
}

void Device::SetPalette(const DXGKARG_SETPALETTE& args) {
  palettes_[args.VidPnSourceId].Set(args);
  const drivers::PaletteColors palette = PaletteOf(args.VidPnSourceId);
  ForEachTarget(args.VidPnSourceId, [&](ScanOut& scan_out, bool) { scan_out.SetPalette(palette); });
}

drivers::PaletteColors Device::PaletteOf(std::uint32_t vidpn_source) { return palettes_[vidpn_source].colors(); }

void Device::ForgetPrimary(const Allocation& allocation) {
  for (CommittedMode& mode : modes_) {
    const Allocation* expected = &allocation;
    mode.primary.compare_exchange_strong(expected, nullptr);
  }
}

color::Rotation Device::RotationOf(const Allocation& allocation) const {
  const bool primary = (allocation.data.flags & kAllocationPrimary) != 0;
  if (primary && allocation.data.vidpn_source < source_count()) return PathRotation(allocation.data.vidpn_source);
  for (std::uint32_t source = 0; source < source_count(); ++source) {
    if (modes_[source].primary.load(std::memory_order_acquire) == &allocation) {
      return modes_[source].rotation.load(std::memory_order_acquire);
    }
  }
  return color::Rotation::kIdentity;
}

}  // namespace tandem::soft
