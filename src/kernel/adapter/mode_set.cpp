#include "kernel/adapter/mode_set.h"

#include "base/limits.h"

namespace tandem::kernel {
namespace {

bool IsExtent(const D3DKMDT_2DREGION& region) {
  return region.cx != 0 && region.cy != 0 && region.cx <= kMaxSurfaceExtent && region.cy <= kMaxSurfaceExtent;
}

bool IsSpecified(const D3DKMDT_2DREGION& region) {
  return region.cx != D3DKMDT_DIMENSION_NOTSPECIFIED || region.cy != D3DKMDT_DIMENSION_NOTSPECIFIED;
}

bool Equal(const D3DKMDT_2DREGION& a, const D3DKMDT_2DREGION& b) { return a.cx == b.cx && a.cy == b.cy; }
bool Equal(const D3DDDI_RATIONAL& a, const D3DDDI_RATIONAL& b) {
  return a.Numerator == b.Numerator && a.Denominator == b.Denominator;
}

// A frequency that is not specified is D3DKMDT_FREQUENCY_NOTSPECIFIED in both parts.
bool IsFrequency(const D3DDDI_RATIONAL& frequency) {
  const bool none = frequency.Numerator == D3DKMDT_FREQUENCY_NOTSPECIFIED;
  return none || (frequency.Numerator != 0 && frequency.Denominator != 0);
}

bool IsSignal(const D3DKMDT_VIDEO_SIGNAL_INFO& signal) {
  if (!IsExtent(ActiveSizeOf(signal)) || !IsFrequency(signal.VSyncFreq) || !IsFrequency(signal.HSyncFreq)) return false;
  return !IsSpecified(signal.TotalSize) ||
         (signal.TotalSize.cx >= signal.ActiveSize.cx && signal.TotalSize.cy >= signal.ActiveSize.cy);
}

bool SameSignal(const D3DKMDT_VIDEO_SIGNAL_INFO& a, const D3DKMDT_VIDEO_SIGNAL_INFO& b) {
  return Equal(a.TotalSize, b.TotalSize) && Equal(a.ActiveSize, b.ActiveSize) && Equal(a.VSyncFreq, b.VSyncFreq) &&
         Equal(a.HSyncFreq, b.HSyncFreq) && a.PixelRate == b.PixelRate &&
         a.AdditionalSignalInfo.ScanLineOrdering == b.AdditionalSignalInfo.ScanLineOrdering;
}

}  // namespace

D3DKMDT_2DREGION ActiveSizeOf(const D3DKMDT_VIDEO_SIGNAL_INFO& signal) {
  const bool is_set = signal.ActiveSize.cx != 0 || signal.ActiveSize.cy != 0;
  return is_set ? signal.ActiveSize : signal.TotalSize;
}

bool IsValidMode(const D3DKMDT_VIDPN_SOURCE_MODE& mode) {
  if (mode.Type != D3DKMDT_RMT_GRAPHICS && mode.Type != D3DKMDT_RMT_GRAPHICS_STEREO) return false;
  const D3DKMDT_GRAPHICS_RENDERING_FORMAT& format = mode.Format.Graphics;
  return IsExtent(format.PrimSurfSize) && IsExtent(format.VisibleRegionSize) &&
         format.VisibleRegionSize.cx <= format.PrimSurfSize.cx && format.VisibleRegionSize.cy <= format.PrimSurfSize.cy &&
         format.PixelFormat != D3DDDIFMT_UNKNOWN && format.PixelValueAccessMode >= D3DKMDT_PVAM_DIRECT &&
         format.PixelValueAccessMode <= D3DKMDT_PVAM_SETTABLEPALETTE;
}

bool HasFrequencies(const D3DKMDT_VIDEO_SIGNAL_INFO& signal) {
  return signal.VSyncFreq.Numerator != D3DKMDT_FREQUENCY_NOTSPECIFIED &&
         signal.HSyncFreq.Numerator != D3DKMDT_FREQUENCY_NOTSPECIFIED && signal.PixelRate != D3DKMDT_FREQUENCY_NOTSPECIFIED;
}
bool LeavesFrequenciesOpen(const D3DKMDT_VIDEO_SIGNAL_INFO& signal) {
  return signal.VSyncFreq.Numerator == D3DKMDT_FREQUENCY_NOTSPECIFIED &&
         signal.HSyncFreq.Numerator == D3DKMDT_FREQUENCY_NOTSPECIFIED && signal.PixelRate == D3DKMDT_FREQUENCY_NOTSPECIFIED;
}

bool IsValidMode(const D3DKMDT_VIDPN_TARGET_MODE& mode) { return IsSignal(mode.VideoSignalInfo); }
bool IsValidMode(const D3DKMDT_MONITOR_SOURCE_MODE& mode) { return IsSignal(mode.VideoSignalInfo); }

bool IsSameMode(const D3DKMDT_VIDPN_SOURCE_MODE& a, const D3DKMDT_VIDPN_SOURCE_MODE& b) {
  const D3DKMDT_GRAPHICS_RENDERING_FORMAT &one = a.Format.Graphics, &other = b.Format.Graphics;
  return a.Type == b.Type && Equal(one.PrimSurfSize, other.PrimSurfSize) && one.Stride == other.Stride &&
         Equal(one.VisibleRegionSize, other.VisibleRegionSize) && one.PixelFormat == other.PixelFormat &&
         one.ColorBasis == other.ColorBasis && one.PixelValueAccessMode == other.PixelValueAccessMode;
}

bool IsSameMode(const D3DKMDT_VIDPN_TARGET_MODE& a, const D3DKMDT_VIDPN_TARGET_MODE& b) {
  return SameSignal(a.VideoSignalInfo, b.VideoSignalInfo);
}
bool IsSameMode(const D3DKMDT_MONITOR_SOURCE_MODE& a, const D3DKMDT_MONITOR_SOURCE_MODE& b) {
  return SameSignal(a.VideoSignalInfo, b.VideoSignalInfo);
}

}  // namespace tandem::kernel
