// Destination of a software adapter's scan-out: a window, a file, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "color/format.h"
#include "outputs/fit.h"

namespace tandem::outputs {

inline constexpr std::uint64_t kLinearModifier = 0;  // DRM_FORMAT_MOD_LINEAR

// A linear surface in scan-out. Valid only during Output::Show.
struct Surface {
  std::uint64_t id = 0;  // unchanged while its memory exists; outputs may key an attachment by it
  const std::byte* pixels = nullptr;
  std::uint32_t width = 0;   // pixels, 1..kMaxSurfaceExtent
  std::uint32_t height = 0;  // pixels, 1..kMaxSurfaceExtent
  std::uint32_t pitch = 0;   // bytes from row to row
  color::Format format = color::Format::kUnknown;
  int backing_fd = -1;                       // memfd or dma-buf that holds the pixels, -1 when the pages are anonymous
  std::uint64_t backing_offset = 0;          // bytes from its start to `pixels`
  std::uint64_t backing_size = 0;            // bytes of the whole of it
  bool backing_is_dma_buf = false;           // exported by a device; `pixels` is then null unless the processor can read it
  std::uint64_t modifier = kLinearModifier;  // DRM format modifier of a dma-buf
  bool at_once = false;                      // outputs that can do not wait for the display's vertical blank
  bool dithers = false;                      // outputs with fewer bits dither (color/dither.h) instead of rounding
};

struct OutputInfo {
  std::string kind;                    // "x11", "wayland", "headless", …
  std::string name;                    // for people: "window 0x1a00003 on :0"
  std::int64_t refresh_period_ns = 0;  // > 0
};

enum class OutputState { kOk, kLost };  // lost: the window was closed or the display server ended; permanent

struct OutputStatus {
  OutputState state = OutputState::kOk;
  std::uint32_t width = 0;  // the sink's extent; 0 x 0 if it follows the surface
  std::uint32_t height = 0;
};

// The display's own time, where the output knows it.
struct Beat {
  std::int64_t at_ns = 0;      // the display asked for the next frame, CLOCK_MONOTONIC; 0: not yet
  std::int64_t period_ns = 0;  // > 0
  bool awaited = false;        // a frame was shown, and the display has not asked for the next one
};

// Counts of the frames that were shown, as the display itself reports them.
struct DisplayReport {
  bool reports = false;        // false: it reports nothing, and the counts stay 0
  std::uint64_t seen = 0;      // frames that reached the screen
  std::uint64_t replaced = 0;  // frames that a later one replaced before
  std::uint64_t pending = 0;   // frames of which it has not reported yet
};

// The display's answer for one frame. Unknown: it says nothing, or too late; pending: not yet; replaced: by a later frame, before
// it could be seen.
enum class Fate { kUnknown, kPending, kSeen, kReplaced };
struct Seen {
  Fate fate = Fate::kUnknown;
  std::int64_t at_ns = 0;  // CLOCK_MONOTONIC; of frames that were seen
};

// Threads: Show and Forget are called by one thread (the driver's scan-out thread); the others by any.
class Output {
 public:
  virtual ~Output() = default;
  [[nodiscard]] virtual const OutputInfo& info() const = 0;
  [[nodiscard]] virtual OutputStatus Status() const = 0;  // never blocks
  // The current status from the window system; waits for the answer.
  [[nodiscard]] virtual OutputStatus AskStatus() const { return Status(); }
  // Shows the surface. Pixels in a memfd may be read until Show of another surface or Forget returns, others until this returns.
  // kSurfaceLost when the sink is gone, kUnsupported for a format that it cannot show. For NV12 (color/nv12.h) both planes have
  // the same `pitch`.
  virtual Result<void> Show(const Surface& surface) = 0;
  // True if the output shows NV12 (BT.709, full range) and decodes directly into the sink's memory. Otherwise scan-out decodes
  // first.
  [[nodiscard]] virtual bool TakesNv12() const { return false; }
  // True if the display reports when it takes the next frame; last_beat() then leads the vertical blank.
  [[nodiscard]] virtual bool KeepsTime() const { return false; }
  [[nodiscard]] virtual Beat last_beat() { return {0, info().refresh_period_ns, false}; }
  // True if Show may last until the display's next vertical blank, because the display reads the surface before until then.
  [[nodiscard]] virtual bool HoldsSurfaces() const { return false; }
  // `call` is called after each beat, by a thread of the output, until Listen({}) returns. It may call last_beat().
  virtual void Listen(std::function<void()> /*call*/) {}
  [[nodiscard]] virtual DisplayReport report() { return {}; }
  // When the last Show ended, CLOCK_MONOTONIC, as SeenAt() wants it; 0: the display will say nothing of its frame. Show's thread.
  [[nodiscard]] virtual std::int64_t last_shown_ns() const { return 0; }
  [[nodiscard]] virtual Seen SeenAt(std::int64_t /*shown_ns*/) { return {}; }
  // The memory of `surface_id` is about to be freed: drop its attachment.
  virtual void Forget(std::uint64_t surface_id) = 0;
  // Bytes that this output wrote for the last Show, counting each pass (0 when the sink read the pages directly).
  [[nodiscard]] virtual std::uint64_t LastShowCopiedBytes() const = 0;
  // Places surfaces of another size than the sink's from the next Show on. False: the output shows them as they are.
  virtual bool SetFit(const Fit& /*fit*/) { return false; }
  // Blends surfaces over what lies below by their premultiplied alpha, from the next Show on. False: alpha is ignored.
  virtual bool SetBlending(bool /*blends*/) { return false; }
};

}  // namespace tandem::outputs
