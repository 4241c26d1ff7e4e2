// A display mode in the kernel's words, and its exact times.
#pragma once

#include <cstdint>
#include <string>

struct _drmModeModeInfo;  // xf86drmMode.h

namespace tandem::kms {

// Times in pixels and lines as the sync generator counts them.
struct Mode {
  std::uint32_t clock_khz = 0;
  std::uint16_t width = 0;  // pixels that are seen
  std::uint16_t hsync_start = 0;
  std::uint16_t hsync_end = 0;
  std::uint16_t htotal = 0;
  std::uint16_t hskew = 0;
  std::uint16_t height = 0;
  std::uint16_t vsync_start = 0;
  std::uint16_t vsync_end = 0;
  std::uint16_t vtotal = 0;
  std::uint16_t vscan = 0;
  std::uint32_t refresh_hz = 0;  // rounded by the kernel
  std::uint32_t flags = 0;       // DRM_MODE_FLAG_*
  std::uint32_t type = 0;        // DRM_MODE_TYPE_*
  std::string name;              // "1920x1080"; at most 31 bytes

  [[nodiscard]] bool preferred() const;
  [[nodiscard]] bool interlaced() const;
  bool operator==(const Mode&) const = default;
};

// Frames (fields of an interlaced mode) per second as a fraction; {0, 0} for a mode without a clock or totals.
struct RefreshRate {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;
};
[[nodiscard]] RefreshRate RefreshRateOf(const Mode& mode);

// Nanoseconds from one vertical blank to the next, rounded; 0 for a mode without a clock or totals.
[[nodiscard]] std::int64_t RefreshPeriodNs(const Mode& mode);

[[nodiscard]] Mode FromKernel(const _drmModeModeInfo& info);
[[nodiscard]] _drmModeModeInfo ToKernel(const Mode& mode);

}  // namespace tandem::kms
