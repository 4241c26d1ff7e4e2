#include "drivers/soft/kmd/soft_display.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "drivers/common/children.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/kmd/display_controller.h"
#include "drivers/soft/kmd/overlay_question.h"
#include "outputs/output.h"

namespace tandem::soft {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
// Shown on an output that has the extent of its pictures.
constexpr processor::SystemFrame kSmallestFrame{640, 480};

}  // namespace

Result<processor::LocalMemory> SoftDisplay::MakeLocalMemory() {
  // Nobody shows what an adapter without sources has in its own memory.
  const auto pages = connectors_ == nullptr ? processor::LocalPages::kPrivate : processor::LocalPages::kMemfd;
  return processor::LocalMemory::Create(description_.local_memory_bytes, pages);
}

Result<void> SoftDisplay::Start(processor::Device& device) {
  device_ = &device;
  for (std::uint32_t target = 0; target < source_count(); ++target) {
    auto scan_out =
        ScanOut::Create(target, *connectors_, *device.memory(), device.interrupts(), MonotonicClock(), description_.dithers);
    if (!scan_out.ok()) return std::move(scan_out).error();
    scan_outs_.push_back(*std::move(scan_out));
  }
  if (connectors_ != nullptr) connectors_->OnCable([this](std::uint32_t connector) { OnCable(connector); });
  return {};
}

void SoftDisplay::Stop() {
  if (connectors_ != nullptr) connectors_->OnCable({});
  scan_outs_.clear();
}

void SoftDisplay::OnCable(std::uint32_t connector) {
  DXGK_CHILD_STATUS status{};
  status.Type = StatusConnection;
  status.ChildUid = connector;
  status.HotPlug.Connected = connectors_->HasCable(connector) ? TRUE : FALSE;
  const DXGKRNL_INTERFACE& kernel = device_->kernel();
  static_cast<void>(kernel.DxgkCbIndicateChildStatus(kernel.DeviceHandle, &status));
}

NTSTATUS SoftDisplay::QueryChildStatus(DXGK_CHILD_STATUS& status) {
  const NTSTATUS known = drivers::QueryChildStatus(source_count(), status);
  if (NT_SUCCESS(known)) status.HotPlug.Connected = connectors_->HasCable(status.ChildUid) ? TRUE : FALSE;
  return known;
}

std::optional<processor::MonitorMode> SoftDisplay::PreferredMode(std::uint32_t target) {
  const outputs::OutputStatus status = connectors_->Status(target);
  if (status.state != outputs::OutputState::kOk || status.width == 0 || status.height == 0) return std::nullopt;
  return processor::MonitorMode{status.width, status.height, connectors_->RefreshPeriodNs(target)};
}

NTSTATUS SoftDisplay::SetPlugged(std::uint32_t target, bool plugged) {
  connectors_->SetCable(target, plugged);
  return STATUS_SUCCESS;
}

NTSTATUS SoftDisplay::QueryDeviceDescriptor(std::uint32_t /*target*/, DXGK_DEVICE_DESCRIPTOR& /*descriptor*/) {
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}

NTSTATUS SoftDisplay::EnableSystemDisplay(std::uint32_t target, processor::SystemFrame& frame) {
  if (!connectors_->HasCable(target)) return STATUS_NOT_SUPPORTED;
  const auto preferred = PreferredMode(target);
  frame = preferred ? processor::SystemFrame{preferred->width, preferred->height} : kSmallestFrame;
  const std::uint64_t bytes = std::uint64_t{frame.width} * frame.height * kPixelBytes;
  if (bytes > device_->memory()->local_bytes()) return STATUS_UNSUCCESSFUL;
  for (const auto& scan_out : scan_outs_) scan_out->Blank();
  std::fill_n(device_->memory()->local_data(), bytes, std::byte{});
  system_target_ = target;
  system_frame_ = frame;
  processor::ScanOutFrame words;
  words.address = processor::kLocalBase;
  words.width = frame.width;
  words.height = frame.height;
  words.pitch = frame.width * kPixelBytes;
  words.format = color::Format::kB8G8R8A8Unorm;
  scan_out(target).Take(words);
  return STATUS_SUCCESS;
}

void SoftDisplay::WriteSystemDisplay(const processor::SystemBlock& block) {
  if (block.x >= system_frame_.width || block.y >= system_frame_.height) return;
  const std::size_t row_bytes = std::size_t{std::min(block.width, system_frame_.width - block.x)} * kPixelBytes;
  const std::uint32_t rows = std::min(block.height, system_frame_.height - block.y);
  scan_out(system_target_).Overwrite([&] {
    for (std::size_t row = 0; row < rows; ++row) {
      std::byte* const to =
          device_->memory()->local_data() + ((block.y + row) * system_frame_.width + std::size_t{block.x}) * kPixelBytes;
      std::memcpy(to, block.pixels + row * block.pitch, row_bytes);
    }
  });
}

processor::PointerAbilities SoftDisplay::pointer() const {
  processor::PointerAbilities abilities;
  abilities.shapes.Monochrome = abilities.shapes.Color = abilities.shapes.MaskedColor = 1;
  abilities.max_extent = kMaxPointerExtent;
  return abilities;
}

void SoftDisplay::ForgetMemory(std::uint64_t memory_id) {
  for (const auto& scan_out : scan_outs_) scan_out->ForgetMemory(memory_id);
}

std::optional<processor::ScanOutPlane> SoftDisplay::ToPlane(const processor::AllocationData& surface,
                                                            const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) const {
  return soft::ToPlane(*this, surface, attributes);
}

std::optional<UINT> SoftDisplay::FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) {
  return FirstRefusedPlane(*device_, *this, check);
}

}  // namespace tandem::soft
