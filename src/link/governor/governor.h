// Chooses the encoding of each frame on a narrow link: the best picture that keeps the pace, and of equal pictures the cheaper.
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
  std::int64_t refresh_period_ns = 0;       // frames need not come faster
  std::uint64_t link_bytes_per_second = 0;  // what is known of the link before the first frame; 0: nothing
  // Of a link that was measured: what a transfer of nothing takes there, so that shorter ones tell nothing of it. 0: it is not a
  // measured one, and what frames take on it is exact.
  std::int64_t link_latency_ns = 0;
  color::Format format = color::Format::kB8G8R8A8Unorm;  // of the pictures, as they come out of the link
};

// Rules:
// - an encoding fits when encoding, link and decoding, each by itself, take no longer than a frame may: they overlap; when frames
//   come slower than that all the same, for as long as it is not known better
// - the first one that fits of kLinkEncodingsByPicture: exact ones, then 4:2:0, then BC1; when none does, the fastest
// - where packed frames fit, lossless ones, the same picture, are tried before them, and kept while they are there sooner
// - a desktop program's pictures stay exact, fit or not, unless the user allowed nothing exact
// - what engines take counts from the fifth frame of an encoding on: the first ones go to memory that nobody has touched yet
// - what was never tried is taken for the better picture's sake: the next frame knows more, and waits for that where nobody can
//   say that it fits
// - what packs the pixels of plain frames or the planes of 4:2:0 takes its engines no less time than these do
// - 4:2:0 in tiles is taken for half as large as lossless frames, until it is known better
// - back to a better picture (exact, 4:2:0, BC1), which is seen, only after it would have fitted with a reserve for some frames:
//   at first two, and twice as many after each time that it did not last
// While frames are not exact, a slice of every fourth is coded lossless as well, for its size only: so the way back is found.
class Governor final : public EncodingPolicy {
 public:
  explicit Governor(const GovernorDesc& desc);

  [[nodiscard]] EncodingChoice Choose(std::int64_t now_ns, bool waited) override;
  void Sent(const SentFrame& frame) override;
  [[nodiscard]] bool Waits() const override;
  [[nodiscard]] std::optional<LinkEncoding> Only() const override { return desc_.request.Only(); }
  // "only": nothing else is allowed; "untried": nothing is known of it yet; "fits"; "desktop": it does not, and pictures stay
  // exact; "fastest": it does not, and neither does any other.
  [[nodiscard]] std::string_view Cause() const override;
  [[nodiscard]] std::size_t Explain(std::span<char> room) const override;

 private:
  // What is known of one encoding; 0: nothing yet.
  struct Cost {
    std::uint32_t frames = 0;     // that were sent, as far as it matters
    std::uint32_t under_way = 0;  // chosen and not yet told of
    double bytes = 0;
    double encode_ns = 0;
    double decode_ns = 0;
    double stretch = 1;  // what frames really took, by the sum of what is known of them; from 1 on
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
  double frame_ns_;  // what a frame may take
  std::int64_t last_ns_ = 0;
  std::int64_t window_begin_ns_ = 0;
  std::uint32_t window_frames_ = 0;  // of one encoding, every one of which waited
  bool slower_before_ = false;       // the window before this one was
  LinkEncoding chosen_ = LinkEncoding::kPlain;
  bool lossy_ = false;        // the last one of kLossless
  double unchanged_ = 0;      // share of tiles, smoothed
  double tiles_share_ = 0.5;  // bytes of 4:2:0 in tiles, by those of lossless frames; smoothed
  std::uint64_t frames_ = 0;
  std::uint64_t step_since_ = 0;  // frame
  std::uint32_t fitting_ = 0;     // frames in a row that a better picture would have fitted
  std::uint32_t patience_;        // such frames that are asked for
};

}  // namespace tandem::link
