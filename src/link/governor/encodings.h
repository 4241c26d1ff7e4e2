// The encodings that the user allows on a narrow link, and the parsers of the link's settings.
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

// kAuto treats a program as a desktop one when at least half of its tiles stay unchanged.
// kCad: technical drawings, which stay exact as a desktop does.
enum class ContentKind : std::uint8_t { kAuto, kGame, kDesktop, kCad };
// True for pictures that stay exact even where frames come slower then.
[[nodiscard]] constexpr bool StaysExact(ContentKind kind) { return kind == ContentKind::kDesktop || kind == ContentKind::kCad; }
[[nodiscard]] std::string_view ToString(ContentKind kind);  // "auto", "game", "desktop", "cad"
[[nodiscard]] Result<ContentKind> ParseContentKind(std::string_view text);

struct EncodingRequest {
  // Indexed by LinkEncoding.
  std::array<bool, kLinkEncodings> allowed{true, true, true, true, true, true};
  // True if the user named encodings: frames are then encoded even when plain ones would fit.
  bool asked_for = false;

  [[nodiscard]] bool Allows(LinkEncoding encoding) const { return allowed[static_cast<std::uint32_t>(encoding)]; }
  [[nodiscard]] bool off() const;
  // The only allowed encoding; empty when several or none are allowed.
  [[nodiscard]] std::optional<LinkEncoding> Only() const;
  // Allows `encoding` alone; asked_for stays false.
  [[nodiscard]] static EncodingRequest Just(LinkEncoding encoding);
  // Leaves out the encodings that are not built (IsBuilt).
  [[nodiscard]] EncodingRequest Built() const;
  // Leaves out encodings whose frames may exceed `frame_bytes`. kLossless stays if its least size fits, because it can drop low
  // bits.
  struct Frame {
    color::Format format = color::Format::kUnknown;  // format that comes out of the link
    std::uint32_t width = 0;                         // pixels
    std::uint32_t height = 0;                        // pixels
    std::uint32_t slice_rows = 0;                    // LinkSliceRows()
  };
  [[nodiscard]] EncodingRequest Within(std::uint64_t frame_bytes, const Frame& frame) const;
};

// Parses "auto" (the governor chooses among all), "off" (frames cross unencoded) or names separated by commas (the governor
// chooses among these). "no-" before every name ("no-420,no-bc1") means "auto" without them. The message of kInvalidArgument
// lists the allowed values.
[[nodiscard]] Result<EncodingRequest> ParseEncodings(std::string_view text);
// The text that ParseEncodings reads back.
[[nodiscard]] std::string ToString(const EncodingRequest& request);

// Parses the 4:2:0 conversion: bt709, bt601 or bt2020, full or limited, nearest or bilinear, separated by commas. A missing
// part takes the first value of its kind; "auto" is all defaults. LinkYuvText's text is accepted. The message of
// kInvalidArgument lists the allowed values.
[[nodiscard]] Result<LinkYuv> ParseYuv(std::string_view text);

inline constexpr std::uint64_t kMinFrameBytes = 1000;
inline constexpr std::uint64_t kMaxFrameBytes = 1'000'000'000;
// Parses "2MB", "500kB" or "off" into bytes, 0 for off. Decimal units, within the limits above. Error: kInvalidArgument.
[[nodiscard]] Result<std::uint64_t> ParseFrameBytes(std::string_view text);
[[nodiscard]] std::string FrameBytesText(std::uint64_t bytes);

// Parses "250MB/s", "2.5GB/s" or "off" into bytes a second, 0 for off. Decimal units, within EmulatedLink's limits. Error:
// kInvalidArgument.
[[nodiscard]] Result<std::uint64_t> ParseLinkLimit(std::string_view text);
[[nodiscard]] std::string LinkLimitText(std::uint64_t bytes_per_second);

}  // namespace tandem::link
