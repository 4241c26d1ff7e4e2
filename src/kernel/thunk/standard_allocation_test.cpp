// Resources over memory that user mode has already: ExistingSysMem and ExistingSection.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "base/memory_map.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kBytes = 64 * 1024;

class StandardAllocationTest : public KernelFixture {
 protected:
  void SetUp() override {
    miniport_.on_standard_allocation = [this](DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
      asked_type_ = args->StandardAllocationType;
      asked_ = *args->pCreateGdiSurfaceData;
      args->pCreateGdiSurfaceData->Pitch = 0;
      args->AllocationPrivateDriverDataSize = 8;
      return STATUS_SUCCESS;
    };
    miniport_.on_describe_allocation = [](DXGKARG_DESCRIBEALLOCATION* args) {
      args->Width = kBytes;
      args->Height = 1;
      return STATUS_SUCCESS;
    };
    Open();
    auto pages = CreateSharedPages("section", kBytes);
    ASSERT_TRUE(pages.ok());
    section_ = *std::move(pages);
    auto map = MemoryMap::MapShared(section_, 0, kBytes, MapAccess::kReadWrite);
    ASSERT_TRUE(map.ok());
    pages_ = *std::move(map);
    standard_.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
    standard_.ExistingHeapData.Size = kBytes;
  }
  D3DKMT_CREATEALLOCATION FromSysMem() {
    info_ = {};
    info_.pSystemMem = pages_.data();
    D3DKMT_CREATEALLOCATION create = Allocation(info_);
    create.pStandardAllocation = &standard_;
    create.Flags.StandardAllocation = create.Flags.ExistingSysMem = 1;
    create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
    return create;
  }
  NTSTATUS Broken(const std::function<void(D3DKMT_CREATEALLOCATION&)>& change) {
    D3DKMT_CREATEALLOCATION create = FromSysMem();
    change(create);
    return D3DKMTCreateAllocation2(&create);
  }

  UniqueFd section_;
  MemoryMap pages_;
  D3DKMT_CREATESTANDARDALLOCATION standard_{};
  D3DDDI_ALLOCATIONINFO2 info_{};
  D3DKMDT_STANDARDALLOCATION_TYPE asked_type_{};
  D3DKMDT_GDISURFACEDATA asked_{};
};

TEST_F(StandardAllocationTest, ExistingSysMem_IsARowOfBytesToTheDriver_OnTheSamePages) {
  void* mapped = nullptr;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    if (args->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) mapped = MmGetMdlVirtualAddress(args->MapApertureSegment.pMdl);
    return STATUS_SUCCESS;
  };
  D3DKMT_CREATEALLOCATION create = FromSysMem();
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  EXPECT_EQ(asked_type_, D3DKMDT_STANDARDALLOCATION_GDISURFACE);
  EXPECT_EQ(asked_.Type, D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER);
  EXPECT_EQ(asked_.Width, kBytes);
  EXPECT_EQ(asked_.Height, 1u);
  EXPECT_EQ(asked_.Format, D3DDDIFMT_UNKNOWN);
  EXPECT_EQ(mapped, pages_.data());
  D3DKMT_LOCK2 lock{device_, info_.hAllocation, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  EXPECT_EQ(lock.pData, pages_.data());
}

TEST_F(StandardAllocationTest, ExistingSection_SeesTheSectionsBytes) {
  D3DKMT_CREATEALLOCATION create = FromSysMem();
  create.Flags.ExistingSysMem = 0;
  create.Flags.ExistingSection = 1;
  info_.hSection = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(section_.get()));
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  D3DKMT_LOCK2 lock{device_, info_.hAllocation, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  EXPECT_NE(lock.pData, pages_.data());
  pages_.data()[77] = std::byte{9};
  EXPECT_EQ(static_cast<std::byte*>(lock.pData)[77], std::byte{9});
}

// The rules of Windows ask neither for a resource nor for sharing.
TEST_F(StandardAllocationTest, ExistingSysMem_AloneOrAsAResource_IsNotShared) {
  D3DKMT_CREATEALLOCATION alone = FromSysMem();
  alone.Flags.CreateResource = alone.Flags.CreateShared = alone.Flags.CrossAdapter = 0;
  ASSERT_EQ(D3DKMTCreateAllocation2(&alone), STATUS_SUCCESS);
  EXPECT_EQ(alone.hResource, 0u);
  EXPECT_EQ(alone.hGlobalShare, 0u);
  const D3DKMT_HANDLE first = info_.hAllocation;
  D3DKMT_LOCK2 lock{device_, info_.hAllocation, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  EXPECT_EQ(lock.pData, pages_.data());
  EXPECT_EQ(DestroyAllocation(info_.hAllocation), STATUS_SUCCESS);
  EXPECT_EQ(DestroyAllocation(info_.hAllocation), STATUS_INVALID_PARAMETER);

  D3DKMT_CREATEALLOCATION resource = FromSysMem();
  resource.Flags.CreateShared = resource.Flags.CrossAdapter = 0;
  ASSERT_EQ(D3DKMTCreateAllocation2(&resource), STATUS_SUCCESS);
  EXPECT_EQ(resource.hResource, first + 0x40);
  EXPECT_EQ(resource.hGlobalShare, 0u);
  EXPECT_EQ(info_.hAllocation, resource.hResource + 0x40);
}

TEST_F(StandardAllocationTest, SharedWithoutCrossAdapter_TellsItsRuntimeDataToWhoOpensIt) {
  D3DKMT_CREATEALLOCATION create = FromSysMem();
  create.Flags.CrossAdapter = 0;
  constexpr std::array<unsigned char, 4> kRuntimeData{7, 8, 9, 10};
  create.pPrivateRuntimeData = kRuntimeData.data();
  create.PrivateRuntimeDataSize = kRuntimeData.size();
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  EXPECT_EQ(create.hGlobalShare & 0x3F, 2u);
  std::array<unsigned char, 64> read{};
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = device_;
  query.hGlobalShare = create.hResource;
  EXPECT_EQ(D3DKMTQueryResourceInfo(&query), STATUS_INVALID_PARAMETER);
  query.hGlobalShare = create.hGlobalShare;
  query.pPrivateRuntimeData = read.data();
  ASSERT_EQ(D3DKMTQueryResourceInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.PrivateRuntimeDataSize, kRuntimeData.size());
  EXPECT_EQ(query.NumAllocations, 1u);
  EXPECT_EQ(read[0], 0);  // not yet

  std::vector<std::byte> driver_data(query.TotalPrivateDriverDataSize + 16),
      resource_data(query.ResourcePrivateDriverDataSize + 1);
  D3DDDI_OPENALLOCATIONINFO opened{};
  const auto open = [&](int runtime, int resource, int total) {
    D3DKMT_OPENRESOURCE data{};
    data.hDevice = device_;
    data.hGlobalShare = create.hGlobalShare;
    data.NumAllocations = 1;
    data.pOpenAllocationInfo = &opened;
    data.pPrivateRuntimeData = read.data();
    data.PrivateRuntimeDataSize = query.PrivateRuntimeDataSize + static_cast<UINT>(runtime);
    data.pResourcePrivateDriverData = resource_data.data();
    data.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize + static_cast<UINT>(resource);
    data.pTotalPrivateDriverDataBuffer = driver_data.data();
    data.TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize + static_cast<UINT>(total);
    return D3DKMTOpenResource(&data);
  };
  EXPECT_EQ(open(1, 0, 0), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(open(-1, 0, 0), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(open(0, 1, 0), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(open(0, 0, -1), STATUS_NO_MEMORY);
  EXPECT_EQ(open(0, 0, 16), STATUS_SUCCESS);
  EXPECT_TRUE(std::equal(kRuntimeData.begin(), kRuntimeData.end(), read.begin()));
}

TEST_F(StandardAllocationTest, OneRuleBroken_IsRefused_AndNothingIsLeft) {
  EXPECT_EQ(Broken([](auto& c) { c.Flags.StandardAllocation = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([](auto& c) { c.Flags.ExistingSysMem = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([](auto& c) { c.Flags.ExistingSection = 1; }), STATUS_INVALID_PARAMETER);  // both
  EXPECT_EQ(Broken([](auto& c) { c.Flags.CreateShared = 0; }), STATUS_INVALID_PARAMETER_MIX);
  EXPECT_EQ(Broken([](auto& c) { c.Flags.CreateResource = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([](auto& c) { c.PrivateDriverDataSize = 64; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([](auto& c) { c.NumAllocations = 2; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([](auto& c) { c.pStandardAllocation = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([](auto& c) { c.pAllocationInfo2 = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([this](auto& c) { c.hResource = device_; }), STATUS_INVALID_HANDLE);
  EXPECT_EQ(Broken([this](auto&) { info_.pSystemMem = pages_.data() + 16; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Broken([this](auto&) { info_.pSystemMem = nullptr; }), STATUS_INVALID_PARAMETER);
  for (const SIZE_T size : {SIZE_T{0}, SIZE_T{kBytes - 1}, SIZE_T{1} << 40, ~SIZE_T{0} - PAGE_SIZE + 1}) {
    standard_.ExistingHeapData.Size = size;
    EXPECT_EQ(Broken([](auto&) {}), STATUS_INVALID_PARAMETER) << size;
  }
  standard_.ExistingHeapData.Size = kBytes;
  standard_.Type = D3DKMT_STANDARDALLOCATIONTYPE_INTERNALBACKINGSTORE;
  EXPECT_EQ(Broken([](auto&) {}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiCreateAllocation"), 0u);
}

TEST_F(StandardAllocationTest, PagesThatCannotBeWritten_AreRefused) {
  ASSERT_EQ(mprotect(pages_.data() + PAGE_SIZE, PAGE_SIZE, PROT_READ), 0);
  EXPECT_EQ(Broken([](auto&) {}), STATUS_INVALID_PARAMETER);
  const UniqueFd open(memfd_create("can shrink", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(open.get(), kBytes), 0);
  EXPECT_EQ(Broken([&](auto& c) {
              c.Flags.ExistingSysMem = 0;
              c.Flags.ExistingSection = 1;
              info_.hSection = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(open.get()));
            }),
            STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
