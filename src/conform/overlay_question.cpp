#include "conform/overlay_question.h"

#include <array>

#include "conform/rule.h"

namespace tandem::conform {

D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes(const RECT& source, const RECT& destination) {
  D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes{};
  attributes.SrcRect = source;
  attributes.DstRect = attributes.ClipRect = destination;
  attributes.Rotation = D3DDDI_ROTATION_IDENTITY;
  attributes.StretchQuality = DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_BILINEAR;
  return attributes;
}

bool AskOverlay(const UserDevice& user, const Surface& surface, D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes,
                OverlayQuestion question) {
  D3DKMT_MULTIPLANE_OVERLAY_FLAGS flags{};
  flags.StaticCheck = question == OverlayQuestion::kStatic ? 1 : 0;
  attributes.Flags = flags.Value;
  D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 plane{};
  plane.hResource = surface.resource;
  plane.pPlaneAttributes = &attributes;
  std::array<D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3*, 1> planes{&plane};
  D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 check{};
  check.hAdapter = user.adapter();
  check.hDevice = user.device();
  check.PlaneCount = 1;
  check.ppOverlayPlanes = planes.data();
  RequireSuccess(D3DKMTCheckMultiPlaneOverlaySupport3(&check), "D3DKMTCheckMultiPlaneOverlaySupport3");
  return check.Supported != FALSE;
}

}  // namespace tandem::conform
