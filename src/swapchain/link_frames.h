// The surfaces of a compressed path as the swap chain sees them: which frame is in which, what is requested of it and what it
// took. Internal to the module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "link/governor/encoding_policy.h"
#include "link/governor/lossless_sizes.h"
#include "swapchain/buffer_set.h"
#include "swapchain/frame_lines.h"
#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {

struct LinkFigures {
  std::uint64_t bytes = 0;                                   // that crossed
  std::uint64_t timed_bytes = 0;                             // of them, with a known time on the link
  std::int64_t link_ns = 0;                                  // that time
  std::int64_t encode_ns = 0;                                // of all of them
  std::int64_t decode_ns = 0;                                // of those that the decoder told of, a round of the ring later
  std::uint64_t decoded = 0;                                 // so many
  std::array<std::uint64_t, link::kLinkEncodings> frames{};  // by encoding
  std::uint64_t lossy_frames = 0;                            // of the lossless ones: that lost bits to frame_bytes
  std::uint64_t unchanged = 0;                               // sum of the lossless frames' per mille
};

// Under the swap chain's lock. Allocates nothing after Create.
class LinkFrames {
 public:
  // Maps the set's link surfaces, which outlive it, and makes them empty.
  [[nodiscard]] static Result<LinkFrames> Create(const SwapChainDesc& desc, const BufferSet& buffers);

  // Pieces that a frame is copied and decoded in, each signalled by itself; 1: whole frames.
  [[nodiscard]] static std::uint32_t SlicesOf(const SwapChainDesc& desc);
  // Whether the frame in the buffer may refer to the one before.
  [[nodiscard]] bool Refers(std::uint32_t buffer) const;
  // Of the copy into the buffer that was begun last: its `position`th piece, in the order in which they are to be queued.
  [[nodiscard]] RECT PieceRect(std::uint32_t buffer, std::uint32_t position) const;

  // The copy is about to be queued.
  void Begin(const CopyWork& work, std::int64_t now_ns, bool waited);
  // All copies up to this serial are complete.
  void Arrived(std::uint64_t serial, FrameLines& lines);
  // What decoding the frame of that copy took; 0: the buffer has another one by now.
  [[nodiscard]] std::int64_t DecodeNs(std::uint32_t buffer, std::uint64_t copy) const;
  [[nodiscard]] const LinkFigures& figures() const { return figures_; }
  // Of the frame that was queued last; nothing before the first.
  [[nodiscard]] std::optional<link::LinkEncoding> last_encoding() const { return last_encoding_; }
  [[nodiscard]] std::string Reason() const { return policy_->Reason(); }

 private:
  struct Slot {
    std::span<std::byte> bytes;
    link::LinkEncoding encoding = link::LinkEncoding::kPlain;  // of the frame in it
    link::LinkEncoding before = link::LinkEncoding::kPlain;    // of the one before, which was decoded out of it
    std::int64_t decode_ns = 0;                                // what that took; 0: there was none
    std::uint32_t probe = 0;                                   // 1 + slice
    std::array<std::uint8_t, link::kMaxLinkSlices> order{};    // of the slices
    std::uint64_t frame = 0;                                   // as it was presented
    std::string_view cause;                                    // of the choice
  };

  explicit LinkFrames(const SwapChainDesc& desc);
  [[nodiscard]] RECT SliceRect(std::uint32_t slice) const;
  void Order(Slot& slot) const;

  std::uint32_t width_;
  std::uint32_t height_;
  std::uint32_t slice_rows_;
  std::uint32_t slices_;
  std::uint64_t frame_bytes_;
  link::LosslessSizes lossless_;
  link::EncodingPolicy* policy_;
  std::vector<Slot> slots_;
  std::array<std::uint32_t, kMaxBuffers> buffer_of_{};  // by serial
  std::uint64_t arrived_ = 0;
  std::uint32_t next_probe_ = 0;  // slice
  std::optional<link::LinkEncoding> last_encoding_;
  LinkFigures figures_;
};

}  // namespace tandem::swapchain
