// Chooses the encoding of each frame on a narrow link: the best picture that keeps the pace, the cheaper of equal ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "color/format.h"
#include "link/governor/encoding_policy.h"
#include "link/governor/encodings.h"

namespace tandem::link {

struct GovernorDesc {
  EncodingRequest request;
  ContentKind content = ContentKind::kAuto;
  std::uint32_t width = 0;                  // pixels
  std::uint32_t height = 0;                 // pixels
  std::int64_t refresh_period_ns = 0;       // the shortest time between frames that is of use
  std::uint64_t link_bytes_per_second = 0;  // bandwidth known before the first frame; 0: unknown
  // Duration of an empty transfer, if the link was measured; shorter transfers say nothing about bandwidth. 0: link times are
  // exact, not measured.
  std::int64_t link_latency_ns = 0;
  color::Format format = color::Format::kB8G8R8A8Unorm;  // pictures as they come out of the link
};

// Rules:
// - An encoding fits when encoding, link and decoding each take no longer than a frame may; the three overlap.
// - An encoding whose frames come slower than its parts take counts as slower, until newer figures correct that.
// - The first fitting encoding of kLinkEncodingsByPicture wins: exact ones, then 4:2:0, then BC1. Else the fastest wins.
// - Lossless frames are tried where packed frames fit, since the picture is the same. They stay while they arrive sooner.
// - A desktop program's pictures stay exact, fitting or not, unless the user allowed no exact encoding.
// - Engine times count from the fifth frame of an encoding on: earlier frames write to memory that was never touched.
// - An untried encoding counts as fitting, for the better picture's sake. If its size may not fit, the next frame waits for the
//   first one's cost.
// - Packed frames take engines at least as long as plain ones, and 4:2:0 in tiles at least as long as 4:2:0.
// - 4:2:0 in tiles counts as half the size of lossless frames until its real share is known.
// - A change to a better picture (exact, 4:2:0, BC1) is visible. That picture must first have fitted with a reserve for some
//   frames in a row: two at first, twice as many after each time that it did not last.
// While frames are not exact, one slice of every fourth is also coded lossless, for its size only. The governor
// thus learns when lossless frames fit again.
class Governor final : public EncodingPolicy {
 public:
  explicit Governor(const GovernorDesc& desc);

  [[nodiscard]] EncodingChoice Choose(std::int64_t now_ns, bool waited) override;
  void Sent(const SentFrame& frame) override;
  [[nodiscard]] bool Waits() const override;
  [[nodiscard]] std::optional<LinkEncoding> Only() const override { return desc_.request.Only(); }
  // "only": no other encoding is allowed; "untried": its cost is unknown; "fits"; "desktop": the encoding does not fit, but
  // pictures stay exact; "fastest": no encoding fits.
  [[nodiscard]] std::string_view Cause() const override;
  [[nodiscard]] std::size_t Explain(std::span<char> room) const override;

 private:
  // Known cost of one encoding; 0: unknown.
  struct Cost {
    std::uint32_t frames = 0;     // frames sent, counted up to the limit that matters
    std::uint32_t under_way = 0;  // frames chosen whose cost is not yet reported
    double bytes = 0;
    double encode_ns = 0;
    double decode_ns = 0;
    double stretch = 1;  // real time of a frame relative to its known parts; 1 or more
  };

  [[nodiscard]] const Cost& CostOf(LinkEncoding encoding) const { return costs_[static_cast<std::uint32_t>(encoding)]; }
  [[nodiscard]] Cost& CostOf(LinkEncoding encoding) { return costs_[static_cast<std::uint32_t>(encoding)]; }
  [[nodiscard]] double LinkNs(const Cost& cost) const { return cost.bytes * link_ns_per_byte_; }
  [[nodiscard]] double KnownNs(const Cost& cost) const;
  [[nodiscard]] double FrameNs(LinkEncoding encoding) const;
  [[nodiscard]] bool Fits(LinkEncoding encoding, double reserve) const;
  [[nodiscard]] double LatencyNs(LinkEncoding encoding) const;
  [[nodiscard]] bool LosslessIsSooner() const;
  [[nodiscard]] bool IsDesktop() const;
  [[nodiscard]] LinkEncoding Best() const;
  void FollowPace(std::int64_t now_ns, bool waited);
  void FollowLink(const SentFrame& frame);
  void CompareWithClock(std::int64_t now_ns, bool waited);
  void LearnTiles(double lossless_bytes, double tiles_bytes);

  const GovernorDesc desc_;
  std::array<Cost, kLinkEncodings> costs_;
  double link_ns_per_byte_ = 0;
  double frame_ns_;  // time that a frame may take
  std::int64_t last_ns_ = 0;
  std::int64_t window_begin_ns_ = 0;
  std::uint32_t window_frames_ = 0;  // frames of one encoding in the window; each of them waited
  bool slower_before_ = false;       // the window before this one was slower than allowed
  LinkEncoding chosen_ = LinkEncoding::kPlain;
  bool lossy_ = false;        // the last kLossless frame lost low bits
  double unchanged_ = 0;      // share of unchanged tiles, smoothed
  double tiles_share_ = 0.5;  // size of 4:2:0 in tiles relative to lossless frames, smoothed
  std::uint64_t frames_ = 0;
  std::uint64_t step_since_ = 0;  // frame number of the last change of quality
  std::uint32_t fitting_ = 0;     // frames in a row for which a better picture would have fitted
  std::uint32_t patience_;        // such frames needed before a change
};

}  // namespace tandem::link
