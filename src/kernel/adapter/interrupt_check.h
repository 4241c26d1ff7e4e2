// What a driver may say by DxgkCbNotifyInterrupt: types that were enabled, about nodes, engines and targets that the adapter has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <d3dkmddi.h>

namespace tandem::kernel {

// Known once the adapter has started; before that only the type is checked.
struct InterruptLimits {
  std::uint32_t nodes = 0;
  UINT message_number = 0;     // DXGK_DRIVERCAPS::InterruptMessageNumber
  std::vector<ULONG> targets;  // ChildUid of each video output
};

struct BrokenInterruptRule {
  const char* rule;
  std::string seen;
};

// `limits` null: not known yet. Allocates only when a rule is broken. Any IRQL.
[[nodiscard]] std::optional<BrokenInterruptRule> CheckInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data,
                                                                const InterruptLimits* limits);

// Reference 6.2: DMA-type interrupts are reported before CRTC-type ones.
[[nodiscard]] inline bool IsCrtcType(DXGK_INTERRUPT_TYPE type) { return type == DXGK_INTERRUPT_CRTC_VSYNC; }

}  // namespace tandem::kernel
