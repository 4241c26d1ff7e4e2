#include "coproc/governor.h"

#include <algorithm>

#include <fmt/core.h>

namespace tandem::coproc {
namespace {

using codec::LinkEncoding;

// Best picture first, and of equal ones the cheaper to make.
constexpr std::array<LinkEncoding, codec::kLinkEncodings> kByPicture = {LinkEncoding::kPlain, LinkEncoding::kLossless,
                                                                        LinkEncoding::kYuv420};
constexpr double kReserve = 0.9;     // of the time, that a change to a costlier encoding must fit in
constexpr double kStillShare = 0.5;  // unchanged tiles from which on a program is a desktop one
constexpr double kPaceSmoothing = 0.25;
constexpr double kRise = 0.125;  // of an engine's time, each frame
constexpr std::uint32_t kFirstPatience = 2;
constexpr std::uint32_t kMaxPatience = 256;
constexpr std::uint64_t kLasting = 120;  // frames after which an exact picture counts as lasting
constexpr std::uint64_t kScoutEvery = 4;
constexpr std::uint32_t kColdFrames = 4;  // one more than a ring has buffers
constexpr std::uint32_t kWindow = 16;     // frames after which the clock is looked at
constexpr double kSlower = 1.03;          // than a frame may take: not jitter
constexpr double kForget =
    0.995;  // of what engines took, each frame of another encoding: a bad start is not held against it for ever

// What an engine takes: less counts at once, more only when it lasts, for a processor that did something else between is no cost.
void Follow(double& known_ns, std::int64_t new_ns) {
  const auto now = static_cast<double>(new_ns);
  known_ns = known_ns == 0 || now < known_ns ? now : known_ns + (now - known_ns) * kRise;
}

bool IsExact(LinkEncoding encoding) { return encoding != LinkEncoding::kYuv420; }

}  // namespace

Governor::Governor(const GovernorDesc& desc)
    : desc_(desc), frame_ns_(static_cast<double>(desc.refresh_period_ns)), patience_(kFirstPatience) {
  if (desc.link_bytes_per_second != 0) link_ns_per_byte_ = 1e9 / static_cast<double>(desc.link_bytes_per_second);
  for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kYuv420}) {
    costs_[static_cast<std::uint32_t>(encoding)].bytes =
        static_cast<double>(codec::LinkFrameBytes(encoding, desc.width, desc.height));
  }
}

double Governor::FrameNs(const Cost& cost) const {
  return std::max({cost.encode_ns, LinkNs(cost), cost.decode_ns}) * cost.stretch;
}

bool Governor::Fits(LinkEncoding encoding, double reserve) const { return FrameNs(CostOf(encoding)) <= frame_ns_ * reserve; }

bool Governor::IsDesktop() const {
  return desc_.content == ContentKind::kDesktop || (desc_.content == ContentKind::kAuto && unchanged_ >= kStillShare);
}

LinkEncoding Governor::Best() const {
  const bool exact_only = IsDesktop() && (desc_.wish.Allows(LinkEncoding::kPlain) || desc_.wish.Allows(LinkEncoding::kLossless));
  LinkEncoding fastest = chosen_;
  double fastest_ns = -1;
  for (const LinkEncoding encoding : kByPicture) {
    if (!desc_.wish.Allows(encoding) || (exact_only && !IsExact(encoding))) continue;
    // Something dearer than what is on its way must fit with a reserve, so that the choice does not swing.
    const Cost& cost = CostOf(encoding);
    if (Fits(encoding, encoding == chosen_ || FrameNs(cost) <= FrameNs(CostOf(chosen_)) ? 1.0 : kReserve)) return encoding;
    if (fastest_ns < 0 || FrameNs(cost) < fastest_ns) {
      fastest = encoding;
      fastest_ns = FrameNs(cost);
    }
  }
  return fastest;
}

// A program that waits for us comes as fast as it is let; another one sets the pace itself.
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

// The parts may fit and the whole not: engines share a processor, slices wait for each other.
void Governor::CompareWithClock(std::int64_t now_ns, bool waited) {
  for (std::uint32_t i = 0; i < codec::kLinkEncodings; ++i) {
    if (i == static_cast<std::uint32_t>(chosen_)) continue;
    costs_[i].stretch = 1 + (costs_[i].stretch - 1) * kForget;
    costs_[i].encode_ns *= kForget;
    costs_[i].decode_ns *= kForget;
  }
  const bool cold = costs_[static_cast<std::uint32_t>(chosen_)].frames < 2 * kColdFrames;
  if (!waited || cold || window_frames_ == 0) {
    window_begin_ns_ = now_ns;
    window_frames_ = waited && !cold ? 1 : 0;
    return;
  }
  if (window_frames_++ < kWindow) return;
  Cost& cost = costs_[static_cast<std::uint32_t>(chosen_)];
  const double real_ns = static_cast<double>(now_ns - window_begin_ns_) / kWindow;
  const double known_ns = FrameNs(cost) / cost.stretch;
  cost.stretch = known_ns > 0 && real_ns > frame_ns_ * kSlower ? std::max(1.0, real_ns / known_ns) : 1.0;
  window_begin_ns_ = now_ns;
  window_frames_ = 1;
}

swapchain::EncodingChoice Governor::Choose(std::int64_t now_ns, bool waited) {
  FollowPace(now_ns, waited);
  CompareWithClock(now_ns, waited);
  ++frames_;
  LinkEncoding best = Best();
  if (frames_ > 1 && !IsExact(chosen_) && IsExact(best)) {
    if (++fitting_ < patience_) best = chosen_;
  } else {
    fitting_ = 0;
  }
  if (frames_ > 1 && IsExact(chosen_) && !IsExact(best)) {
    const bool lasted = frames_ - exact_since_ >= kLasting;
    patience_ = lasted ? kFirstPatience : std::min(patience_ * 2, kMaxPatience);
  }
  if (frames_ == 1 || IsExact(best) != IsExact(chosen_)) exact_since_ = frames_;
  if (best != chosen_) window_frames_ = 0;
  chosen_ = best;
  const bool scouts = !IsExact(chosen_) && desc_.wish.Allows(LinkEncoding::kLossless) && frames_ % kScoutEvery == 0;
  return {chosen_, scouts};
}

void Governor::Sent(const swapchain::SentFrame& frame) {
  Cost& cost = costs_[static_cast<std::uint32_t>(frame.encoding)];
  cost.bytes = static_cast<double>(frame.bytes);
  if (cost.frames >= kColdFrames) Follow(cost.encode_ns, frame.encode_ns);
  if (frame.bytes != 0) link_ns_per_byte_ = static_cast<double>(frame.link_ns) / cost.bytes;
  Cost& decoded = costs_[static_cast<std::uint32_t>(frame.decoded)];
  // Told a round of the ring later.
  if (decoded.frames >= 2 * kColdFrames) Follow(decoded.decode_ns, frame.decode_ns);
  cost.frames = std::min(cost.frames + 1, 2 * kColdFrames);
  if (frame.encoding == LinkEncoding::kLossless) unchanged_ += (frame.unchanged / 1000.0 - unchanged_) * kPaceSmoothing;
  if (frame.scouted_bytes != 0) {
    Cost& lossless = costs_[static_cast<std::uint32_t>(LinkEncoding::kLossless)];
    lossless.bytes = static_cast<double>(frame.scouted_bytes);
    Follow(lossless.encode_ns, frame.scouted_ns);
  }
}

std::string Governor::Reason() const {
  const auto name = codec::ToString(chosen_);
  if (!desc_.wish.Allows(LinkEncoding::kPlain) && chosen_ != LinkEncoding::kPlain && FrameNs(CostOf(chosen_)) == 0) {
    return fmt::format("{}: plain frames are not allowed.", name);
  }
  const Cost& cost = CostOf(chosen_);
  std::string text = fmt::format("{}: a frame may take {:.1f} ms; encoding takes {:.1f}, the link {:.1f}, decoding {:.1f} ms",
                                 name, frame_ns_ / 1e6, cost.encode_ns / 1e6, LinkNs(cost) / 1e6, cost.decode_ns / 1e6);
  for (const LinkEncoding encoding : kByPicture) {
    if (encoding == chosen_) break;
    if (!desc_.wish.Allows(encoding)) {
      text += fmt::format("; {} is not allowed", codec::ToString(encoding));
    } else {
      text += fmt::format("; {} would take {:.1f} ms", codec::ToString(encoding), FrameNs(CostOf(encoding)) / 1e6);
    }
  }
  if (IsDesktop() && chosen_ != LinkEncoding::kPlain) text += "; the pictures stand mostly still and stay exact";
  return text + ".";
}

}  // namespace tandem::coproc
