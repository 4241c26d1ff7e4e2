// D3DKMTPresentMultiPlaneOverlay3: planes that reach the driver together, and what keeps them from it.
#include <atomic>
#include <chrono>
#include <thread>

#include "kernel/submit/limits.h"
#include "kernel/testing/plane_present_fixture.h"

namespace tandem::kernel {
namespace {

TEST_F(PlanePresent, Planes_ReachTheDriverTopFirst_AndAreDoneAtTheirVerticalBlank) {
  OpenWithPlanes();
  std::swap(pointers_[0], pointers_[1]);
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  const auto planes = programmed();
  ASSERT_EQ(planes.size(), 2u);
  EXPECT_EQ(planes[0].layer, 0u);
  EXPECT_EQ(planes[0].right, 64);
  EXPECT_EQ(planes[1].layer, 1u);
  EXPECT_EQ(planes[1].right, 63);
  EXPECT_NE(planes[0].address, planes[1].address);
  EXPECT_EQ(*fence_value_, 0u);
  miniport_.Vsync(0, planes[0].address);  // the top plane is not what the screen is
  Settle();
  EXPECT_EQ(*fence_value_, 0u);
  miniport_.Vsync(0, planes[1].address);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(PlanePresent, PlaneThatIsOff_IsNamedWithEnabled0_AndNeedsNoSurface) {
  OpenWithPlanes();
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  miniport_.Vsync(0, Lowest());
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  planes_[0] = {};
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  const auto planes = programmed();
  ASSERT_EQ(planes.size(), 2u);
  EXPECT_EQ(planes[0].layer, 0u);
  EXPECT_FALSE(planes[0].enabled);
  EXPECT_EQ(planes[1].layer, 1u);
  EXPECT_TRUE(planes[1].enabled);
  miniport_.Vsync(0, Lowest());
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
}

TEST_F(PlanePresent, PlaneThatIsLeftOut_IsTurnedOffOnce) {
  OpenWithPlanes();
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  std::swap(pointers_[0], pointers_[1]);
  present_.PresentPlaneCount = 1;
  for (UINT64 flip = 1; flip <= 2; ++flip) {
    ASSERT_EQ(Signal(flip), STATUS_SUCCESS);
    miniport_.Vsync(0, Lowest());
    ASSERT_EQ(Wait(flip), STATUS_SUCCESS);
    ASSERT_EQ(Present(), STATUS_SUCCESS);
    ASSERT_EQ(programmed().size(), flip == 1 ? 2u : 1u) << flip;
    EXPECT_EQ(programmed().front().enabled, flip != 1) << flip;
    EXPECT_EQ(programmed().back().layer, 1u) << flip;
  }
}

TEST_F(PlanePresent, FlipWithoutPlanes_TurnsTheOthersOff_AsItsDdiSays) {
  OpenWithPlanes();
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  miniport_.Vsync(0, Lowest());
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  std::uint64_t flipped = 0;
  miniport_.on_set_vidpn_source_address = [&flipped](const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
    flipped = static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart);
    return STATUS_SUCCESS;
  };
  D3DKMT_PRESENT flip{};
  flip.hContext = context_;
  flip.hSource = surfaces_[2];
  flip.Flags.Flip = 1;
  flip.FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
  ASSERT_EQ(D3DKMTPresent(&flip), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  miniport_.Vsync(0, flipped);
  ASSERT_EQ(Wait(2), STATUS_SUCCESS);
  std::swap(pointers_[0], pointers_[1]);
  present_.PresentPlaneCount = 1;
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(programmed().size(), 1u);
}

TEST_F(PlanePresent, ManyFlips_GiveTheirSetsBack_AndAskOnceForTheirShape) {
  OpenWithPlanes();
  for (UINT64 frame = 1; frame <= 60; ++frame) {
    ASSERT_EQ(Present(), STATUS_SUCCESS) << frame;
    ASSERT_EQ(Signal(frame), STATUS_SUCCESS);
    miniport_.Vsync(0, Lowest());
    ASSERT_EQ(Wait(frame), STATUS_SUCCESS);
  }
  EXPECT_EQ(Flips(), 60);
  EXPECT_LE(Count("DxgkDdiCheckMultiPlaneOverlaySupport3"), 4);
}

TEST_F(PlanePresent, QueueIsFull_IsRefusedWithFlipDoNotWait) {
  OpenWithPlanes();
  present_.Flags.FlipDoNotWait = 1;
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(Present(), STATUS_DEVICE_NOT_READY);
  miniport_.Vsync(0, Lowest());
  EXPECT_TRUE(Soon([this] { return NT_SUCCESS(Present()); })) << "The one on the screen makes room.";
}

TEST_F(PlanePresent, QueueIsFull_WaitsForTheScreen_UnlessTheRequestIsWrong) {
  OpenWithPlanes();
  for (std::uint32_t i = 0; i < kMaxPendingFlips; ++i) ASSERT_EQ(Present(), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  std::thread waiting([&] { status = Present(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(status, STATUS_PENDING);
  D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 wrong = present_;
  wrong.VidPnSourceId = 1;
  EXPECT_EQ(D3DKMTPresentMultiPlaneOverlay3(&wrong), STATUS_INVALID_PARAMETER) << "The adapter has one source.";
  miniport_.Vsync(0, Lowest());
  waiting.join();
  EXPECT_EQ(status, STATUS_SUCCESS);
}

TEST_F(PlanePresent, RefusedByTheCheck_IsNotFlippedTo) {
  OpenWithPlanes();
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    EXPECT_EQ(args->PlaneCount, 2u);
    args->Supported = FALSE;
    args->ReturnInfo.FailingPlane = 1;
    return STATUS_SUCCESS;
  };
  for (int i = 0; i < 40; ++i) EXPECT_EQ(Present(), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Flips(), 0);
}

TEST_F(PlanePresent, OneFieldBroken_IsRefusedBeforeTheDriver) {
  OpenWithPlanes();
  const auto broken = [&](auto change) {
    const auto present = present_;
    const auto planes = planes_;
    const auto attributes = attributes_;
    const auto surfaces = surfaces_;
    change();
    const NTSTATUS status = Present();
    present_ = present;
    planes_ = planes;
    attributes_ = attributes;
    surfaces_ = surfaces;
    return status;
  };
  EXPECT_EQ(broken([&] { present_.PresentPlaneCount = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { present_.PresentPlaneCount = kMaxFlipPlanes + 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { present_.PresentPlaneCount = 4; }), STATUS_INVALID_PARAMETER) << "the fourth is NULL";
  EXPECT_EQ(broken([&] { present_.ppPresentPlanes = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { present_.ContextCount = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { present_.ContextCount = 2; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([&] { present_.pContextList = &device_; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { present_.Flags.FlipStereo = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([&] { present_.VidPnSourceId = 1000; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1].LayerIndex = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[0].InputFlags.Enabled = planes_[1].InputFlags.Enabled = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1].LayerIndex = kMaxFlipPlanes; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1] = {}; }), STATUS_INVALID_PARAMETER) << "layer 0 is on and off";
  EXPECT_EQ(broken([&] {
              planes_[1].InputFlags.Enabled = 0;
              planes_[1].LayerIndex = 4;
            }),
            STATUS_INVALID_PARAMETER)
      << "off, and the driver has four";
  EXPECT_EQ(broken([&] { planes_[1].AllocationCount = 2; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1].pPlaneAttributes = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1].FlipInterval = D3DDDI_FLIPINTERVAL_TWO; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1].hFlipToFence = 7; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([&] { attributes_[0].Flags = 4; }), STATUS_INVALID_PARAMETER) << "StaticCheck";
  EXPECT_EQ(broken([&] { surfaces_[1] = 0x7FFF0001; }), STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE);
  EXPECT_EQ(Flips(), 0);
  EXPECT_EQ(Present(), STATUS_SUCCESS);
}

TEST_F(PlanePresent, DriverOfOnePlane_IsNotAsked) {
  miniport_.caps.SupportMultiPlaneOverlay = FALSE;
  OpenWithPlanes();
  EXPECT_EQ(Present(), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Count("DxgkDdiCheckMultiPlaneOverlaySupport3"), 0);
}

TEST_F(PlanePresent, FlipThatFails_BreaksARule) {
  OpenWithPlanes();
  miniport_.on_set_planes = [](DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3*) { return STATUS_UNSUCCESSFUL; };
  static_cast<void>(Present());
  EXPECT_NE(kernel_->Violation(luid_)->find("DdiMayNotFail"), std::string::npos) << *kernel_->Violation(luid_);
}

TEST_F(PlanePresent, PlaneThatIsDestroyed_LeavesTheScreenFirst) {
  OpenWithPlanes();
  ASSERT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  miniport_.Vsync(0, Lowest());
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(DestroyAllocation(surfaces_[0]), STATUS_SUCCESS);
  EXPECT_EQ(Count("DxgkDdiSetVidPnSourceVisibility"), 2) << "on, and off again";
}

}  // namespace
}  // namespace tandem::kernel
