// Surfaces that the driver describes without its user-mode half.
#include <array>
#include <utility>

#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

using kernel::StandardSurface;

struct Type {
  StandardSurface type;
  const char* name;
  SurfaceUse use;  // the use it is created with
  bool cpu;        // the processor can reach it
};

constexpr std::array<Type, 4> kTypes{
    {{StandardSurface::kShadow, "shadow surface", SurfaceUse::kImage, true},
     {StandardSurface::kStaging, "staging surface", SurfaceUse::kImage, true},
     {StandardSurface::kTexture, "GDI texture", SurfaceUse::kImage, false},
     {StandardSurface::kCrossAdapterTexture, "cross-adapter texture", SurfaceUse::kCrossAdapter, true}}};

void TryOne(Rig& rig, UserDevice& user, const Type& type, kernel::StandardSurfaceData data, const SurfaceRequest& request) {
  const auto& [width, height, use, format] = request;
  if (type.cpu) {
    Require(data.pitch >= width * 4, "The pitch of a {} of {} x {} is {}; a row has {} bytes.", type.name, width, height,
            data.pitch, width * 4);
  }
  const auto again = rig.kernel().DescribeStandardSurface(rig.render(), {type.type, width, height, format, 0});
  Require(again.ok() && again->allocation_data == data.allocation_data && again->pitch == data.pitch,
          "A {} of {} x {} is described otherwise when it is asked for again.", type.name, width, height);
  Surface surface;
  const auto sharing = use == SurfaceUse::kCrossAdapter ? CreateSharing::kGlobal : CreateSharing::kNo;
  RequireSuccess(
      user.CreateFrom({std::move(data.allocation_data), std::move(data.resource_data), data.pitch}, request, sharing, surface),
      "D3DKMTCreateAllocation2 of a standard surface");
  if (type.cpu) {
    user.Paint(surface, 0x17000000);
    Require(user.Read(surface).back() == UserDevice::Painted(0x17000000, width - 1, height - 1),
            "A {} of {} x {} loses its bytes.", type.name, width, height);
  }
  RequireSuccess(user.Destroy(surface), "D3DKMTDestroyAllocation2 of a standard surface");
}

void AreDescribedAndMade(Rig& rig) {
  UserDevice user = rig.OpenRender();
  int described = 0;
  for (const Type& type : kTypes) {
    for (const auto& [width, height] : {std::pair{1u, 1u}, {33u, 7u}, {640u, 480u}}) {
      auto data = rig.kernel().DescribeStandardSurface(rig.render(), {type.type, width, height, D3DDDIFMT_A8R8G8B8, 0});
      if (!data.ok()) continue;
      ++described;
      TryOne(rig, user, type, *std::move(data), {width, height, type.use});
    }
  }
  if (described == 0) throw NotApplicable("The driver describes no standard surface.");
}

constexpr std::array<Rule, 1> kStandardSurfaceRules{{
    {"Standard.Surfaces",
     "The surfaces that a driver describes without a user-mode half can be made, and their pitch holds a row of pixels.",
     "DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA", Needs::kRender, &AreDescribedAndMade},
}};

}  // namespace

std::span<const Rule> StandardSurfaceRules() { return kStandardSurfaceRules; }

}  // namespace tandem::conform
