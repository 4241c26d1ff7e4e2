// Overlay checks: what the driver is asked, what it may answer.
#include <gtest/gtest.h>

#include <array>
#include <thread>

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

  // Sets the mode to a primary of its own.
  NTSTATUS SetMode(D3DDDI_ROTATION rotation) {
    D3DDDI_ALLOCATIONINFO2 info{};
    info.Flags.Primary = 1;
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    if (const NTSTATUS status = D3DKMTCreateAllocation2(&create); !NT_SUCCESS(status)) return status;
    primary_ = info.hAllocation;
    return SetDisplayMode(primary_, rotation);
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
  D3DKMT_HANDLE primary_ = 0, other_ = 0;
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

class OlderOverlayTest : public OverlayTest {
 protected:
  OlderOverlayTest() { miniport_.caps.WDDMVersion = DXGKDDI_WDDMv2_9; }
};

// The bit came with WDDM 3.0; an older driver knows it as reserved.
TEST_F(OlderOverlayTest, Static_OnePlane_ReachesTheDriverWithoutTheFlag) {
  SetStatic();
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    EXPECT_EQ(args->PlaneCount, 1u);
    EXPECT_EQ(args->ppPlanes[0]->PlaneAttributes.Flags.Value, 0u);
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.Supported, TRUE);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 2) << "The answer to a static question is not kept.";
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
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
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

TEST_F(OverlayTest, SamePlanes_AreAskedOnceForEachConfiguration) {
  bool supported = true;
  miniport_.on_check_overlay = [&](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    args->Supported = supported ? TRUE : FALSE;
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 1);
  attributes_.DstRect.right = 32;
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 2);
  check_.PlaneCount = 2;
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 3);
  check_.PlaneCount = 1;
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 3) << "both answers are kept";

  supported = false;
  ASSERT_EQ(SetMode(D3DDDI_ROTATION_IDENTITY), STATUS_SUCCESS);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.Supported, FALSE);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 4);
  ASSERT_EQ(DestroyAllocation(primary_), STATUS_SUCCESS);  // the source goes dark
  supported = true;
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.Supported, TRUE);
  EXPECT_EQ(Asked(), 5);
}

TEST_F(OverlayTest, Static_IsAlwaysAskedAndNeverAnswersForPresents) {
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    args->Supported = args->ppPlanes[0]->PlaneAttributes.Flags.StaticCheck ? FALSE : TRUE;
    return STATUS_SUCCESS;
  };
  SetStatic();
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 2);
  attributes_.Flags = 0;
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.Supported, TRUE);
  EXPECT_EQ(Asked(), 3);
}

TEST_F(OverlayTest, TryAgain_IsAskedAgain) {
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    args->Supported = FALSE;
    args->ReturnInfo.TryAgain = 1;
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.ReturnInfo.TryAgain, 1u);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 2);
}

TEST_F(OverlayTest, AnswerChangesWhileItIsGiven_IsNotKept) {
  miniport_.on_check_overlay = [&](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    args->Supported = TRUE;
    if (Asked() == 1) std::thread([&] { EXPECT_EQ(DestroyAllocation(other_), STATUS_SUCCESS); }).join();
    return STATUS_SUCCESS;
  };
  ASSERT_EQ(CreateAllocation(other_), STATUS_SUCCESS);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(Asked(), 2);
}

TEST_F(OverlayTest, PostComposition_ReachesTheDriver) {
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE post{};
  post.PostComposition.DstRect = {0, 0, 128, 64};
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE* posts[] = {&post};
  check_.PostCompositionCount = 1;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER) << "without a list";
  check_.ppPostComposition = posts;
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    EXPECT_EQ(args->PostCompositionCount, 1u);
    EXPECT_EQ(args->ppPostComposition[0]->PostComposition.DstRect.right, 128);
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Check(), STATUS_SUCCESS);
  EXPECT_EQ(check_.Supported, TRUE);
  post.VidPnSourceId = 1000;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  check_.PostCompositionCount = 17;
  EXPECT_EQ(Check(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Asked(), 1);
}

TEST_F(OverlayTest, Driver_Fails_BreaksARule) {
  miniport_.on_check_overlay = [](DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3*) { return STATUS_NO_MEMORY; };
  EXPECT_FALSE(NT_SUCCESS(Check()));
  EXPECT_FALSE(kernel_->Violation(luid_)->empty());
}

}  // namespace
}  // namespace tandem::kernel
