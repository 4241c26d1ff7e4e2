// Vertical blanks that tell of planes: CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY, 2 and 3.
#include "kernel/testing/plane_present_fixture.h"

namespace tandem::kernel {
namespace {

class PlaneBlanks : public PlanePresent {
 protected:
  using Planes = std::vector<Programmed>;
  // Each reports `planes` in the driver's own memory, which holds something else as soon as the call has returned.
  void ReportAddresses(const Planes& planes) {
    std::vector<DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO> infos(planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
      infos[i].LayerIndex = planes[i].layer;
      infos[i].Enabled = planes[i].enabled ? TRUE : FALSE;
      infos[i].PhysicalAddress.QuadPart = static_cast<LONGLONG>(planes[i].address);
    }
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY;
    note.CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount = static_cast<UINT>(infos.size());
    note.CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo = infos.data();
    miniport_.Interrupt({note});
    infos.assign(infos.size(), {});
  }
  void ReportIds(const Planes& planes) {
    std::vector<DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2> infos;
    for (const Programmed& plane : planes) infos.push_back({plane.layer, plane.present_id, {}});
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2;
    note.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount = static_cast<UINT>(infos.size());
    note.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo = infos.data();
    miniport_.Interrupt({note});
    infos.assign(infos.size(), {});
  }
  void ReportLog(const Planes& planes, UINT first_free) {
    std::vector<DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3> infos;
    for (const Programmed& plane : planes) infos.push_back({plane.layer, first_free});
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3;
    note.CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount = static_cast<UINT>(infos.size());
    note.CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo = infos.data();
    miniport_.Interrupt({note});
    infos.assign(infos.size(), {});
  }
  void Flip(UINT64 value) {
    ASSERT_EQ(Present(), STATUS_SUCCESS);
    ASSERT_EQ(Signal(value), STATUS_SUCCESS);
  }
  void ExpectNotDone(UINT64 value) {
    Settle();
    EXPECT_LT(*fence_value_, value);
  }
  [[nodiscard]] Planes Top() { return {programmed().front()}; }
  [[nodiscard]] Planes Bottom() { return {programmed().back()}; }
};

TEST_F(PlaneBlanks, Addresses_OfAllPlanes_EndAFlip) {
  OpenWithPlanes();
  Flip(1);
  ReportAddresses(Top());
  ExpectNotDone(1);
  Planes off = Bottom();
  off[0].enabled = false;
  ReportAddresses(off);
  ExpectNotDone(1);
  ReportAddresses(Bottom());
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(PlaneBlanks, PresentIds_OfAllPlanes_EndAFlip_ThoughTheirSurfacesStayTheSame) {
  OpenWithPlanes();
  Flip(1);
  const Planes first = programmed();
  ReportIds(first);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  Flip(2);
  const Planes second = programmed();
  EXPECT_EQ(second[0].address, first[0].address);
  EXPECT_GT(second[0].present_id, first[0].present_id);
  EXPECT_NE(second[0].present_id, second[1].present_id);
  ReportIds(first);
  ExpectNotDone(2);
  ReportIds({second[1]});
  ExpectNotDone(2);
  ReportIds({second[0]});
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
}

TEST_F(PlaneBlanks, LogsThatGrew_OfAllPlanes_EndAFlip) {
  OpenWithPlanes();
  for (UINT frame = 1; frame <= 3; ++frame) {
    Flip(frame);
    ReportLog(programmed(), frame - 1);
    ExpectNotDone(frame);
    ReportLog(Top(), frame);
    ExpectNotDone(frame);
    ReportLog(programmed(), frame);
    ASSERT_EQ(Wait(frame), STATUS_SUCCESS);
  }
}

TEST_F(PlaneBlanks, PlaneThatGoesOff_IsNotWaitedFor) {
  OpenWithPlanes();
  Flip(1);
  ReportIds(programmed());
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  planes_[0] = {};
  Flip(2);
  ReportIds(Bottom());
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
}

TEST_F(PlaneBlanks, AddressOfAFlipWithoutPlanes_EndsIt) {
  OpenWithPlanes();
  Planes shown(1);
  shown[0].enabled = true;
  miniport_.on_set_vidpn_source_address = [&shown](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
    shown[0].address = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
    return STATUS_SUCCESS;
  };
  D3DKMT_PRESENT flip{};
  flip.hContext = context_;
  flip.hSource = surfaces_[0];
  flip.Flags.Flip = 1;
  flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
  ASSERT_EQ(D3DKMTPresent(&flip), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ReportAddresses(shown);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(PlaneBlanks, ListsThatAreNone_BreakARule) {
  struct Case {
    const char* rule;
    void (*change)(DXGKARGCB_NOTIFY_INTERRUPT_DATA& note, DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2* infos);
  };
  const Case cases[] = {
      {"CrtcVsyncWithMultiPlaneOverlay.VidPnTargetId",
       [](auto& note, auto*) { note.CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId = 77; }},
      {"CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount",
       [](auto& note, auto*) { note.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount = 5; }},
      {"CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount",
       [](auto& note, auto*) { note.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo = nullptr; }},
      {"CrtcVsyncWithMultiPlaneOverlay.LayerIndex", [](auto&, auto* infos) { infos[0].LayerIndex = 4; }},
  };
  for (const Case& broken : cases) {
    Open();
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 infos[8]{};
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2;
    note.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount = 1;
    note.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo = infos;
    miniport_.Interrupt({note});
    EXPECT_EQ(*kernel_->Violation(luid_), "") << "before the change";
    broken.change(note, infos);
    miniport_.Interrupt({note});
    EXPECT_NE(kernel_->Violation(luid_)->find(broken.rule), std::string::npos) << *kernel_->Violation(luid_);
    kernel_.reset();
  }
}

}  // namespace
}  // namespace tandem::kernel
