// A VidPN that the kernel lends to a driver for one DDI: its paths and the pinned mode of each source. Drivers read it and set
// the support of a path. They add and remove nothing: the functions for that answer STATUS_NOT_SUPPORTED.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <d3dkmddi.h>

namespace tandem::kernel {

// Threads: the one that made it, and the DDIs that it calls.
class VidPn {
 public:
  VidPn() = default;
  ~VidPn();
  VidPn(const VidPn&) = delete;
  VidPn& operator=(const VidPn&) = delete;

  // Before Lend(). Extents and format of the source's primary; everything else of the mode follows from them.
  // The first path of a source is its primary one.
  void AddPath(D3DDDI_VIDEO_PRESENT_SOURCE_ID source, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
               D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation);
  // Before Lend(). The paths keep their importance.
  void ReversePaths() { std::reverse(paths_.begin(), paths_.end()); }
  void PinMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID source, UINT width, UINT height, D3DDDIFORMAT format);

  // From here to the destructor DxgkCbQueryVidPnInterface knows the handle, on this thread alone. One at a time on a thread.
  [[nodiscard]] D3DKMDT_HVIDPN Lend();
  // The paths as the driver left them.
  [[nodiscard]] const std::vector<D3DKMDT_VIDPN_PRESENT_PATH>& paths() const { return paths_; }
  // Objects that the driver acquired and did not release.
  [[nodiscard]] std::int32_t acquired() const { return acquired_; }

 private:
  friend struct VidPnFunctions;
  struct PinnedMode {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    D3DKMDT_VIDPN_SOURCE_MODE mode;
  };
  std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths_;
  std::vector<PinnedMode> modes_;
  std::int32_t acquired_ = 0;
};

// DxgkCbQueryVidPnInterface. STATUS_GRAPHICS_INVALID_VIDPN for a handle that this thread does not hold, STATUS_NOT_SUPPORTED
// for an unknown version.
NTSTATUS APIENTRY QueryVidPnInterface(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
                                      CONST DXGK_VIDPN_INTERFACE** functions);

}  // namespace tandem::kernel
