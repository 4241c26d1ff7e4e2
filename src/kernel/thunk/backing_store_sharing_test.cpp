// Backing stores that user mode and the driver's kernel-mode half see together.
#include <gtest/gtest.h>

#include <string>

#include "base/memory_map.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

// Calls that the driver got, and its answers.
struct Told {
  HANDLE allocation = nullptr;
  void* backing_store = nullptr;
  int calls = 0;
  NTSTATUS answer = STATUS_SUCCESS;
};
Told told;

class BackingStoreSharing : public KernelFixture {
 protected:
  BackingStoreSharing() {
    told = {};
    miniport_.table.DxgkDdiQueryInterface = nullptr;  // it negotiates by the older callback
    miniport_.table.DxgkDdiSetAllocationBackingStore = [](HANDLE, DXGKARG_SETALLOCATIONBACKINGSTORE* args) {
      told = {args->hDriverAllocation, args->pBackingStore, told.calls + 1, told.answer};
      return told.answer;
    };
    change_info_ = [this](DXGK_ALLOCATIONINFO& info) {
      info.Flags2.ShareBackingStoreWithKmd = 1;
      last_handle_ = info.hAllocation;
      if (break_) break_(info);
    };
  }
  // The driver asks for the feature, as at its start.
  void Negotiate(UINT support) {
    DXGKARGCB_QUERYFEATURESUPPORT query{};
    query.DeviceHandle = miniport_.kernel().DeviceHandle;
    query.FeatureId = DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD;
    query.DriverSupportState = support;
    ASSERT_EQ(miniport_.kernel().DxgkCbQueryFeatureSupport(&query), STATUS_SUCCESS);
  }
  void OpenWithFeature() {
    Open();
    Negotiate(DXGK_FEATURE_SUPPORT_STABLE);
  }
  NTSTATUS CreateShared() {
    D3DDDI_ALLOCATIONINFO2 info{};
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    create.Flags.CreateResource = create.Flags.CreateShared = 1;
    const NTSTATUS status = D3DKMTCreateAllocation2(&create);
    resource_ = create.hResource;
    allocation_ = info.hAllocation;
    return status;
  }

  [[nodiscard]] std::string Violation() const { return *kernel_->Violation(luid_); }

  std::function<void(DXGK_ALLOCATIONINFO&)> break_;
  HANDLE last_handle_ = nullptr;
  D3DKMT_HANDLE resource_ = 0, allocation_ = 0;
};

TEST_F(BackingStoreSharing, Create_TellsTheDriver_WithinTheCreation) {
  OpenWithFeature();
  ASSERT_EQ(CreateShared(), STATUS_SUCCESS);
  EXPECT_EQ(told.calls, 1);
  EXPECT_EQ(told.allocation, last_handle_);
  ASSERT_NE(told.backing_store, nullptr);
  static_cast<volatile char*>(told.backing_store)[5] = 'k';
  D3DKMT_LOCK2 lock{device_, allocation_, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  EXPECT_EQ(static_cast<char*>(lock.pData)[5], 'k');
  static_cast<char*>(lock.pData)[6] = 'u';
  EXPECT_EQ(static_cast<char*>(told.backing_store)[6], 'u');
}

TEST_F(BackingStoreSharing, Driver_AndUserMode_HaveAddressesOfTheirOwn_WhateverPagesOthersImport) {
  OpenWithFeature();
  for (const BackingStoreKind kind : {BackingStoreKind::kMemfd, BackingStoreKind::kAnonymous}) {
    kernel_->SetBackingStorePreference(kind);
    ASSERT_EQ(CreateShared(), STATUS_SUCCESS);
    D3DKMT_LOCK2 lock{device_, allocation_, {}, nullptr};
    ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
    EXPECT_NE(lock.pData, told.backing_store);
    static_cast<volatile char*>(lock.pData)[7] = 'u';
    EXPECT_EQ(static_cast<volatile char*>(told.backing_store)[7], 'u');
  }
}

TEST_F(BackingStoreSharing, MakeResidentAndEvict_KeepTheAddress) {
  OpenWithFeature();
  ASSERT_EQ(CreateShared(), STATUS_SUCCESS);
  D3DKMT_CREATEPAGINGQUEUE queue{};
  queue.hDevice = device_;
  ASSERT_EQ(D3DKMTCreatePagingQueue(&queue), STATUS_SUCCESS);
  D3DDDI_MAKERESIDENT make_resident{};
  make_resident.hPagingQueue = queue.hPagingQueue;
  make_resident.NumAllocations = 1;
  make_resident.AllocationList = &allocation_;
  EXPECT_EQ(D3DKMTMakeResident(&make_resident), STATUS_SUCCESS);
  static_cast<char*>(told.backing_store)[0] = 'x';
  D3DKMT_EVICT evict{};
  evict.hDevice = device_;
  evict.NumAllocations = 1;
  evict.AllocationList = &allocation_;
  EXPECT_EQ(D3DKMTEvict(&evict), STATUS_SUCCESS);
  D3DKMT_LOCK2 lock{device_, allocation_, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  EXPECT_EQ(static_cast<char*>(lock.pData)[0], 'x');
  EXPECT_EQ(told.calls, 1);
}

TEST_F(BackingStoreSharing, Driver_ThatRefusesTheAddress_FailsTheCreation) {
  OpenWithFeature();
  told.answer = STATUS_NO_MEMORY;
  EXPECT_EQ(CreateShared(), STATUS_NO_MEMORY);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiOpenAllocation"), 0u);
}

TEST_F(BackingStoreSharing, NotCreatedShared_IsRefused_AndTheAdapterGoesOn) {
  OpenWithFeature();
  D3DKMT_HANDLE allocation = 0;
  EXPECT_EQ(CreateAllocation(allocation), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(told.calls, 0);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
  EXPECT_EQ(CreateShared(), STATUS_SUCCESS);
}

TEST_F(BackingStoreSharing, ExistingSystemMemory_IsRefused_AndTheAdapterGoesOn) {
  OpenWithFeature();
  const auto pages = MemoryMap::CreateAnonymous(64 * 1024);
  ASSERT_TRUE(pages.ok());
  D3DKMT_CREATESTANDARDALLOCATION standard{};
  standard.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
  standard.ExistingHeapData.Size = pages->size_bytes();
  D3DDDI_ALLOCATIONINFO2 info{};
  info.pSystemMem = pages->data();
  D3DKMT_CREATEALLOCATION create = Allocation(info);
  create.pStandardAllocation = &standard;
  create.Flags.StandardAllocation = create.Flags.ExistingSysMem = 1;
  create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
  EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(told.calls, 0);
  EXPECT_EQ(CreateShared(), STATUS_SUCCESS);
}

TEST_F(BackingStoreSharing, FeatureIsExperimentalOrOff_DriverIsStopped) {
  Open();
  Negotiate(DXGK_FEATURE_SUPPORT_EXPERIMENTAL);
  EXPECT_EQ(CreateShared(), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(told.calls, 0);
}

struct BrokenProperty {
  const char* rule;
  void (*change)(DXGK_ALLOCATIONINFO& info);
};
void PrintTo(const BrokenProperty& property, std::ostream* out) { *out << property.rule; }

class BackingStoreProperties : public BackingStoreSharing, public ::testing::WithParamInterface<BrokenProperty> {};

TEST_P(BackingStoreProperties, OneBroken_IsNamed_AndStopsTheAdapter) {
  break_ = GetParam().change;
  OpenWithFeature();
  EXPECT_EQ(CreateShared(), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(told.calls, 0);
  EXPECT_NE(Violation().find(GetParam().rule), std::string::npos) << Violation();
}
INSTANTIATE_TEST_SUITE_P(All, BackingStoreProperties,
                         ::testing::Values(BrokenProperty{"ShareBackingStoreWithKmd.SegmentSet",
                                                          [](DXGK_ALLOCATIONINFO& answer) {
                                                            answer.SupportedReadSegmentSet = answer.SupportedWriteSegmentSet = 1;
                                                            answer.PreferredSegment.SegmentId0 = 1;
                                                          }},
                                           BrokenProperty{"ShareBackingStoreWithKmd.SegmentSet",
                                                          [](DXGK_ALLOCATIONINFO& answer) {
                                                            answer.SupportedReadSegmentSet = answer.SupportedWriteSegmentSet = 3;
                                                          }},
                                           BrokenProperty{"ShareBackingStoreWithKmd.CpuVisible",
                                                          [](DXGK_ALLOCATIONINFO& answer) { answer.Flags.CpuVisible = 0; }},
                                           BrokenProperty{"ShareBackingStoreWithKmd.ExistingSysMem",
                                                          [](DXGK_ALLOCATIONINFO& answer) { answer.Flags.ExistingSysMem = 1; }}));

TEST_F(BackingStoreSharing, DdiMissing_IsNamed) {
  miniport_.table.DxgkDdiSetAllocationBackingStore = nullptr;
  OpenWithFeature();
  EXPECT_EQ(CreateShared(), STATUS_DEVICE_REMOVED);
  EXPECT_NE(Violation().find("ShareBackingStoreWithKmd.Ddi"), std::string::npos) << Violation();
}

}  // namespace
}  // namespace tandem::kernel
