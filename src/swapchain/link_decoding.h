// The display adapter's side of a compressed path: frames come out of link surfaces into what is always behind their buffer,
// upright, or, where the path of the source is turned and a frame refers to none before, into a primary that is turned as the
// path is. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "swapchain/buffer_set.h"
#include "swapchain/compositor.h"
#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

// Threads: the display thread. A frame allocates nothing but when the way changes.
class LinkDecoding {
 public:
  // All outlive it.
  LinkDecoding(Runtime& display, const BufferSet& buffers, Compositor& compositor, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source)
      : display_(display), buffers_(buffers), compositor_(compositor), vidpn_source_(vidpn_source) {}

  // A slice of the buffer's frame has arrived: queues its decoding. `refers`: the frame may refer to the one before.
  [[nodiscard]] Result<void> DecodeSlice(const SliceWork& slice, const RECT& part, bool refers);

  struct Decoded {
    std::optional<Compositor::TurnedPrimary> turned;  // where it stands; nothing: upright behind its buffer
  };
  // The frame is about to be flipped to: queues what of its decoding is not, and all of it again where the path was turned since.
  [[nodiscard]] Result<Decoded> Finish(std::uint32_t buffer, bool refers);

 private:
  struct Frame {
    D3D10DDI_HRESOURCE to{};
    D3DDDI_ROTATION rotation = D3DDDI_ROTATION_IDENTITY;
    bool begun = false;
    bool mixed = false;  // the path was turned before all of it was queued, or the primary refused
  };

  [[nodiscard]] Frame Begin(std::uint32_t buffer, bool refers);
  // `part` null: all of it.
  [[nodiscard]] Result<void> Decode(std::uint32_t buffer, Frame& frame, const RECT* part);

  Runtime& display_;
  const BufferSet& buffers_;
  Compositor& compositor_;
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source_;
  std::array<Frame, kMaxBuffers> frames_;  // by buffer
};

}  // namespace tandem::swapchain
