// Emulates a link of limited bandwidth. Tickets are delivered in order, each when its last byte would have arrived.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/condition.h"
#include "base/pass_meter.h"
#include "base/result.h"
#include "base/ring.h"
#include "base/thread.h"

namespace tandem {

// A slower link takes minutes for a full-size frame; a faster one is like no limit.
inline constexpr std::uint64_t kMinLinkBytesPerSecond = 1'000'000;
inline constexpr std::uint64_t kMaxLinkBytesPerSecond = 1'000'000'000'000;
// Tickets sent and not yet delivered; Send waits while the link holds this many.
inline constexpr std::uint32_t kMaxOnLink = 256;
// Packets that one engine may have on the link, so that it never waits for the link with a frame's next slice.
// DXGK_VIDSCHCAPS.HwQueuePacketCap cannot hold a larger number.
inline constexpr std::uint32_t kPacketsOnLink = 15;

// Thread-safe. `deliver` is called on the link's own thread, without a lock, once for each ticket.
class EmulatedLink {
 public:
  // `clock` must outlive the link. Errors: kInvalidArgument for a bandwidth out of range, kLimit when no thread can be started.
  [[nodiscard]] static Result<std::unique_ptr<EmulatedLink>> Start(std::uint64_t bytes_per_second, Clock& clock,
                                                                   std::function<void(std::uint64_t ticket)> deliver);
  // Tickets not yet delivered are dropped.
  ~EmulatedLink();
  EmulatedLink(const EmulatedLink&) = delete;
  EmulatedLink& operator=(const EmulatedLink&) = delete;

  // Allocates nothing. `meter` gets the times of the bytes before the ticket is delivered; null: nobody wants them.
  void Send(std::uint64_t ticket, std::uint64_t bytes, PassMeter* meter = nullptr);
  // Delivers every ticket at once and returns when that is done. Must not be called from `deliver`.
  void Flush();
  [[nodiscard]] bool idle() const;
  // The time in nanoseconds that `bytes` take on the link.
  [[nodiscard]] std::int64_t TimeOf(std::uint64_t bytes) const;

 private:
  struct Item {
    std::uint64_t ticket = 0;
    std::int64_t begin_ns = 0;
    std::int64_t due_ns = 0;
    PassMeter* meter = nullptr;
  };

  EmulatedLink(std::uint64_t bytes_per_second, Clock& clock, std::function<void(std::uint64_t)> deliver)
      : bytes_per_second_(bytes_per_second), clock_(clock), deliver_(std::move(deliver)) {}
  void Run();

  const std::uint64_t bytes_per_second_;
  Clock& clock_;
  const std::function<void(std::uint64_t)> deliver_;

  mutable Mutex mutex_;
  Condition changed_;
  Ring<Item, kMaxOnLink> items_ TANDEM_GUARDED_BY(mutex_);  // its front is being delivered
  std::int64_t free_ns_ TANDEM_GUARDED_BY(mutex_) = 0;      // the time when the link has sent everything queued
  std::uint32_t flushes_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem
