// The link surfaces of a compressed path as the swap chain sees them: the frame in each, its request and its cost. Internal to
// the module.
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
  std::uint64_t bytes = 0;        // bytes that crossed
  std::uint64_t timed_bytes = 0;  // bytes with a known time on the link
  std::int64_t link_ns = 0;       // time of timed_bytes
  std::int64_t encode_ns = 0;     // sum of all frames
  std::int64_t decode_ns = 0;     // sum of the decoding times reported so far, one round of the ring late
  std::uint64_t decoded = 0;      // frames in decode_ns
  std::array<std::uint64_t, link::kLinkEncodings> frames{};  // indexed by encoding
  std::uint64_t lossy_frames = 0;                            // kLossless frames that lost bits to frame_bytes
  std::uint64_t unchanged = 0;                               // sum of the kLossless frames' unchanged tiles per mille
  LinkFigures& operator+=(const LinkFigures& other);
};

// Called under the swap chain's lock. Allocates nothing after Create.
class LinkFrames {
 public:
  // Maps the link surfaces of `buffers` and initializes them. `buffers` must outlive the result.
  [[nodiscard]] static Result<LinkFrames> Create(const SwapChainDesc& desc, const BufferSet& buffers);

  // Number of pieces that a frame is copied and decoded in, each signalled by itself; 1: whole frames.
  [[nodiscard]] static std::uint32_t SlicesOf(const SwapChainDesc& desc);
  // True if the frame in the buffer may reference the previous one.
  [[nodiscard]] bool Refers(std::uint32_t buffer) const;
  // Rows of the piece at `position` in queueing order, for the last copy begun into the buffer.
  [[nodiscard]] RECT PieceRect(std::uint32_t buffer, std::uint32_t position) const;

  // Chooses and requests the encoding of a copy that is about to be queued.
  void Begin(const CopyWork& work, std::int64_t now_ns, bool waited);
  // Reads the cost of all copies up to `serial`, which are complete.
  void Arrived(std::uint64_t serial, FrameLines& lines);
  // Decoding time of the frame of `copy`; 0: the buffer contains another frame by now.
  [[nodiscard]] std::int64_t DecodeNs(std::uint32_t buffer, std::uint64_t copy) const;
  [[nodiscard]] const LinkFigures& figures() const { return figures_; }
  // Encoding of the last queued frame; empty before the first.
  [[nodiscard]] std::optional<link::LinkEncoding> last_encoding() const { return last_encoding_; }
  [[nodiscard]] std::string Reason() const { return policy_->Reason(); }

 private:
  struct Slot {
    std::span<std::byte> bytes;
    link::LinkEncoding encoding = link::LinkEncoding::kPlain;  // encoding of the frame in the surface
    link::LinkEncoding before = link::LinkEncoding::kPlain;    // encoding of the previous frame in it
    std::int64_t decode_ns = 0;                                // decoding time of that previous frame; 0: there was none
    std::uint32_t probe = 0;                                   // 1 + slice
    std::array<std::uint8_t, link::kMaxLinkSlices> order{};    // slices in coding order
    std::uint64_t frame = 0;                                   // FrameSchedule::presented() after its present
    std::string_view cause;                                    // cause of the encoding's choice
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
  std::array<std::uint32_t, kMaxBuffers> buffer_of_{};  // indexed by serial
  std::uint64_t arrived_ = 0;
  std::uint32_t next_probe_ = 0;  // slice
  std::optional<link::LinkEncoding> last_encoding_;
  LinkFigures figures_;
};

}  // namespace tandem::swapchain
