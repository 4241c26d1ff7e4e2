#include "drivers/kms/card/mode.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "drivers/kms/card/drm.h"

namespace tandem::kms {

bool Mode::preferred() const { return (type & DRM_MODE_TYPE_PREFERRED) != 0; }
bool Mode::interlaced() const { return (flags & DRM_MODE_FLAG_INTERLACE) != 0; }

RefreshRate RefreshRateOf(const Mode& mode) {
  std::uint64_t numerator = std::uint64_t{mode.clock_khz} * 1000;
  std::uint64_t denominator = std::uint64_t{mode.htotal} * mode.vtotal;
  if (numerator == 0 || denominator == 0) return {};
  // The counts are those of drm_mode_vrefresh().
  if (mode.interlaced()) numerator *= 2;
  if ((mode.flags & DRM_MODE_FLAG_DBLSCAN) != 0) denominator *= 2;
  if (mode.vscan > 1) denominator *= mode.vscan;
  return {numerator, denominator};
}

std::int64_t RefreshPeriodNs(const Mode& mode) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  const RefreshRate rate = RefreshRateOf(mode);
  if (rate.numerator == 0) return 0;
  // 48 bits of pixels and scans times 30 bits of nanoseconds.
  __extension__ using Wide = unsigned __int128;
  const Wide period = (Wide{rate.denominator} * kNsPerSecond + rate.numerator / 2) / rate.numerator;
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
  return period > static_cast<Wide>(kLongest) ? kLongest : static_cast<std::int64_t>(period);
}

Mode FromKernel(const drmModeModeInfo& info) {
  Mode mode{info.clock, info.hdisplay, info.hsync_start, info.hsync_end, info.htotal,
            info.hskew, info.vdisplay, info.vsync_start, info.vsync_end, info.vtotal,
            info.vscan, info.vrefresh, info.flags,       info.type,      {}};
  mode.name.assign(info.name, strnlen(info.name, sizeof(info.name)));
  return mode;
}

drmModeModeInfo ToKernel(const Mode& mode) {
  drmModeModeInfo info{};
  info.clock = mode.clock_khz;
  info.hdisplay = mode.width;
  info.hsync_start = mode.hsync_start;
  info.hsync_end = mode.hsync_end;
  info.htotal = mode.htotal;
  info.hskew = mode.hskew;
  info.vdisplay = mode.height;
  info.vsync_start = mode.vsync_start;
  info.vsync_end = mode.vsync_end;
  info.vtotal = mode.vtotal;
  info.vscan = mode.vscan;
  info.vrefresh = mode.refresh_hz;
  info.flags = mode.flags;
  info.type = mode.type;
  std::memcpy(info.name, mode.name.data(), std::min(mode.name.size(), sizeof(info.name) - 1));
  return info;
}

}  // namespace tandem::kms
