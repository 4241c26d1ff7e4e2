#include "swapchain/link_decoding.h"

#include <utility>

namespace tandem::swapchain {

LinkDecoding::Frame LinkDecoding::Begin(std::uint32_t buffer, bool refers) {
  // Frames that are copied on to primaries anyway are rotated during that copy.
  if (!refers && !buffers_.decodes_to_pictures()) {
    if (const auto turned = compositor_.PrimaryToDecodeTo(buffer)) return {turned->surface, turned->rotation, true};
  }
  return {buffers_.decoded(buffer), D3DDDI_ROTATION_IDENTITY, true};
}

Result<void> LinkDecoding::Decode(std::uint32_t buffer, Frame& frame, const RECT* part) {
  const bool turns = frame.rotation != D3DDDI_ROTATION_IDENTITY;
  PresentCall copy;
  copy.source = buffers_.shared(buffer).handle();
  copy.destination = frame.to;
  copy.part = part;
  copy.turn = turns ? Turn::kWithThePath : Turn::kAsItIs;
  auto copied = display_.DxgiPresent(copy);
  // A copy is rotated as the path is when it is queued. The driver refuses it if the primary's extent does not fit that
  // rotation.
  frame.mixed = turns && (!copied.ok() || display_.RotationOf(vidpn_source_) != frame.rotation);
  return frame.mixed ? Result<void>() : copied;
}

Result<void> LinkDecoding::DecodeSlice(const SliceWork& slice, const RECT& part, bool refers) {
  Frame& frame = frames_[slice.buffer];
  if (slice.slice == 0) frame = Begin(slice.buffer, refers);
  return frame.mixed ? Result<void>() : Decode(slice.buffer, frame, &part);
}

Result<LinkDecoding::Decoded> LinkDecoding::Finish(std::uint32_t buffer, bool refers) {
  Frame frame = std::exchange(frames_[buffer], {});
  Decoded decoded;
  for (std::uint32_t turns = 0;; ++turns) {
    const Frame due = Begin(buffer, refers || turns >= kMostTurns);
    if (frame.begun && !frame.mixed && frame.rotation == due.rotation) break;
    frame = due;
    if (auto queued = Decode(buffer, frame, nullptr); !queued.ok()) return std::move(queued).error();
  }
  if (frame.rotation != D3DDDI_ROTATION_IDENTITY) decoded.turned = {frame.to, frame.rotation};
  return decoded;
}

}  // namespace tandem::swapchain
