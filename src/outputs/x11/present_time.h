// The display's time and its report of frames, out of Present's events.
#pragma once

#include <cstdint>

#include "outputs/output.h"

namespace tandem::outputs {

enum class PresentMode { kSeen, kReplaced };

// A server whose counter of vertical blanks (MSC) stands still keeps no time: virtual GPUs have no such counter. Threads: one
// at a time.
class PresentTime {
 public:
  explicit PresentTime(std::int64_t period_ns) : beat_{0, period_ns, false} {}

  // False for an image whose question can be spared, because enough of them are open: their vertical blank is its own, too.
  [[nodiscard]] bool AsksForImage(std::int64_t now_ns);
  // A frame was shown, and the server will say at which vertical blank.
  void Asked(std::int64_t now_ns);
  // The server's answer to a question, after which `later` others were put: at `ust_us` (CLOCK_MONOTONIC, 0: unknown) it counted
  // vertical blank `msc`. The event arrived at `now_ns`. An image that a later one overwrote before the same vertical blank was
  // replaced. What the server says of this frame.
  Seen ImageCompleted(std::uint64_t later, std::uint64_t ust_us, std::uint64_t msc, std::int64_t now_ns);
  // Completion of a pixmap, whose fate the server knows.
  Seen PixmapCompleted(PresentMode mode, std::uint64_t later, std::uint64_t ust_us, std::uint64_t msc, std::int64_t now_ns);

  // True while the counter rises.
  [[nodiscard]] bool keeps_time() const { return keeps_time_; }
  // False once frames were completed for a quarter of a second and the counter stood still.
  [[nodiscard]] bool stands_still() const { return stands_still_; }
  // True after the newest frame's answer; those of older ones may follow, for servers answer in no order.
  [[nodiscard]] bool idle() const { return pending_ == 0; }
  [[nodiscard]] Beat last_beat() const;
  [[nodiscard]] DisplayReport report() const;

 private:
  Seen Count(std::uint64_t later, std::uint64_t ust_us, std::uint64_t msc, std::int64_t now_ns);
  void MeasurePeriod(std::uint64_t ust_us, std::uint64_t msc);

  Beat beat_;
  std::uint64_t pending_ = 0;  // since the newest frame that was answered for
  std::uint64_t open_ = 0;     // not answered for
  std::int64_t asked_at_ = 0;  // ns
  std::uint64_t seen_ = 0;
  std::uint64_t replaced_ = 0;
  std::uint64_t msc_ = 0;  // the last one
  bool answered_ = false;
  bool keeps_time_ = false;
  bool stands_still_ = false;
  bool knows_fates_ = false;    // the server reports of pixmaps
  std::int64_t risen_at_ = 0;   // ns
  std::uint64_t from_ust_ = 0;  // µs, where the period is measured from; 0: nowhere yet
  std::uint64_t from_msc_ = 0;
};

}  // namespace tandem::outputs
