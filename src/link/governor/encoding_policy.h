// The policy that chooses the encoding of each frame on a compressed path. The swap chain reports the cost of each frame to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "link/surface/link_surface.h"

namespace tandem::link {

struct EncodingChoice {
  LinkEncoding encoding = LinkEncoding::kPlain;
  bool probes = false;  // one slice is also coded lossless, to learn the frame's lossless size
};

// Cost of one frame.
struct SentFrame {
  LinkEncoding encoding = LinkEncoding::kPlain;
  std::uint64_t bytes = 0;      // bytes that crossed the link
  std::int64_t encode_ns = 0;   // time of the render adapter's engine
  std::int64_t link_ns = 0;     // time of these bytes on the link; 0: unknown
  std::uint32_t unchanged = 0;  // per mille not sent; kLossless and kYuv420Tiles only
  bool lossy = false;           // kLossless only: low bits were dropped to meet SwapChainDesc::frame_bytes
  LinkEncoding decoded{};       // encoding of an earlier frame
  std::int64_t decode_ns = 0;   // decoding time of that earlier frame; 0: no frame was decoded yet
  // Set when the frame probed: size and time of the whole frame if coded lossless with every tile sent. 0: it did not probe.
  std::uint64_t probed_bytes = 0;
  std::int64_t probed_ns = 0;
};

// Longest reason in bytes; longer ones are cut off.
inline constexpr std::size_t kMaxReasonBytes = 512;

// One policy for each swap chain, called under its lock. An implementation neither blocks nor allocates.
class EncodingPolicy {
 public:
  virtual ~EncodingPolicy() = default;
  // Chooses the next frame's encoding. `waited`: no buffer was free, or earlier frames had not come far enough. Then the
  // program draws frames faster than they cross.
  [[nodiscard]] virtual EncodingChoice Choose(std::int64_t now_ns, bool waited) = 0;
  virtual void Sent(const SentFrame& frame) = 0;
  // True if the next frame's encoding depends on the unreported cost of frames on their way, so that it must wait. Always false
  // when no frame is on its way.
  [[nodiscard]] virtual bool Waits() const { return false; }
  // The only encoding that the policy ever chooses; empty when it has a choice. The answer never changes.
  [[nodiscard]] virtual std::optional<LinkEncoding> Only() const = 0;
  // Cause of the last choice in one word, for lists. Static storage. Empty: no cause is known.
  [[nodiscard]] virtual std::string_view Cause() const { return {}; }
  // Writes a sentence about the last choice into `room` and returns its length, `room.size()` at most.
  [[nodiscard]] virtual std::size_t Explain(std::span<char> room) const = 0;
  [[nodiscard]] std::string Reason() const {
    std::array<char, kMaxReasonBytes> room{};
    return {room.data(), Explain(room)};
  }
};

}  // namespace tandem::link
