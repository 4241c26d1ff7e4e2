// A link of limited bandwidth, where there is none: what is sent comes out in order, when its last byte would have arrived.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/result.h"
#include "base/ring.h"
#include "base/thread.h"

namespace tandem {

// Below, a full-size frame takes minutes; above, nothing can be told from no limit.
inline constexpr std::uint64_t kMinLinkBytesPerSecond = 1'000'000;
inline constexpr std::uint64_t kMaxLinkBytesPerSecond = 1'000'000'000'000;
// Sent and not yet delivered; the next one waits.
inline constexpr std::uint32_t kMaxOnLink = 256;
// Of one engine, so that it never waits for the link with the next slice of a frame: DXGK_VIDSCHCAPS.HwQueuePacketCap holds no
// more.
inline constexpr std::uint32_t kPacketsOnLink = 15;

// Thread-safe. `deliver` is called on the link's own thread, without a lock, once for each ticket.
class EmulatedLink {
 public:
  // The clock outlives it. kInvalidArgument for a bandwidth out of range, kLimit when there are no more threads.
  [[nodiscard]] static Result<std::unique_ptr<EmulatedLink>> Start(std::uint64_t bytes_per_second, Clock& clock,
                                                                   std::function<void(std::uint64_t ticket)> deliver);
  // What was not delivered never is.
  ~EmulatedLink();
  EmulatedLink(const EmulatedLink&) = delete;
  EmulatedLink& operator=(const EmulatedLink&) = delete;

  // Allocates nothing.
  void Send(std::uint64_t ticket, std::uint64_t bytes);
  // Delivers everything at once, and returns when it is done. Not from `deliver`.
  void Flush();
  [[nodiscard]] bool idle() const;
  // What so many bytes take.
  [[nodiscard]] std::int64_t TimeOf(std::uint64_t bytes) const;

 private:
  struct Item {
    std::uint64_t ticket = 0;
    std::int64_t due_ns = 0;
  };

  EmulatedLink(std::uint64_t bytes_per_second, Clock& clock, std::function<void(std::uint64_t)> deliver)
      : bytes_per_second_(bytes_per_second), clock_(clock), deliver_(std::move(deliver)) {}
  void Run();

  const std::uint64_t bytes_per_second_;
  Clock& clock_;
  const std::function<void(std::uint64_t)> deliver_;

  mutable Mutex mutex_;
  std::condition_variable changed_;
  Ring<Item, kMaxOnLink> items_ TANDEM_GUARDED_BY(mutex_);  // the front is being delivered
  std::int64_t free_ns_ TANDEM_GUARDED_BY(mutex_) = 0;      // when the link has sent what it has
  std::uint32_t flushes_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem
