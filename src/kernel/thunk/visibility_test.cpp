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

void Close(const std::vector<D3DKMT_ADAPTERINFO>& infos, ULONG count) {
  for (ULONG i = 0; i < count; ++i) {
    const D3DKMT_CLOSEADAPTER close{infos[i].hAdapter};
    EXPECT_EQ(D3DKMTCloseAdapter(&close), STATUS_SUCCESS);
  }
}

// The adapters that D3DKMTEnumAdapters3 finds: bit 0 asks for compute-only ones, bit 1 for display-only ones.
ULONG EnumeratedBy(ULONGLONG filter) {
  std::vector<D3DKMT_ADAPTERINFO> infos(4);
  D3DKMT_ENUMADAPTERS3 data{{}, static_cast<ULONG>(infos.size()), infos.data()};
  data.Filter.Value = filter;
  EXPECT_EQ(D3DKMTEnumAdapters3(&data), STATUS_SUCCESS);
  Close(infos, data.NumAdapters);
  return data.NumAdapters;
}

// The adapters that each enumeration finds, opened and closed.
std::vector<ULONG> Enumerated() {
  std::vector<D3DKMT_ADAPTERINFO> infos(4);
  D3DKMT_ENUMADAPTERS2 second{static_cast<ULONG>(infos.size()), infos.data()};
  EXPECT_EQ(D3DKMTEnumAdapters2(&second), STATUS_SUCCESS);
  Close(infos, second.NumAdapters);
  return {second.NumAdapters, EnumeratedBy(3)};
}

TEST_F(Visibility, ListedAdapter_IsEnumeratedWithItsSources) {
  PlugAs(AdapterVisibility::kListed);
  EXPECT_EQ(Enumerated(), (std::vector<ULONG>{1, 1}));
  EXPECT_EQ(kernel_->Adapters().at(0).vidpn_sources, 1U);
}

TEST_F(Visibility, ComputeOnlyAdapter_IsEnumeratedByThoseWhoAskForIt) {
  miniport_.caps.MiscCaps.ComputeOnly = 1;
  PlugAs(AdapterVisibility::kListed);
  EXPECT_EQ(Enumerated(), (std::vector<ULONG>{1, 1}));
  EXPECT_EQ(EnumeratedBy(1), 1U);
  EXPECT_EQ(EnumeratedBy(2), 0U);
  EXPECT_EQ(EnumeratedBy(0), 0U);
  adapter_ = OpenByLuid();
  D3DKMT_ADAPTERTYPE type{};
  const D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_ADAPTERTYPE, &type, sizeof(type)};
  ASSERT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(type.ComputeOnly, 1U);
}

// A driver that only computes may have neither function: a present is refused, and a timeout is measured by interrupts.
TEST_F(Visibility, ComputeOnlyAdapter_WithoutPresentAndQueryCurrentFence_Works) {
  miniport_.caps.MiscCaps.ComputeOnly = 1;
  miniport_.caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
  miniport_.table.DxgkDdiPresent = nullptr;
  miniport_.table.DxgkDdiQueryCurrentFence = nullptr;
  PlugAs(AdapterVisibility::kListed);
  adapter_ = OpenByLuid();
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  D3DKMT_HANDLE source = 0;
  D3DKMT_HANDLE destination = 0;
  ASSERT_EQ(CreateAllocation(source), STATUS_SUCCESS);
  ASSERT_EQ(CreateAllocation(destination), STATUS_SUCCESS);
  D3DKMT_PRESENT present = Copy(source, destination);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_NOT_SUPPORTED);
  EXPECT_FALSE(kernel_->QueryFence(luid_, 0).ok());
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
