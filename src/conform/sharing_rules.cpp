// Cross-adapter surfaces as memory: equal bytes on both sides, and their lifetimes.
#include <array>
#include <memory>

#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::string_view kSource = "WDDM cross-adapter scan-out, cross-adapter resources";

void SameBytesOnBothAdapters(Rig& rig) {
  for (const kernel::BackingStoreKind kind : {kernel::BackingStoreKind::kMemfd, kernel::BackingStoreKind::kAnonymous}) {
    rig.kernel().SetBackingStorePreference(kind);
    UserDevice render = rig.OpenRender();
    UserDevice display = rig.OpenDisplay();
    // Rows of these widths do not fill a pitch; each side creates them in turn.
    for (const std::uint32_t width : {33u, 64u, 100u, 257u}) {
      const SurfaceRequest request{width, 19, SurfaceUse::kCrossAdapter};
      const Surface made_here = display.Create(request);
      const Surface opened_there = render.Open(made_here);
      const Surface made_there = render.Create(request);
      const Surface opened_here = display.Open(made_there);
      display.Paint(made_here, 0x12000000);
      Require(render.Read(opened_there) == display.Read(made_here), "The adapters see other bytes in a surface of {} x 19.",
              width);
      RequireSuccess(render.Copy(opened_there, made_there, {}), "D3DKMTPresent");
      render.Finish();
      Require(display.Read(opened_here) == display.Read(made_here), "A copy of {} x 19 was not seen on the other adapter.",
              width);
    }
  }
}

void PagesOutliveTheirMaker(Rig& rig) {
  UserDevice render = rig.OpenRender();
  std::unique_ptr<UserDevice> display(new UserDevice(rig.OpenDisplay()));
  const Surface made = display->Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface opened = render.Open(made);
  display->Paint(made, 0x21000000);
  display.reset();
  Require(render.Read(opened).back() == UserDevice::Painted(0x21000000, 31, 7), "The pages went with the device that made them.");
  RequireSuccess(render.Destroy(opened), "D3DKMTDestroyAllocation2");
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = render.device();
  query.hGlobalShare = made.global_share;
  RequireStatus(D3DKMTQueryResourceInfo(&query), {STATUS_INVALID_PARAMETER},
                "D3DKMTQueryResourceInfo of a resource that is gone");
}

void RenderOutlivesDisplay(Rig& rig) {
  UserDevice render = rig.OpenRender();
  UserDevice display = rig.OpenDisplay();
  const Surface made = display.Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface source = render.Create({32, 8, SurfaceUse::kCrossAdapter});
  const Surface opened = render.Open(made);
  render.Paint(source, 0x42000000);
  const auto removed = rig.kernel().RemoveAdapter(rig.display());
  Require(removed.ok(), "The display adapter cannot be removed: {}", removed.ok() ? "" : removed.error().message);
  RequireStatus(display.Flip(made, D3DDDI_FLIPINTERVAL_ONE), {STATUS_DEVICE_REMOVED}, "A flip on a removed adapter");
  RequireSuccess(render.Copy(source, opened, {}), "A copy after the display adapter went");
  render.Finish();
  Require(render.Read(opened) == render.Read(source), "A copy after the display adapter went has other bytes.");
}

constexpr std::array<Rule, 3> kSharingRules{{
    {"CrossAdapter.SameBytes", "Both adapters see the same bytes in a shared surface, whoever made it.", kSource,
     Needs::kTwoAdapters, &SameBytesOnBothAdapters},
    {"CrossAdapter.Lifetime", "A shared surface lives as long as one device holds it, and no longer.", kSource,
     Needs::kTwoAdapters, &PagesOutliveTheirMaker},
    {"CrossAdapter.Unplugged", "The render adapter goes on when the display adapter is unplugged.", kSource, Needs::kTwoAdapters,
     &RenderOutlivesDisplay},
}};

}  // namespace

std::span<const Rule> SharingRules() { return kSharingRules; }

}  // namespace tandem::conform
