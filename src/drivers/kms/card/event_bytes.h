// The events that the kernel writes into a card's descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace tandem::kms {

struct FlipEvent {
  std::uint32_t crtc_id = 0;   // 0 on kernels without CardCaps::crtc_in_event
  std::uint32_t sequence = 0;  // the CRTC's vertical blank, modulo 2^32; 0 on drivers without vertical blanks
  std::int64_t time_ns = 0;    // CLOCK_MONOTONIC, whole microseconds
  std::uint64_t user_data = 0;
};

struct SequenceEvent {
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t user_data = 0;
};

struct OtherEvent {};  // of the card's driver; skipped

using CardEvent = std::variant<FlipEvent, SequenceEvent, OtherEvent>;

// The event at the front of `bytes`, which moves behind it. Nothing at the end, and for an event that is cut off or says a length
// that cannot be; `bytes` is empty then.
[[nodiscard]] std::optional<CardEvent> TakeEvent(std::span<const std::byte>& bytes);

}  // namespace tandem::kms
