// How the frames of a compressed path are encoded: asked once a frame, told what each cost.
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
  bool probes = false;  // one slice is coded lossless as well, to know what that would take
};

// What one frame took on its way.
struct SentFrame {
  LinkEncoding encoding = LinkEncoding::kPlain;
  std::uint64_t bytes = 0;      // that crossed
  std::int64_t encode_ns = 0;   // of the render adapter's engine
  std::int64_t link_ns = 0;     // what the bytes took on the link; 0: there is none to speak of
  std::uint32_t unchanged = 0;  // of kLossless and kYuv420Tiles: what was not sent of it, per mille
  bool lossy = false;           // of kLossless: it lost low bits to SwapChainDesc::frame_bytes
  LinkEncoding decoded{};       // of an earlier frame
  std::int64_t decode_ns = 0;   // what decoding that one took; 0: nothing was decoded yet
  // Of a probing frame: what the whole would have taken, lossless and with nothing left out; 0: it did not probe.
  std::uint64_t probed_bytes = 0;
  std::int64_t probed_ns = 0;
};

// What a sentence about a choice may have; what is longer is cut off.
inline constexpr std::size_t kMaxReasonBytes = 512;

// One for each swap chain, which calls it under its lock: it neither blocks nor allocates.
class EncodingPolicy {
 public:
  virtual ~EncodingPolicy() = default;
  // The next frame's. `waited`: there was no buffer, or those before had far to go, so more frames come than can be brought
  // across.
  [[nodiscard]] virtual EncodingChoice Choose(std::int64_t now_ns, bool waited) = 0;
  virtual void Sent(const SentFrame& frame) = 0;
  // Whether the next frame waits until more is told of those on their way: what it is to be depends on them. Never while there
  // are none.
  [[nodiscard]] virtual bool Waits() const { return false; }
  // The one encoding that it ever chooses; nothing when it has a choice. The same from first to last.
  [[nodiscard]] virtual std::optional<LinkEncoding> Only() const = 0;
  // The same in a word, for lists; of static storage. Empty: there is none.
  [[nodiscard]] virtual std::string_view Cause() const { return {}; }
  // Writes a sentence about the last choice; the answer is its length, `room` at most.
  [[nodiscard]] virtual std::size_t Explain(std::span<char> room) const = 0;
  [[nodiscard]] std::string Reason() const {
    std::array<char, kMaxReasonBytes> room{};
    return {room.data(), Explain(room)};
  }
};

}  // namespace tandem::link
