#include "kernel/present/mode_fit.h"

#include <algorithm>
#include <tuple>

#include "kernel/adapter/mode_set.h"

namespace tandem::kernel {
namespace {

D3DDDIFORMAT OnScreen(D3DDDIFORMAT format) { return format == D3DDDIFMT_X8R8G8B8 ? D3DDDIFMT_A8R8G8B8 : format; }

// The higher, the better.
auto Rank(const D3DKMDT_VIDPN_TARGET_MODE& mode, std::uint32_t width, std::uint32_t height) {
  const D3DKMDT_VIDEO_SIGNAL_INFO& signal = mode.VideoSignalInfo;
  const D3DKMDT_2DREGION size = ActiveSizeOf(signal);
  const std::int64_t cx = size.cx, cy = size.cy;
  const bool exact = cx == width && cy == height, holds = cx >= width && cy >= height;
  const std::int64_t away = std::abs(cx - width) + std::abs(cy - height);
  const bool progressive = signal.AdditionalSignalInfo.ScanLineOrdering == D3DDDI_VSSLO_PROGRESSIVE;
  const bool known = signal.VSyncFreq.Numerator != D3DKMDT_FREQUENCY_NOTSPECIFIED && signal.VSyncFreq.Denominator != 0;
  const double refresh_hz = known ? static_cast<double>(signal.VSyncFreq.Numerator) / signal.VSyncFreq.Denominator : 0;
  return std::tuple(exact, holds, -away, progressive, mode.Preference == UINT{D3DKMDT_MP_PREFERRED}, refresh_hz);
}

}  // namespace

std::optional<UINT> FitSourceMode(std::span<const D3DKMDT_VIDPN_SOURCE_MODE> modes, std::uint32_t width, std::uint32_t height,
                                  D3DDDIFORMAT format) {
  std::optional<UINT> alike;
  for (const D3DKMDT_VIDPN_SOURCE_MODE& mode : modes) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT& graphics = mode.Format.Graphics;
    const bool fits =
        mode.Type == D3DKMDT_RMT_GRAPHICS && graphics.PrimSurfSize.cx == width && graphics.PrimSurfSize.cy == height;
    if (!fits || OnScreen(graphics.PixelFormat) != OnScreen(format)) continue;
    if (graphics.PixelFormat == format) return mode.Id;
    alike = mode.Id;
  }
  return alike;
}

std::optional<UINT> ClosestSourceMode(std::span<const D3DKMDT_VIDPN_SOURCE_MODE> modes, std::uint32_t width, std::uint32_t height,
                                      D3DDDIFORMAT format) {
  const auto rank = [&](const D3DKMDT_2DREGION& size) {
    const bool holds = size.cx >= width && size.cy >= height;
    const std::int64_t pixels = std::int64_t{size.cx} * size.cy;
    return std::tuple(holds, holds ? -pixels : pixels);
  };
  std::optional<D3DKMDT_2DREGION> best;
  for (const D3DKMDT_VIDPN_SOURCE_MODE& mode : modes) {
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT& graphics = mode.Format.Graphics;
    if (mode.Type != D3DKMDT_RMT_GRAPHICS || OnScreen(graphics.PixelFormat) != OnScreen(format)) continue;
    if (!best || rank(graphics.PrimSurfSize) > rank(*best)) best = graphics.PrimSurfSize;
  }
  return best ? FitSourceMode(modes, best->cx, best->cy, format) : std::nullopt;
}

std::optional<UINT> FitTargetMode(std::span<const D3DKMDT_VIDPN_TARGET_MODE> modes, std::uint32_t width, std::uint32_t height) {
  const auto best = std::max_element(
      modes.begin(), modes.end(), [&](const auto& a, const auto& b) { return Rank(a, width, height) < Rank(b, width, height); });
  return best != modes.end() ? std::optional(best->Id) : std::nullopt;
}

}  // namespace tandem::kernel
