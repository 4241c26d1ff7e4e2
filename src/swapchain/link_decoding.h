// The display adapter's side of a compressed path: decodes frames out of link surfaces. Usually the destination is the upright
// surface that belongs to the buffer. If the path is rotated and the frame references no earlier one, it is a rotated primary.
// Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "swapchain/buffer_set.h"
#include "swapchain/compositor.h"
#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

// Thread: the display thread. Only a change of the way allocates memory.
class LinkDecoding {
 public:
  // All arguments must outlive it.
  LinkDecoding(Runtime& display, const BufferSet& buffers, Compositor& compositor, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source)
      : display_(display), buffers_(buffers), compositor_(compositor), vidpn_source_(vidpn_source) {}

  // Queues decoding of a slice that has arrived. `refers`: the frame may reference the previous one.
  [[nodiscard]] Result<void> DecodeSlice(const SliceWork& slice, const RECT& part, bool refers);

  struct Decoded {
    std::optional<Compositor::TurnedPrimary> turned;  // the frame's primary; empty: it stands upright in the buffer's surface
  };
  // Called before the flip to the frame. Queues the missing part of its decoding, or all of it if the path's rotation changed
  // since.
  [[nodiscard]] Result<Decoded> Finish(std::uint32_t buffer, bool refers);

 private:
  struct Frame {
    D3D10DDI_HRESOURCE to{};
    D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
    bool begun = false;
    bool mixed = false;  // the path's rotation changed before all was queued, or the primary was refused
  };

  [[nodiscard]] Frame Begin(std::uint32_t buffer, bool refers);
  // `part` null: the whole frame.
  [[nodiscard]] Result<void> Decode(std::uint32_t buffer, Frame& frame, const RECT* part);

  Runtime& display_;
  const BufferSet& buffers_;
  Compositor& compositor_;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source_;
  std::array<Frame, kMaxBuffers> frames_;  // indexed by buffer
};

}  // namespace tandem::swapchain
