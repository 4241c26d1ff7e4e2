#include "drivers/kms/card/writeback.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/sleep.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

// vkms can forget a picture: the clean-up after the one before switches its composer off. Another request makes up for it.
constexpr std::int64_t kAttemptNs = 150'000'000;

// True when one of the fences has signalled by then.
bool WaitForAny(std::vector<pollfd>& fences, std::int64_t deadline_ns) {
  const std::int64_t left_ms = std::max<std::int64_t>((deadline_ns - MonotonicClock().NowNs()) / kNsPerMs, 1);
  return poll(fences.data(), fences.size(), static_cast<int>(left_ms)) > 0;
}

}  // namespace

const Connector* FindWriteback(const Resources& resources, const Crtc& crtc) {
  const auto found = std::ranges::find_if(resources.connectors, [&crtc](const Connector& connector) {
    return connector.writeback() && (connector.possible_crtcs >> crtc.index & 1) != 0;
  });
  return found == resources.connectors.end() ? nullptr : &*found;
}

std::vector<std::uint32_t> WritebackFormats(const Card& card, const Connector& connector) {
  const std::vector<std::byte> blob =
      ReadBlob(card, static_cast<std::uint32_t>(connector.properties[Property::kWritebackFormats].value));
  std::vector<std::uint32_t> formats(blob.size() / sizeof(std::uint32_t));
  if (!formats.empty()) std::memcpy(formats.data(), blob.data(), formats.size() * sizeof(std::uint32_t));
  return formats;
}

Result<Writeback> Writeback::Create(const Card& card, const Resources& resources, const Crtc& crtc, std::uint32_t width,
                                    std::uint32_t height, std::uint32_t fourcc) {
  const Connector* connector = FindWriteback(resources, crtc);
  if (connector == nullptr) return Fail(ErrorKind::kUnsupported, "CRTC {} has no writeback connector.", crtc.id);
  const std::vector<std::uint32_t> formats = WritebackFormats(card, *connector);
  if (std::ranges::find(formats, fourcc) == formats.end()) {
    return Fail(ErrorKind::kUnsupported, "{} does not write {}.", connector->name, FourccText(fourcc));
  }
  Writeback made;
  auto buffer = DumbBuffer::Create(card, width, height, BitsPerPixel(fourcc));
  if (!buffer.ok()) return std::move(buffer).error();
  made.buffer_ = *std::move(buffer);
  auto map = made.buffer_.Map();
  if (!map.ok()) return std::move(map).error();
  made.map_ = *std::move(map);
  auto framebuffer =
      Framebuffer::Create(card, LinearLayout(fourcc, width, height, made.buffer_.handle(), made.buffer_.pitch_bytes()));
  if (!framebuffer.ok()) return std::move(framebuffer).error();
  made.framebuffer_ = *std::move(framebuffer);
  made.card_ = &card;
  made.connector_ = connector;
  made.crtc_id_ = crtc.id;
  return made;
}

Result<UniqueFd> Writeback::Request(std::int64_t deadline_ns) {
  std::int32_t fence = -1;
  const Properties& properties = connector_->properties;
  request_.Clear();
  request_.Set(connector_->id, properties.IdOf(Property::kCrtcId), crtc_id_);
  request_.Set(connector_->id, properties.IdOf(Property::kWritebackFbId), framebuffer_.id());
  request_.Set(connector_->id, properties.IdOf(Property::kWritebackOutFence), reinterpret_cast<std::uint64_t>(&fence));
  for (;;) {
    const CommitResult committed = request_.Commit(*card_, {.nonblocking = true, .allow_modeset = true}, 0);
    if (committed.done()) return UniqueFd(fence);
    if (committed.outcome != CommitOutcome::kBusy) return ToError(committed, fmt::format("A picture of CRTC {}", crtc_id_));
    if (MonotonicClock().NowNs() >= deadline_ns) return Fail(ErrorKind::kTimeout, "CRTC {} stayed busy.", crtc_id_);
    SleepFor(MonotonicClock(), kNsPerMs);
  }
}

Result<void> Writeback::Capture(std::int64_t timeout_ns) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + timeout_ns;
  std::vector<UniqueFd> fences;
  std::vector<pollfd> waits;
  while (MonotonicClock().NowNs() < deadline_ns) {
    auto fence = Request(deadline_ns);
    if (!fence.ok()) return std::move(fence).error();
    waits.push_back({fence->get(), POLLIN, 0});
    fences.push_back(*std::move(fence));
    if (WaitForAny(waits, std::min(deadline_ns, MonotonicClock().NowNs() + kAttemptNs))) return {};
  }
  return Fail(ErrorKind::kTimeout, "CRTC {} wrote no picture in {} ms.", crtc_id_, timeout_ns / kNsPerMs);
}

}  // namespace tandem::kms
