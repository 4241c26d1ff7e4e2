// Adapters that are tagged as no graphics adapters: no program comes across them, and a LUID opens them.
#include <gtest/gtest.h>

#include <vector>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class Visibility : public KernelFixture {
 protected:
  void PlugAs(AdapterVisibility visibility) {
    auto kernel = Kernel::Create(*clock_, tdr_);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    kernel_ = *std::move(kernel);
    auto driver = kernel_->LoadDriver(FakeMiniport::Entry(), "fake");
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    auto luid = kernel_->AddAdapter(**driver, nullptr, "fake0", visibility);
    ASSERT_TRUE(luid.ok()) << luid.error().message;
    luid_ = *luid;
  }
  [[nodiscard]] D3DKMT_HANDLE OpenByLuid() const {
    D3DKMT_OPENADAPTERFROMLUID open{luid_, 0};
    return D3DKMTOpenAdapterFromLuid(&open) == STATUS_SUCCESS ? open.hAdapter : 0;
  }
};

// The adapters that each enumeration finds, opened and closed.
std::vector<ULONG> Enumerated() {
  std::vector<D3DKMT_ADAPTERINFO> infos(4);
  D3DKMT_ENUMADAPTERS2 second{static_cast<ULONG>(infos.size()), infos.data()};
  EXPECT_EQ(D3DKMTEnumAdapters2(&second), STATUS_SUCCESS);
  D3DKMT_ENUMADAPTERS3 third{};
  third.Filter.IncludeComputeOnly = 1;
  third.Filter.IncludeDisplayOnly = 1;
  EXPECT_EQ(D3DKMTEnumAdapters3(&third), STATUS_SUCCESS);
  for (ULONG i = 0; i < second.NumAdapters; ++i) {
    const D3DKMT_CLOSEADAPTER close{infos[i].hAdapter};
    EXPECT_EQ(D3DKMTCloseAdapter(&close), STATUS_SUCCESS);
  }
  return {second.NumAdapters, third.NumAdapters};
}

TEST_F(Visibility, ListedAdapter_IsEnumeratedWithItsSources) {
  PlugAs(AdapterVisibility::kListed);
  EXPECT_EQ(Enumerated(), (std::vector<ULONG>{1, 1}));
  EXPECT_EQ(kernel_->Adapters().at(0).vidpn_sources, 1U);
}

TEST_F(Visibility, HiddenAdapter_IsOpenedByItsLuidAlone) {
  PlugAs(AdapterVisibility::kHidden);
  EXPECT_EQ(Enumerated(), (std::vector<ULONG>{0, 0}));
  adapter_ = OpenByLuid();
  ASSERT_NE(adapter_, 0U);
  EXPECT_EQ(CreateDevice(), STATUS_SUCCESS);
  EXPECT_EQ(CreateContext(), STATUS_SUCCESS);
  D3DKMT_HANDLE allocation = 0;
  EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  EXPECT_EQ(kernel_->Adapters().at(0).visibility, AdapterVisibility::kHidden);
}

// The fake driver reports a source and a target.
TEST_F(Visibility, HiddenAdapter_HasNoSourcesWhateverItsDriverSays) {
  PlugAs(AdapterVisibility::kHidden);
  EXPECT_EQ(kernel_->Adapters().at(0).vidpn_sources, 0U);
  EXPECT_EQ(kernel_->Adapters().at(0).targets, 0U);
  EXPECT_EQ(miniport_.count("DxgkDdiQueryChildRelations"), 0U);
  adapter_ = OpenByLuid();
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  D3DKMT_ADAPTERTYPE type{};
  const D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_ADAPTERTYPE, &type, sizeof(type)};
  ASSERT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(type.RenderSupported, 1U);
  EXPECT_EQ(type.DisplaySupported, 0U);
  D3DKMT_HANDLE primary = 0;
  ASSERT_EQ(CreatePrimary(primary), STATUS_SUCCESS);
  D3DKMT_PRESENT flip{};
  flip.hContext = context_;
  flip.hSource = primary;
  flip.Flags.Flip = 1;
  EXPECT_EQ(D3DKMTPresent(&flip), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiSetVidPnSourceAddress"), 0U);
}

TEST_F(Visibility, EnumAdapters3_WithAReservedBit_IsRefused) {
  PlugAs(AdapterVisibility::kListed);
  D3DKMT_ENUMADAPTERS3 enumerate{};
  enumerate.Filter.Reserved = 1;
  EXPECT_EQ(D3DKMTEnumAdapters3(&enumerate), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(D3DKMTEnumAdapters3(nullptr), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
