#include "drivers/soft/kmd/soft_display.h"

#include <utility>

#include "base/clock.h"
#include "drivers/common/children.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/kmd/display_controller.h"
#include "drivers/soft/kmd/overlay_question.h"

namespace tandem::soft {

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
  return {};
}

NTSTATUS SoftDisplay::QueryChildStatus(DXGK_CHILD_STATUS& status) { return drivers::QueryChildStatus(source_count(), status); }

NTSTATUS SoftDisplay::QueryDeviceDescriptor(std::uint32_t /*target*/, DXGK_DEVICE_DESCRIPTOR& /*descriptor*/) {
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
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
