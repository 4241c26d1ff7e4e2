#include "drivers/kms/card/event_bytes.h"

#include <cstring>

#include <drm.h>

namespace tandem::kms {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kNsPerUs = 1'000;

template <class Kernel>
std::optional<Kernel> ReadAs(std::span<const std::byte> event) {
  if (event.size() < sizeof(Kernel)) return std::nullopt;
  Kernel read;
  std::memcpy(&read, event.data(), sizeof(read));
  return read;
}

}  // namespace

std::optional<CardEvent> TakeEvent(std::span<const std::byte>& bytes) {
  const auto header = ReadAs<drm_event>(bytes);
  if (!header || header->length < sizeof(drm_event) || header->length > bytes.size()) {
    bytes = {};
    return std::nullopt;
  }
  const std::span<const std::byte> event = bytes.first(header->length);
  bytes = bytes.subspan(header->length);
  if (header->type == DRM_EVENT_FLIP_COMPLETE) {
    if (const auto flip = ReadAs<drm_event_vblank>(event)) {
      return FlipEvent{flip->crtc_id, flip->sequence, flip->tv_sec * kNsPerSecond + flip->tv_usec * kNsPerUs, flip->user_data};
    }
  }
  if (header->type == DRM_EVENT_CRTC_SEQUENCE) {
    if (const auto reached = ReadAs<drm_event_crtc_sequence>(event)) {
      return SequenceEvent{reached->sequence, reached->time_ns, reached->user_data};
    }
  }
  return OtherEvent{};
}

}  // namespace tandem::kms
