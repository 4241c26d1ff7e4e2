// D3DKMTPresentMultiPlaneOverlay3: planes that reach the driver together, and what keeps them from it.
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <vector>

#include "kernel/submit/plane_set.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class PlanePresent : public KernelFixture {
 protected:
  struct Programmed {
    UINT layer;
    std::uint64_t address;
    LONG right;  // of the destination
  };

  PlanePresent() {
    miniport_.caps.SupportMultiPlaneOverlay = TRUE;
    miniport_.caps.MaxOverlayPlanes = 4;
    miniport_.on_set_planes = [this](DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      programmed_.clear();
      for (UINT i = 0; i < args->PlaneCount; ++i) {
        const auto& plane = *args->ppPlanes[i];
        EXPECT_EQ(plane.InputFlags.Enabled, 1u);
        EXPECT_EQ(plane.InputFlags.FlipOnNextVSync, 1u);
        EXPECT_EQ(plane.ContextCount, 1u);
        EXPECT_NE(plane.ppContextData[0]->hAllocation, nullptr);
        EXPECT_EQ(plane.ppContextData[0]->hContext, &miniport_);
        programmed_.push_back({plane.LayerIndex, static_cast<std::uint64_t>(plane.ppContextData[0]->SegmentAddress.QuadPart),
                               plane.PlaneAttributes.DstRect.right});
      }
      return STATUS_SUCCESS;
    };
  }
  ~PlanePresent() override { kernel_.reset(); }

  void OpenWithPlanes() {
    Open();
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      D3DDDI_ALLOCATIONINFO2 info{};
      info.Flags.Primary = 1;
      D3DKMT_CREATEALLOCATION create = Allocation(info);
      ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
      surfaces_[i] = info.hAllocation;
      attributes_[i].SrcRect = attributes_[i].DstRect = attributes_[i].ClipRect = {0, 0, 64 - static_cast<LONG>(i), 32};
      attributes_[i].Rotation = D3DDDI_ROTATION_IDENTITY;
      planes_[i].LayerIndex = static_cast<UINT>(i);
      planes_[i].InputFlags.Enabled = 1;
      planes_[i].FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
      planes_[i].AllocationCount = 1;
      planes_[i].pAllocationList = &surfaces_[i];
      planes_[i].pPlaneAttributes = &attributes_[i];
      pointers_[i] = &planes_[i];
    }
    present_.hAdapter = adapter_;
    present_.ContextCount = 1;
    present_.pContextList = &context_;
    present_.PresentPlaneCount = 2;
    present_.ppPresentPlanes = pointers_.data();
  }
  NTSTATUS Present() { return D3DKMTPresentMultiPlaneOverlay3(&present_); }
  std::vector<Programmed> programmed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return programmed_;
  }
  [[nodiscard]] int Count(const char* ddi) const { return static_cast<int>(miniport_.count(ddi)); }
  [[nodiscard]] int Flips() const { return Count("DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3"); }

  std::array<D3DKMT_HANDLE, 3> surfaces_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, 3> attributes_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3, 3> planes_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3*, 9> pointers_{};
  D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present_{};
  std::mutex mutex_;
  std::vector<Programmed> programmed_;
};

TEST_F(PlanePresent, Planes_ReachTheDriverLowestFirst_AndAreDoneAtTheirVerticalBlank) {
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
  miniport_.Vsync(0, planes[0].address);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(PlanePresent, ManyFlips_GiveTheirSetsBack_AndAskOnceForTheirShape) {
  OpenWithPlanes();
  for (UINT64 frame = 1; frame <= 60; ++frame) {
    ASSERT_EQ(Present(), STATUS_SUCCESS) << frame;
    ASSERT_EQ(Signal(frame), STATUS_SUCCESS);
    miniport_.Vsync(0, programmed()[0].address);
    ASSERT_EQ(Wait(frame), STATUS_SUCCESS);
  }
  EXPECT_EQ(Flips(), 60);
  EXPECT_LE(Count("DxgkDdiCheckMultiPlaneOverlaySupport3"), 4);
}

TEST_F(PlanePresent, NobodyTurnsThePage_AreRefusedBeyondTheQueue) {
  OpenWithPlanes();
  NTSTATUS status = STATUS_SUCCESS;
  int accepted = 0;
  for (; NT_SUCCESS(status) && accepted < 100; ++accepted) status = Present();
  EXPECT_EQ(status, STATUS_DEVICE_NOT_READY);
  EXPECT_LT(accepted, 20);
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
  EXPECT_EQ(broken([&] { present_.pContextList = &device_; }), STATUS_INVALID_HANDLE);
  EXPECT_EQ(broken([&] { present_.Flags.FlipStereo = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(broken([&] { present_.VidPnSourceId = 1000; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[1].LayerIndex = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&] { planes_[0].InputFlags.Enabled = planes_[1].InputFlags.Enabled = 0; }), STATUS_INVALID_PARAMETER);
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
  miniport_.Vsync(0, programmed()[0].address);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(DestroyAllocation(surfaces_[1]), STATUS_SUCCESS);
  EXPECT_EQ(Count("DxgkDdiSetVidPnSourceVisibility"), 2) << "on, and off again";
}

}  // namespace
}  // namespace tandem::kernel
