// Flags that a present of this kernel cannot serve are refused, not left out.
#include <gtest/gtest.h>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class PresentFlags : public KernelFixture {
 protected:
  void SetUp() override {
    Open();
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(destination_), STATUS_SUCCESS);
  }
  template <class Change>
  NTSTATUS PresentWith(Change change) {
    D3DKMT_PRESENT present = Copy(source_, destination_);
    change(present.Flags);
    return D3DKMTPresent(&present);
  }
  D3DKMT_HANDLE source_ = 0, destination_ = 0;
};

TEST_F(PresentFlags, RestrictVidPnSource_OfACopy_IsNotSupported) {
  EXPECT_EQ(PresentWith([](auto& flags) { flags.RestrictVidPnSource = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 0u);
}

TEST_F(PresentFlags, RestrictVidPnSource_WithoutACopy_ContradictsItself) {
  EXPECT_EQ(PresentWith([](auto& flags) {
              flags.Blt = 0;
              flags.ColorFill = flags.RestrictVidPnSource = 1;
            }),
            STATUS_INVALID_PARAMETER);
}

TEST_F(PresentFlags, PresentCountValid_WithoutAFlip_ContradictsItself) {
  EXPECT_EQ(PresentWith([](auto& flags) { flags.PresentCountValid = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 0u);
}

TEST_F(PresentFlags, CrossAdapter_NeedsACrossAdapterResource) {
  EXPECT_EQ(PresentWith([](auto& flags) { flags.CrossAdapter = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 0u);
  D3DDDI_ALLOCATIONINFO2 info{};
  D3DKMT_CREATEALLOCATION create = Allocation(info);
  create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  destination_ = info.hAllocation;
  EXPECT_EQ(PresentWith([](auto& flags) { flags.CrossAdapter = 1; }), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 1u);
}

}  // namespace
}  // namespace tandem::kernel
