// A present below the handles, as the thunks resolved it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/submit/flip_ledger.h"
#include "kernel/submit/packet.h"
#include "kernel/submit/plane_set.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

enum class PresentType : std::uint8_t { kCopy, kFill, kFlip };
enum class PresentColorKey : std::uint8_t { kNone, kSource, kDestination };

struct PresentRequest {
  PresentType type = PresentType::kCopy;
  UsedAllocation source;       // not for a fill
  UsedAllocation destination;  // not for a flip
  const RECT* source_rect = nullptr;
  const RECT* destination_rect = nullptr;
  std::span<const RECT> sub_rects;  // in the source
  UINT color = 0;                   // a fill's or a key's, A8R8G8B8
  PresentColorKey key = PresentColorKey::kNone;
  bool linear_to_srgb = false;
  bool rotate = false;                              // as the destination's source is rotated
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;  // flips only
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  UINT present_count = 0;      // flips: the program's number of the present; 0: none
  PlaneSet* planes = nullptr;  // flips of several planes, from PlanePool; `source` is the lowest
  bool do_not_wait = false;    // flips: a full queue is STATUS_DEVICE_NOT_READY
  bool do_not_flip = false;    // the source is what the screen shows: a queued wait for a vertical blank
  std::span<std::byte> private_data;
};

[[nodiscard]] inline FlipLedger::FullQueue WhenFull(const PresentRequest& flip) {
  return flip.do_not_wait ? FlipLedger::FullQueue::kRefuse : FlipLedger::FullQueue::kWait;
}

}  // namespace tandem::kernel
