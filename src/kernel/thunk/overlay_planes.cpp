#include "kernel/thunk/overlay_planes.h"

namespace tandem::kernel {

bool IsStatic(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes) {
  D3DKMT_MULTIPLANE_OVERLAY_FLAGS flags{};
  flags.Value = attributes.Flags;
  return flags.StaticCheck != 0;
}

void ToDriverAttributes(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3& wanted, DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& out) {
  out.Flags.Value = wanted.Flags;
  out.SrcRect = wanted.SrcRect;
  out.DstRect = wanted.DstRect;
  out.ClipRect = wanted.ClipRect;
  out.Rotation = wanted.Rotation;
  out.Blend.AlphaBlend = wanted.Blend == D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND ? 1u : 0u;
  out.ColorSpaceType = wanted.ColorSpace;
  out.StretchQuality = static_cast<DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY>(wanted.StretchQuality);
  out.SDRWhiteLevel = wanted.SDRWhiteLevel;
}

void ToDriverPostComposition(const D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION& wanted,
                             DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION& out) {
  out.Flags.Value = wanted.Flags.Value;
  out.SrcRect = wanted.SrcRect;
  out.DstRect = wanted.DstRect;
  out.Rotation = wanted.Rotation;
}

}  // namespace tandem::kernel
