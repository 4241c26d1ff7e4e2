// A device that is gone: its driver hears of that before it is stopped, if it says that it wants to.
#include <gtest/gtest.h>

#include <vector>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

std::vector<DXGK_SURPRISE_REMOVAL_TYPE> told;
bool stopped_before = false;

class SurpriseRemoval : public KernelFixture {
 protected:
  SurpriseRemoval() {
    told.clear();
    stopped_before = false;
    miniport_.table.DxgkDdiNotifySurpriseRemoval = [](PVOID context, DXGK_SURPRISE_REMOVAL_TYPE type) {
      told.push_back(type);
      stopped_before = static_cast<FakeMiniport*>(context)->count("DxgkDdiStopDevice") != 0;
      return NTSTATUS{STATUS_SUCCESS};
    };
  }
};

TEST_F(SurpriseRemoval, DriverThatDeclaresIt_HearsBeforeItIsStopped) {
  miniport_.caps.SupportSurpriseRemoval = TRUE;
  Open();
  ASSERT_TRUE(kernel_->SurpriseRemoveAdapter(luid_).ok());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0], DxgkRemovalPnPNotify);
  EXPECT_FALSE(stopped_before);
  EXPECT_EQ(miniport_.count("DxgkDdiStopDevice"), 1u);
  EXPECT_EQ(kernel_->SurpriseRemoveAdapter(luid_).error().kind, ErrorKind::kNotFound);
}

TEST_F(SurpriseRemoval, DriverThatDoesNot_IsOnlyStopped) {
  Open();
  ASSERT_TRUE(kernel_->SurpriseRemoveAdapter(luid_).ok());
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(miniport_.count("DxgkDdiStopDevice"), 1u);
}

}  // namespace
}  // namespace tandem::kernel
