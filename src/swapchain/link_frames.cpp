#include "swapchain/link_frames.h"

#include <algorithm>

#include "link/governor/slice_order.h"

namespace tandem::swapchain {
namespace {

// Frames that have arrived may be replaced, so decoding starts once a frame is known to be shown. Other modes start with the
// first slice.
bool DecodesEarly(const SwapChainDesc& desc) { return !Replaces(desc.present_mode, desc.slow_flips); }

std::uint32_t SliceRowsOf(const SwapChainDesc& desc) {
  return link::LinkSliceRows(desc.height, DecodesEarly(desc) ? desc.link_slices : 1);
}

// Size of a lossless slice with all tiles sent.
std::uint64_t WholeBytes(const link::LinkSlice& slice) {
  constexpr std::uint32_t kLeastSent = 50;  // per mille; fewer sent tiles say nothing about the others
  const std::uint32_t sent = 1000 - std::min<std::uint32_t>(slice.unchanged, 1000);
  return std::uint64_t{slice.bytes} * 1000 / std::max(sent, kLeastSent);
}

}  // namespace

LinkFigures& LinkFigures::operator+=(const LinkFigures& other) {
  bytes += other.bytes;
  timed_bytes += other.timed_bytes;
  link_ns += other.link_ns;
  encode_ns += other.encode_ns;
  decode_ns += other.decode_ns;
  decoded += other.decoded;
  for (std::size_t i = 0; i < frames.size(); ++i) frames[i] += other.frames[i];
  lossy_frames += other.lossy_frames;
  unchanged += other.unchanged;
  return *this;
}

LinkFrames::LinkFrames(const SwapChainDesc& desc)
    : width_(desc.width),
      height_(desc.height),
      slice_rows_(SliceRowsOf(desc)),
      slices_(SlicesOf(desc)),
      frame_bytes_(desc.frame_bytes),
      lossless_(slices_),
      policy_(desc.encodings) {}

std::uint32_t LinkFrames::SlicesOf(const SwapChainDesc& desc) { return link::LinkSliceCount(desc.height, SliceRowsOf(desc)); }

Result<LinkFrames> LinkFrames::Create(const SwapChainDesc& desc, const BufferSet& buffers) {
  LinkFrames frames(desc);
  const std::uint64_t bytes = link::LinkSurfaceBytes(desc.width, desc.height);
  for (std::uint32_t i = 0; i < buffers.buffer_count(); ++i) {
    auto mapped = buffers.MapShared(i);
    if (!mapped.ok()) return std::move(mapped).error();
    link::InitializeLinkSurface({*mapped, bytes}, frames.slice_rows_, desc.link_colors, desc.frame_bytes);
    frames.slots_.push_back({{*mapped, bytes}, {}, {}, 0, 0, {}, 0, {}});
  }
  return frames;
}

RECT LinkFrames::SliceRect(std::uint32_t slice) const {
  const std::uint32_t top = slice * slice_rows_;
  return {0, static_cast<LONG>(top), static_cast<LONG>(width_), static_cast<LONG>(std::min(top + slice_rows_, height_))};
}

// A requested encoding that is not built becomes lossless.
bool LinkFrames::Refers(std::uint32_t buffer) const {
  const link::LinkEncoding encoding = slots_[buffer].encoding;
  return !link::IsBuilt(encoding) || link::RefersToFrames(encoding);
}

RECT LinkFrames::PieceRect(std::uint32_t buffer, std::uint32_t position) const {
  return SliceRect(slots_[buffer].order[position]);
}

// Orders the slices by their times in the buffer's previous frame.
void LinkFrames::Order(Slot& slot) const {
  std::array<link::SliceTimes, link::kMaxLinkSlices> times{};
  for (std::uint32_t i = 0; i < slices_; ++i) {
    const link::LinkSlice slice = link::ReadLinkSlice(slot.bytes, i);
    times[i] = {slice.encode_ns, slice.link_ns, link::ReadLinkHeld(slot.bytes, i).decode_ns};
  }
  link::OrderSlices(std::span(times).first(slices_), std::span(slot.order).first(slices_));
}

void LinkFrames::Begin(const CopyWork& work, std::int64_t now_ns, bool waited) {
  Slot& slot = slots_[work.buffer];
  slot.before = slot.encoding;
  slot.decode_ns = 0;
  for (std::uint32_t i = 0; i < slices_; ++i) {
    slot.decode_ns += static_cast<std::int64_t>(link::ReadLinkHeld(slot.bytes, i).decode_ns);
  }
  const link::EncodingChoice choice = policy_->Choose(now_ns, waited);
  slot.encoding = choice.encoding;
  slot.frame = work.frame;
  slot.cause = policy_->Cause();
  last_encoding_ = choice.encoding;
  slot.probe = 0;
  if (choice.probes) {
    slot.probe = next_probe_ + 1;
    next_probe_ = (next_probe_ + 1) % slices_;
  }
  buffer_of_[work.serial % kMaxBuffers] = work.buffer;
  Order(slot);
  link::RequestLinkFrame(slot.bytes, work.serial, slot.encoding, slot.probe);
}

std::int64_t LinkFrames::DecodeNs(std::uint32_t buffer, std::uint64_t copy) const {
  std::int64_t decode_ns = 0;
  for (std::uint32_t i = 0; i < slices_; ++i) {
    const link::LinkHeld held = link::ReadLinkHeld(slots_[buffer].bytes, i);
    if (held.frame != copy) return 0;
    decode_ns += static_cast<std::int64_t>(held.decode_ns);
  }
  return decode_ns;
}

void LinkFrames::Arrived(std::uint64_t serial, FrameLines& lines) {
  for (; arrived_ < serial; ++arrived_) {
    const Slot& slot = slots_[buffer_of_[(arrived_ + 1) % kMaxBuffers]];
    link::SentFrame sent;
    sent.encoding = slot.encoding;
    sent.decoded = slot.before;
    sent.decode_ns = slot.decode_ns;
    std::uint32_t unchanged = 0;
    for (std::uint32_t i = 0; i < slices_; ++i) {
      const link::LinkSlice slice = link::ReadLinkSlice(slot.bytes, i);
      sent.bytes += slice.bytes;
      sent.encode_ns += static_cast<std::int64_t>(slice.encode_ns);
      sent.link_ns += static_cast<std::int64_t>(slice.link_ns);
      unchanged += slice.unchanged;
      if (slot.encoding != link::LinkEncoding::kLossless) continue;
      sent.lossy = sent.lossy || slice.lossy != 0;
      lossless_.Know(i, WholeBytes(slice));
    }
    sent.unchanged = unchanged / slices_;
    if (slot.probe != 0) {
      const link::LinkProbed probed = link::ReadLinkProbed(slot.bytes);
      const RECT part = SliceRect(slot.probe - 1);
      const auto rows = static_cast<std::uint64_t>(part.bottom - part.top);
      if (probed.bytes != 0) {
        lossless_.Probe(slot.probe - 1, probed.bytes);
        sent.probed_bytes = lossless_.Whole();
        if (frame_bytes_ != 0) sent.probed_bytes = std::min(sent.probed_bytes, frame_bytes_);
      }
      // Estimate: the whole frame takes as long as the slice, by rows.
      sent.probed_ns = static_cast<std::int64_t>(probed.ns * height_ / rows);
    }
    figures_.bytes += sent.bytes;
    figures_.encode_ns += sent.encode_ns;
    if (sent.decode_ns > 0) {
      figures_.decode_ns += sent.decode_ns;
      ++figures_.decoded;
    }
    if (sent.link_ns > 0) {
      figures_.timed_bytes += sent.bytes;
      figures_.link_ns += sent.link_ns;
    }
    ++figures_.frames[static_cast<std::uint32_t>(sent.encoding)];
    if (sent.encoding == link::LinkEncoding::kLossless) figures_.unchanged += sent.unchanged;
    lines.Sent(slot.frame, sent, slot.cause);
    if (sent.lossy) ++figures_.lossy_frames;
    policy_->Sent(sent);
  }
}

}  // namespace tandem::swapchain
