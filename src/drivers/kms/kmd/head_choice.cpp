#include "drivers/kms/kmd/head_choice.h"

#include <algorithm>

#include "base/limits.h"
#include "drivers/kms/kmd/plugged_monitors.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {
namespace {

bool IsDesktops(const Connector& connector) { return !connector.writeback() && !connector.non_desktop && HasDisplay(connector); }

// The CRTC that the connector has, else the first one that none of `taken` has.
const Crtc* ChooseCrtc(const Resources& resources, const Connector& connector, std::uint32_t taken) {
  const auto usable = [&](const Crtc& crtc) { return (connector.possible_crtcs & ~taken) >> crtc.index & 1; };
  const auto own = static_cast<std::uint32_t>(connector.properties[Property::kCrtcId].value);
  if (const Crtc* crtc = resources.FindCrtc(own); crtc != nullptr && usable(*crtc)) return crtc;
  const auto free = std::ranges::find_if(resources.crtcs, usable);
  return free != resources.crtcs.end() ? &*free : nullptr;
}

// The primary plane, then overlays that no other head has, in the order of their z positions.
std::vector<Plane> ChoosePlanes(const Resources& resources, const Crtc& crtc, const std::vector<HeadParts>& others) {
  std::vector<Plane> planes;
  const Plane* const primary = resources.FindPlane(PlaneType::kPrimary, crtc);
  if (primary == nullptr) return planes;
  planes.push_back(*primary);
  const auto has = [](const HeadParts& head, const Plane& plane) {
    return std::ranges::find(head.planes, plane.id, &Plane::id) != head.planes.end();
  };
  for (const Plane& plane : resources.planes) {
    const bool fits = plane.type == PlaneType::kOverlay && (plane.possible_crtcs >> crtc.index & 1) != 0;
    if (fits && std::ranges::none_of(others, [&](const HeadParts& head) { return has(head, plane); })) planes.push_back(plane);
  }
  std::stable_sort(planes.begin() + 1, planes.end(), [](const Plane& a, const Plane& b) {
    return a.properties[Property::kZpos].value < b.properties[Property::kZpos].value;
  });
  if (planes.size() > processor::kMaxScanOutPlanes) planes.resize(processor::kMaxScanOutPlanes);
  return planes;
}

}  // namespace

Result<std::vector<HeadParts>> ChooseHeads(const Resources& resources, const std::string& wanted) {
  if (!wanted.empty()) {
    const Connector* const named = resources.FindConnector(wanted);
    if (named == nullptr) {
      std::string names;
      for (const Connector& connector : resources.connectors) {
        if (!connector.writeback()) names += (names.empty() ? "" : ", ") + connector.name;
      }
      return Fail(ErrorKind::kNotFound, "The card has no connector '{}'; it has {}.", wanted, names.empty() ? "none" : names);
    }
    if (!HasDisplay(*named)) {
      return Fail(ErrorKind::kNotFound, "Nothing is connected to {}: plug a display in, or name another connector.", wanted);
    }
  }
  std::vector<HeadParts> heads;
  std::uint32_t taken = 0;
  for (const Connector& connector : resources.connectors) {
    if (heads.size() == kMaxVidPnSources || (wanted.empty() ? !IsDesktops(connector) : connector.name != wanted)) continue;
    const Crtc* const crtc = ChooseCrtc(resources, connector, taken);
    if (crtc == nullptr) continue;
    auto planes = ChoosePlanes(resources, *crtc, heads);
    if (planes.empty()) continue;
    taken |= 1U << crtc->index;
    heads.push_back({connector, *crtc, std::move(planes)});
  }
  if (heads.empty()) return Fail(ErrorKind::kNotFound, "No display is connected to the card.");
  return heads;
}

}  // namespace tandem::kms
