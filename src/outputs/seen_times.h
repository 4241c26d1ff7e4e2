// When a display showed frames, by its own report.
#pragma once

#include <array>
#include <cstdint>

#include "outputs/output.h"

namespace tandem::outputs {

// Remembers the newest frames. Threads: one at a time.
class SeenTimes {
 public:
  // A frame was sent to the display, which will answer for it. The frame's number, from 1 on.
  std::uint64_t Begin();
  // The display's answer; what it answers of a frame that is forgotten changes nothing.
  void Answer(std::uint64_t number, const Seen& seen);
  // Show() ends for the frame that was begun since the last End(), at `now_ns`, which is its name from now on: 0 if there is
  // none.
  std::int64_t End(std::int64_t now_ns);
  // The answer for the frame whose Show() ended at `shown_ns`. A display that has not answered for a second will not.
  [[nodiscard]] Seen Find(std::int64_t shown_ns, std::int64_t now_ns) const;

 private:
  struct Frame {
    std::uint64_t number = 0;
    std::int64_t shown_ns = 0;  // 0: within Show()
    Seen seen;
  };

  std::array<Frame, 64> frames_{};
  std::uint64_t last_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace tandem::outputs
