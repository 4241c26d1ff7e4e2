// A copy of a whole source, as DXGI's older copy command asks for it.
#pragma once

#include <dxgiddi.h>

namespace tandem::shim {

// DXGI_DDI_ARG_BLT as the newer command. The source has `width` x `height` pixels.
[[nodiscard]] inline DXGI_DDI_ARG_BLT1 WholeBlt(const DXGI_DDI_ARG_BLT& args, UINT width, UINT height) {
  DXGI_DDI_ARG_BLT1 blt{};
  blt.hDevice = args.hDevice;
  blt.hDstResource = args.hDstResource;
  blt.DstSubresource = args.DstSubresource;
  blt.DstLeft = args.DstLeft;
  blt.DstTop = args.DstTop;
  blt.DstRight = args.DstRight;
  blt.DstBottom = args.DstBottom;
  blt.hSrcResource = args.hSrcResource;
  blt.SrcSubresource = args.SrcSubresource;
  blt.SrcRight = width;
  blt.SrcBottom = height;
  blt.Flags = args.Flags;
  blt.Rotate = args.Rotate;
  return blt;
}

}  // namespace tandem::shim
