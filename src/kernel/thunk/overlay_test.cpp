// Overlay checks: what the driver is asked, what it may answer.
#include <gtest/gtest.h>

#include <array>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class OverlayTest : public KernelFixture {
 protected:
  void SetUp() override {
    Open();
    D3DDDI_ALLOCATIONINFO2 info{};
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    create.Flags.CreateResource = 1;
    ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
    for (D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3& plane : planes_) {
      plane.hResource = create.hResource;
      plane.pPlaneAttributes = &attributes_;
    }
    attributes_.SrcRect = attributes_.DstRect = attributes_.ClipRect = {0, 0, 64, 32};
    attributes_.Rotation = D3DDDI_ROTATION_IDENTITY;
    check_.hDevice = device_;
    check_.PlaneCount = 1;
    check_.ppOverlayPlanes = pointers_.data();
  }

  NTSTATUS Check() { return D3DKMTCheckMultiPlaneOverlaySupport3(&check_); }
  [[nodiscard]] int Asked() const { return static_cast<int>(miniport_.count("DxgkDdiCheckMultiPlaneOverlaySupport3")); }
  void SetStatic() {
    D3DKMT_MULTIPLANE_OVERLAY_FLAGS flags{};
    flags.StaticCheck = 1;
    attributes_.Flags = flags.Value;
  }

  D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes_{};
  std::array<D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3, 2> planes_{};
  std::array<D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3*, 17> pointers_{&planes_[0], &planes_[1]};
  D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 check_{};
};

TEST_F(OverlayTest, Static_OnePlane_ReachesTheDriverAsItIs) {
  SetStatic();
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    EXPECT_EQ(args->PlaneCount, 1u);
    EXPECT_EQ(args->PostCompositionCount, 0u);
    EXPECT_EQ(args->ppPlanes[0]->PlaneAttributes.Flags.StaticCheck, 1u);
    EXPECT_EQ(args->ppPlanes[0]->PlaneAttributes.SrcRect.right, 64);
    EXPECT_NE(args->ppPlanes[0]->hAllocation, nullptr);
    args->Supported = FALSE;
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.Supported, FALSE);
  EXPECT_EQ(Asked(), 1);
}

TEST_F(OverlayTest, Static_BesideAnotherPlane_IsRefusedBeforeTheDriver) {
  SetStatic();
  check_.PlaneCount = 2;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Asked(), 0);
}

TEST_F(OverlayTest, Static_WithPostComposition_IsRefusedBeforeTheDriver) {
  SetStatic();
  check_.PostCompositionCount = 1;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Asked(), 0);
}

TEST_F(OverlayTest, BrokenArguments_AreRefusedBeforeTheDriver) {
  check_.PlaneCount = 0;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  check_.PlaneCount = 17;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  check_.PlaneCount = 1;
  planes_[0].VidPnSourceId = 1000;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  planes_[0].VidPnSourceId = 0;
  planes_[0].hResource = 0x7FFF0001;
  EXPECT_EQ(Check(), STATUS_INVALID_HANDLE);
  planes_[0].pPlaneAttributes = nullptr;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Asked(), 0);
}

TEST_F(OverlayTest, Driver_NamesAPlaneThatIsNotThere_BreaksARule) {
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    args->Supported = FALSE;
    args->ReturnInfo.FailingPlane = 1;
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Check(), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find("CheckMultiPlaneOverlaySupport3.FailingPlane"), std::string::npos);
}

TEST_F(OverlayTest, Driver_Fails_BreaksARule) {
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3*) { return STATUS_NO_MEMORY; };
  EXPECT_FALSE(NT_SUCCESS(Check()));
  EXPECT_FALSE(kernel_->Violation(luid_)->empty());
}

}  // namespace
}  // namespace tandem::kernel
