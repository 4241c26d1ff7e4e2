// Overlay checks: what the virtual display controller can scan out, and whether it still has the bandwidth.
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
namespace {

using Plane = DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2;

bool IsWholeSurface(const RECT& rect, const AllocationData& data) {
  return rect.left == 0 && rect.top == 0 && rect.right == static_cast<LONG>(data.width) &&
         rect.bottom == static_cast<LONG>(data.height);
}

bool SameRect(const RECT& a, const RECT& b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

// One plane, whole, unscaled, as the output stands: what a scan-out of this device shows.
bool IsPlain(const Device& device, const Plane& plane) {
  const auto* allocation = static_cast<const Allocation*>(plane.hAllocation);
  const auto& attributes = plane.PlaneAttributes;
  return allocation != nullptr && plane.VidPnSourceId < device.source_count() && plane.LayerIndex == 0 &&
         allocation->data.format != color::Format::kUnknown && attributes.Flags.VerticalFlip == 0 &&
         attributes.Flags.HorizontalFlip == 0 && attributes.Blend.AlphaBlend == 0 &&
         (attributes.Rotation == D3DDDI_ROTATION_IDENTITY || attributes.Rotation == 0) &&
         device.PathRotation(plane.VidPnSourceId) == color::Rotation::kIdentity &&
         IsWholeSurface(attributes.SrcRect, allocation->data) && SameRect(attributes.SrcRect, attributes.DstRect);
}

std::uint64_t Demand(const AllocationData& data, std::int64_t refresh_period_ns) {
  const std::uint64_t frame_bytes = std::uint64_t{data.width} * data.height * PixelBytes(data.format);
  return frame_bytes * 1'000'000'000 / static_cast<std::uint64_t>(refresh_period_ns);
}

bool IsShared(const Plane& plane) {
  return (static_cast<const Allocation*>(plane.hAllocation)->data.flags & kAllocationCrossAdapter) != 0;
}

// What the controller turns for a target it holds in its own memory.
bool IsTurned(Device& device, std::uint32_t source) {
  bool turned = false;
  device.ForEachTarget(source,
                       [&](ScanOut& target, bool) { turned = turned || target.rotation() != color::Rotation::kIdentity; });
  return turned;
}

// For each target of the source, and beside what the other sources' read now. Nothing is reserved by asking.
bool HasBandwidth(Device& device, const Plane& plane) {
  const std::uint64_t limit = device.description().scan_out_bytes_per_second;
  if (limit == 0) return true;
  const AllocationData& data = static_cast<const Allocation*>(plane.hAllocation)->data;
  std::uint64_t demand = 0;
  for (std::uint32_t source = 0; source < device.source_count(); ++source) {
    device.ForEachTarget(source, [&](ScanOut& target, bool) {
      demand += source == plane.VidPnSourceId ? Demand(data, target.RefreshPeriodNs()) : target.BytesPerSecond();
    });
  }
  return demand <= limit;
}

bool CanShow(Device& device, const Plane& plane) {
  if (!IsPlain(device, plane)) return false;
  return !IsShared(plane) || (!IsTurned(device, plane.VidPnSourceId) && HasBandwidth(device, plane));
}

}  // namespace

// The answer stands alone: it depends on what is shown now and changes nothing, with StaticCheck or without.
NTSTATUS SoftCheckMultiPlaneOverlaySupport3(HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* check) {
  auto& device = *static_cast<Device*>(adapter);
  check->ReturnInfo.Value = 0;
  check->Supported = FALSE;
  if (check->PlaneCount > 1) {
    check->ReturnInfo.FailingPlane = 1;
    return STATUS_SUCCESS;
  }
  if (check->PlaneCount == 0 || check->PostCompositionCount != 0 || check->ppPlanes[0] == nullptr) return STATUS_SUCCESS;
  check->Supported = CanShow(device, *check->ppPlanes[0]) ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
