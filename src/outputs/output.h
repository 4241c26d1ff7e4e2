// Where a software adapter's scan-out is seen: a window, a file, nothing at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "color/format.h"

namespace tandem::outputs {

// A linear surface that is being scanned out. Valid for the duration of Output::Show only.
struct Surface {
  std::uint64_t id = 0;  // stable as long as the memory behind it is; outputs may key an attachment by it
  const std::byte* pixels = nullptr;
  std::uint32_t width = 0;   // pixels, 1..kMaxSurfaceExtent
  std::uint32_t height = 0;  // pixels, 1..kMaxSurfaceExtent
  std::uint32_t pitch = 0;   // bytes from row to row
  color::Format format = color::Format::kUnknown;
  int backing_fd = -1;               // memfd that holds the pixels, -1 when the pages are anonymous
  std::uint64_t backing_offset = 0;  // bytes from the memfd's start to `pixels`
  std::uint64_t backing_size = 0;    // bytes of the whole memfd
  bool dithers = false;              // an output of fewer bits dithers (color/dither.h) in place of rounding
};

struct OutputInfo {
  std::string kind;                    // "x11", "headless", …
  std::string name;                    // for people: "window 0x1a00003 on :0"
  std::int64_t refresh_period_ns = 0;  // > 0
};

enum class OutputState { kOk, kLost };  // lost: the window was closed or the display server went away; never comes back

struct OutputStatus {
  OutputState state = OutputState::kOk;
  std::uint32_t width = 0;  // current extent of the sink; 0 x 0 when it takes the surface's
  std::uint32_t height = 0;
};

// Threads: Show and Forget are called by one thread (the driver's scan-out thread); info and Status by any.
class Output {
 public:
  virtual ~Output() = default;
  [[nodiscard]] virtual const OutputInfo& info() const = 0;
  [[nodiscard]] virtual OutputStatus Status() const = 0;  // never blocks
  // The status, asked anew where somebody else changes it: waits for the window system's answer.
  [[nodiscard]] virtual OutputStatus AskStatus() const { return Status(); }
  // Shows the surface and returns when its pixels have been read, so that they may be overwritten.
  // kSurfaceLost when the sink is gone; kUnsupported for a format that it cannot show. Of NV12 (color/nv12.h) `pitch` is that of
  // both planes.
  virtual Result<void> Show(const Surface& surface) = 0;
  // Shows NV12, BT.709 in full range, and decodes it straight to where the sink reads. False: whoever scans out decodes first.
  [[nodiscard]] virtual bool TakesNv12() const { return false; }
  // The memory behind `surface_id` is about to go: drop what was attached to it.
  virtual void Forget(std::uint64_t surface_id) = 0;
  // Bytes that this output itself wrote for the last Show, each of its passes by itself (0 when the sink read the pages
  // directly).
  [[nodiscard]] virtual std::uint64_t LastShowCopiedBytes() const = 0;
};

}  // namespace tandem::outputs
