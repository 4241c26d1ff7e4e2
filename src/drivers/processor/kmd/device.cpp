#include "drivers/processor/kmd/device.h"

#include <utility>

#include "drivers/common/node_link.h"

namespace tandem::processor {

Device::Device(DEVICE_OBJECT& physical_device, const EngineDescription& description, std::unique_ptr<Display> display)
    : physical_device_(physical_device), description_(description), display_(std::move(display)) {}

Result<void> Device::Start(const DXGKRNL_INTERFACE& kernel) {
  kernel_ = kernel;
  interrupts_.Start(physical_device_.Bus, kernel_);
  features_.Start(kernel_);
  auto local = display_->MakeLocalMemory();
  if (!local.ok()) return std::move(local).error();
  auto memory = GpuMemory::Create(*std::move(local), description_.aperture_bytes);
  if (!memory.ok()) return std::move(memory).error();
  memory_ = *std::move(memory);
  if (auto started = display_->Start(*this); !started.ok()) return started;
  for (std::uint32_t source = 0; source < source_count(); ++source) {
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
  display_->Stop();
  memory_.reset();
}

void Device::OnMemoryForgotten(std::uint64_t memory_id) { display_->ForgetMemory(memory_id); }

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
    display_->SetRotation(target.id, target.offset);
    display_->SetPalette(target.id, PaletteOf(source));
  }
  for (CommittedMode& mode : modes_) mode.targets.fetch_and(~mask, std::memory_order_acq_rel);
  modes_[source].primary_target.store(targets.front().id, std::memory_order_release);
  modes_[source].targets.store(mask, std::memory_order_release);
}

void Device::SetPalette(const DXGKARG_SETPALETTE& args) {
  palettes_[args.VidPnSourceId].Set(args);
  const drivers::PaletteColors palette = PaletteOf(args.VidPnSourceId);
  ForEachTarget(args.VidPnSourceId, [&](std::uint32_t target, bool) { display_->SetPalette(target, palette); });
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

}  // namespace tandem::processor
