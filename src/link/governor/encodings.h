// Which encodings the user allows on a narrow link, and how wide the link is said to be.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "color/format.h"
#include "link/surface/link_surface.h"

namespace tandem::link {

// Of kAuto: a program whose pictures stand mostly still is a desktop one.
enum class ContentKind : std::uint8_t { kAuto, kGame, kDesktop };
[[nodiscard]] std::string_view ToString(ContentKind kind);  // "auto", "game", "desktop"
[[nodiscard]] Result<ContentKind> ParseContentKind(std::string_view text);

struct EncodingRequest {
  // By LinkEncoding.
  std::array<bool, kLinkEncodings> allowed{true, true, true, true, true, true};
  // Not left to the governor: frames are encoded even where plain ones would do.
  bool asked_for = false;

  [[nodiscard]] bool Allows(LinkEncoding encoding) const { return allowed[static_cast<std::uint32_t>(encoding)]; }
  [[nodiscard]] bool off() const;
  // The one that is allowed; nothing when there is a choice, or none.
  [[nodiscard]] std::optional<LinkEncoding> Only() const;
  // Nothing but this one. Not asked for.
  [[nodiscard]] static EncodingRequest Just(LinkEncoding encoding);
  // Without what this build leaves out (IsBuilt).
  [[nodiscard]] EncodingRequest Built() const;
  // Without what has more bytes a frame than allowed, whatever it shows. kLossless can lose bits rather than have more than its
  // least.
  struct Frame {
    color::Format format = color::Format::kUnknown;  // that comes out of the link
    std::uint32_t width = 0;                         // pixels
    std::uint32_t height = 0;                        // pixels
    std::uint32_t slice_rows = 0;                    // LinkSliceRows()
  };
  [[nodiscard]] EncodingRequest Within(std::uint64_t frame_bytes, const Frame& frame) const;
};

// "auto": the governor chooses among all; "off": frames cross as they are; else one or several of the encodings' names with
// commas between: the governor chooses among these. "no-" before each of them ("no-420,no-bc1") is "auto" without them.
// kInvalidArgument names what is allowed.
[[nodiscard]] Result<EncodingRequest> ParseEncodings(std::string_view text);
// What ParseEncodings takes.
[[nodiscard]] std::string ToString(const EncodingRequest& request);

// How 4:2:0 is made: bt709, bt601 or bt2020, full or limited, nearest or bilinear, with commas between; what is not named is the
// first of its kind, and "auto" names nothing. LinkYuvText is read back. kInvalidArgument names what is allowed.
[[nodiscard]] Result<LinkYuv> ParseYuv(std::string_view text);

inline constexpr std::uint64_t kMinFrameBytes = 1000;
inline constexpr std::uint64_t kMaxFrameBytes = 1'000'000'000;
// "2MB", "500kB", "off": bytes, 0 for off. Decimal units; the limits above. kInvalidArgument.
[[nodiscard]] Result<std::uint64_t> ParseFrameBytes(std::string_view text);
[[nodiscard]] std::string FrameBytesText(std::uint64_t bytes);

// "250MB/s", "2.5GB/s", "off": bytes a second, 0 for off. Decimal units; EmulatedLink's limits. kInvalidArgument.
[[nodiscard]] Result<std::uint64_t> ParseLinkLimit(std::string_view text);
[[nodiscard]] std::string LinkLimitText(std::uint64_t bytes_per_second);

}  // namespace tandem::link
