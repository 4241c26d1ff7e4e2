// Checks of DxgkCbNotifyInterrupt: the type is enabled, and node, engine and target exist.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// Known once the adapter has started; before that only the type is checked.
struct InterruptLimits {
  std::uint32_t nodes = 0;
  UINT message_number = 0;     // DXGK_DRIVERCAPS::InterruptMessageNumber
  std::vector<ULONG> targets;  // ChildUid of each video output
  UINT overlay_planes = 1;     // DXGK_DRIVERCAPS::MaxOverlayPlanes, at least the primary's
};

enum class InterruptSource : std::uint8_t {
  kFullDriver,
  kDisplayOnlyDriver,  // reports the progress of presents: of any command, even before the first present
};

struct BrokenInterruptRule {
  const char* rule;
  std::string seen;
};

// `limits` null: not known yet. Allocates only when a rule is broken. Any IRQL.
[[nodiscard]] std::optional<BrokenInterruptRule> CheckInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data,
                                                                InterruptSource source, const InterruptLimits* limits);

// Reference 6.2: DMA-type interrupts are reported before CRTC-type ones.
[[nodiscard]] inline bool IsCrtcType(DXGK_INTERRUPT_TYPE type) {
  return type == DXGK_INTERRUPT_CRTC_VSYNC || type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY ||
         type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 || type == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3;
}

// The output that a CRTC-type interrupt is about.
[[nodiscard]] ULONG TargetOf(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

// The planes that an interrupt tells of, by value.
struct NotedPlanes {
  std::uint32_t count = 0;
  std::array<PlaneReport, kMaxOverlayLayers> planes{};
  [[nodiscard]] std::span<const PlaneReport> all() const { return std::span(planes).first(count); }
};

// Reads the driver's list of an interrupt that CheckInterrupt let pass; nothing of one without planes. Any IRQL.
[[nodiscard]] NotedPlanes PlanesOf(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

}  // namespace tandem::kernel
