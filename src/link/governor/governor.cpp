#include "link/governor/governor.h"

#include <algorithm>
#include <optional>

namespace tandem::link {
namespace {

constexpr double kReserve = 0.9;        // share of the frame time that a costlier encoding must fit in
constexpr double kSooner = 0.8;         // share of the latency below which another encoding of the same picture takes over
constexpr double kStillShare = 0.5;     // share of unchanged tiles from which on a program counts as a desktop one
constexpr double kLeastChanged = 0.01;  // share of a frame's bytes that crosses even if no tile changed: the tables
constexpr double kPaceSmoothing = 0.25;
constexpr double kLinkSmoothing = 0.25;
constexpr double kRise = 0.125;  // weight of a longer engine time, each frame
constexpr std::uint32_t kFirstPatience = 2;
constexpr std::uint32_t kMaxPatience = 256;
constexpr std::uint64_t kLasting = 120;  // frames after which a step of quality counts as lasting
constexpr std::uint64_t kProbeEvery = 4;
constexpr std::uint32_t kColdFrames = 4;  // one more than a ring has buffers
constexpr std::uint32_t kWindow = 16;     // frames between two looks at the clock
constexpr double kSlower = 1.03;          // times the allowed frame time; twice in a row this is no jitter
constexpr double kMuchSlower = 1.1;       // times the allowed frame time; more than one missed blank in a window
constexpr double kForget = 0.995;  // share of known engine times kept, each frame of another encoding: a bad start is forgotten

// Follows an engine's time. A shorter time counts at once. A longer one counts when it lasts: other work on the processor is no
// cost of the encoding.
void Follow(double& known_ns, std::int64_t new_ns) {
  const auto now = static_cast<double>(new_ns);
  known_ns = known_ns == 0 || now < known_ns ? now : known_ns + (now - known_ns) * kRise;
}

// Visible quality of an encoding; a change between steps is seen.
enum class QualityStep : std::uint8_t { kExact, kYuv420, kBlocks };
QualityStep StepOf(LinkEncoding encoding) {
  if (IsExact(encoding)) return QualityStep::kExact;
  return encoding == LinkEncoding::kBc1 ? QualityStep::kBlocks : QualityStep::kYuv420;
}

// The encoding whose work is part of this one's; empty: none.
std::optional<LinkEncoding> PartOf(LinkEncoding encoding) {
  if (encoding == LinkEncoding::kPacked) return LinkEncoding::kPlain;
  if (encoding == LinkEncoding::kYuv420Tiles) return LinkEncoding::kYuv420;
  return std::nullopt;
}

// True if the size of a frame is unknown before it is encoded.
bool DependsOnPicture(LinkEncoding encoding) {
  return encoding == LinkEncoding::kLossless || encoding == LinkEncoding::kYuv420Tiles;
}

}  // namespace

Governor::Governor(const GovernorDesc& desc)
    : desc_(desc), frame_ns_(static_cast<double>(desc.refresh_period_ns)), patience_(kFirstPatience) {
  if (desc.link_bytes_per_second != 0) link_ns_per_byte_ = 1e9 / static_cast<double>(desc.link_bytes_per_second);
  for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kYuv420, LinkEncoding::kBc1}) {
    CostOf(encoding).bytes = static_cast<double>(LinkFrameBytes(encoding, desc.format, desc.width, desc.height));
  }
}

double Governor::KnownNs(const Cost& cost) const { return std::max({cost.encode_ns, LinkNs(cost), cost.decode_ns}); }

double Governor::FrameNs(LinkEncoding encoding) const {
  const double known_ns = KnownNs(CostOf(encoding)) * CostOf(encoding).stretch;
  const auto part = PartOf(encoding);
  if (!part) return known_ns;
  const Cost& of_part = CostOf(*part);
  return std::max(known_ns, std::max(of_part.encode_ns, of_part.decode_ns) * of_part.stretch);
}

bool Governor::Fits(LinkEncoding encoding, double reserve) const { return FrameNs(encoding) <= frame_ns_ * reserve; }

// Time from the first encoded pixel to the last decoded one.
double Governor::LatencyNs(LinkEncoding encoding) const {
  const Cost& cost = CostOf(encoding);
  return cost.encode_ns + LinkNs(cost) + cost.decode_ns;
}

bool Governor::LosslessIsSooner() const {
  if (!desc_.request.Allows(LinkEncoding::kLossless)) return false;
  if (!Fits(LinkEncoding::kLossless, chosen_ == LinkEncoding::kLossless ? 1.0 : kReserve)) return false;
  double margin = 1;
  if (chosen_ == LinkEncoding::kPacked) margin = kSooner;
  if (chosen_ == LinkEncoding::kLossless) margin = 1 / kSooner;
  return LatencyNs(LinkEncoding::kLossless) < LatencyNs(LinkEncoding::kPacked) * margin;
}

bool Governor::IsDesktop() const {
  return StaysExact(desc_.content) || (desc_.content == ContentKind::kAuto && unchanged_ >= kStillShare);
}

LinkEncoding Governor::Best() const {
  const bool exact_only = IsDesktop() && std::ranges::any_of(kLinkEncodingsByPicture, [this](LinkEncoding encoding) {
                            return IsExact(encoding) && desc_.request.Allows(encoding);
                          });
  LinkEncoding fastest = chosen_;
  double fastest_ns = -1;
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (!desc_.request.Allows(encoding) || (exact_only && !IsExact(encoding))) continue;
    // An encoding dearer than the current one must fit with a reserve, so that the choice does not swing.
    const double frame_ns = FrameNs(encoding);
    if (Fits(encoding, encoding == chosen_ || frame_ns <= FrameNs(chosen_) ? 1.0 : kReserve)) {
      return encoding == LinkEncoding::kPacked && LosslessIsSooner() ? LinkEncoding::kLossless : encoding;
    }
    if (fastest_ns < 0 || frame_ns < fastest_ns) {
      fastest = encoding;
      fastest_ns = frame_ns;
    }
  }
  return fastest;
}

// A program that waits for us draws as fast as it may; any other program sets its own pace.
void Governor::FollowPace(std::int64_t now_ns, bool waited) {
  const auto refresh_ns = static_cast<double>(desc_.refresh_period_ns);
  if (waited || last_ns_ == 0) {
    frame_ns_ = refresh_ns;
  } else {
    const auto interval_ns = static_cast<double>(now_ns - last_ns_);
    frame_ns_ = std::max(refresh_ns, frame_ns_ + (interval_ns - frame_ns_) * kPaceSmoothing);
  }
  last_ns_ = now_ns;
}

// Frames may be late although each part fits: engines share a processor, and slices wait for each other.
void Governor::CompareWithClock(std::int64_t now_ns, bool waited) {
  for (std::uint32_t i = 0; i < kLinkEncodings; ++i) {
    if (i == static_cast<std::uint32_t>(chosen_)) continue;
    costs_[i].stretch = 1 + (costs_[i].stretch - 1) * kForget;
    costs_[i].encode_ns *= kForget;
    costs_[i].decode_ns *= kForget;
  }
  const bool cold = CostOf(chosen_).frames < 2 * kColdFrames;
  if (!waited || cold || window_frames_ == 0) {
    window_begin_ns_ = now_ns;
    window_frames_ = waited && !cold ? 1 : 0;
    return;
  }
  if (window_frames_++ < kWindow) return;
  Cost& cost = CostOf(chosen_);
  const double real_ns = static_cast<double>(now_ns - window_begin_ns_) / kWindow;
  const double known_ns = KnownNs(cost);
  // A frame that missed its blank makes one window slower but says nothing about the encoding.
  const bool slower = real_ns > frame_ns_ * kSlower;
  const bool lasts = slower && (slower_before_ || real_ns > frame_ns_ * kMuchSlower);
  slower_before_ = slower;
  if (known_ns > 0 && lasts) cost.stretch = std::max(1.0, real_ns / known_ns);
  if (!slower) cost.stretch = 1;
  window_begin_ns_ = now_ns;
  window_frames_ = 1;
}

EncodingChoice Governor::Choose(std::int64_t now_ns, bool waited) {
  FollowPace(now_ns, waited);
  CompareWithClock(now_ns, waited);
  ++frames_;
  LinkEncoding best = Best();
  if (frames_ > 1 && StepOf(best) < StepOf(chosen_)) {
    if (++fitting_ < patience_) best = chosen_;
  } else {
    fitting_ = 0;
  }
  if (frames_ > 1 && StepOf(best) > StepOf(chosen_)) {
    const bool lasted = frames_ - step_since_ >= kLasting;
    patience_ = lasted ? kFirstPatience : std::min(patience_ * 2, kMaxPatience);
  }
  if (frames_ == 1 || StepOf(best) != StepOf(chosen_)) step_since_ = frames_;
  if (best != chosen_) {
    window_frames_ = 0;
    slower_before_ = false;
  }
  chosen_ = best;
  ++CostOf(chosen_).under_way;
  const bool probes = !IsExact(chosen_) && desc_.request.Allows(LinkEncoding::kLossless) && frames_ % kProbeEvery == 0;
  return {chosen_, probes};
}

bool Governor::Waits() const {
  const Cost& cost = CostOf(chosen_);
  const bool guessed = DependsOnPicture(chosen_) && cost.frames == 0;
  return guessed && cost.under_way > 0 && (cost.bytes == 0 || !Fits(chosen_, 1)) && !Only();
}

void Governor::FollowLink(const SentFrame& frame) {
  if (frame.bytes == 0 || frame.link_ns < desc_.link_latency_ns) return;
  const double now = static_cast<double>(frame.link_ns) / static_cast<double>(frame.bytes);
  // A measured link is shared and jitters, so its speed is smoothed.
  const bool exact = desc_.link_latency_ns == 0 || link_ns_per_byte_ == 0;
  link_ns_per_byte_ = exact ? now : link_ns_per_byte_ + (now - link_ns_per_byte_) * kLinkSmoothing;
}

void Governor::Sent(const SentFrame& frame) {
  Cost& cost = CostOf(frame.encoding);
  if (cost.under_way > 0) --cost.under_way;
  cost.bytes = static_cast<double>(frame.bytes);
  if (cost.frames >= kColdFrames) Follow(cost.encode_ns, frame.encode_ns);
  FollowLink(frame);
  Cost& decoded = CostOf(frame.decoded);
  // The decoding time is reported one round of the ring later.
  if (decoded.frames >= 2 * kColdFrames) Follow(decoded.decode_ns, frame.decode_ns);
  cost.frames = std::min(cost.frames + 1, 2 * kColdFrames);
  if (RefersToFrames(frame.encoding)) {
    unchanged_ += (frame.unchanged / 1000.0 - unchanged_) * kPaceSmoothing;
  }
  if (frame.encoding == LinkEncoding::kLossless) {
    lossy_ = frame.lossy;
    LearnTiles(cost.bytes, 0);
  }
  if (frame.probed_bytes != 0) {
    Cost& lossless = CostOf(LinkEncoding::kLossless);
    // Lossless frames would leave out the same tiles.
    lossless.bytes = static_cast<double>(frame.probed_bytes) * std::max(1 - frame.unchanged / 1000.0, kLeastChanged);
    Follow(lossless.encode_ns, frame.probed_ns);
    LearnTiles(lossless.bytes, frame.encoding == LinkEncoding::kYuv420Tiles ? cost.bytes : 0);
  }
}

// `tiles_bytes`: size of the same frame in tiles of 4:2:0. 0: it was not coded so, and its size is guessed.
void Governor::LearnTiles(double lossless_bytes, double tiles_bytes) {
  if (tiles_bytes > 0) {
    tiles_share_ += (std::min(tiles_bytes / lossless_bytes, 1.0) - tiles_share_) * kPaceSmoothing;
    return;
  }
  const auto most = static_cast<double>(LinkFrameBytes(LinkEncoding::kYuv420Tiles, desc_.format, desc_.width, desc_.height));
  CostOf(LinkEncoding::kYuv420Tiles).bytes = std::min(most, lossless_bytes * tiles_share_);
}

std::string_view Governor::Cause() const {
  if (Only()) return "only";
  if (FrameNs(chosen_) == 0 || CostOf(chosen_).frames == 0) return "untried";
  if (Fits(chosen_, 1)) return "fits";
  return IsDesktop() && IsExact(chosen_) ? "desktop" : "fastest";
}

}  // namespace tandem::link
