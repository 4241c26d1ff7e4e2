// Descriptors of shared resources whose description lies: the caller is refused, and the importer's adapter goes on.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>

#include "base/aligned.h"
#include "base/memory_map.h"
#include "base/unique_fd.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

// The private data of an honest driver: its allocation is as large as its surface.
struct Surface {
  UINT width = 0;
  UINT height = 0;
};

// Offsets of fields in a descriptor's description, in the page behind its pages.
constexpr off_t kWidth = 16, kHeight = 20, kFormat = 24, kPitch = 28, kPrivateData = 2928;

class ForeignShare : public KernelFixture {
 protected:
  ForeignShare() {
    miniport_.on_standard_allocation = [](DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
      auto& gdi = *args->pCreateGdiSurfaceData;
      gdi.Pitch = gdi.Format == D3DDDIFMT_UNKNOWN ? gdi.Width : AlignUp(gdi.Width * 4, 256u);
      const Surface surface{gdi.Width, gdi.Height};
      if (args->pAllocationPrivateDriverData != nullptr)
        std::memcpy(args->pAllocationPrivateDriverData, &surface, sizeof(surface));
      args->AllocationPrivateDriverDataSize = sizeof(surface);
      return STATUS_SUCCESS;
    };
    miniport_.on_create_allocation = [this](DXGKARG_CREATEALLOCATION* args) {
      DXGK_ALLOCATIONINFO& info = args->pAllocationInfo[0];
      Surface surface;
      std::memcpy(&surface, info.pPrivateDriverData, sizeof(surface));
      FillAllocationInfo(info, segment_);
      info.Size = SIZE_T{AlignUp(surface.width * 4, 256u)} * AlignUp(surface.height, 4u);
      return STATUS_SUCCESS;
    };
  }
  void SetUp() override { Open(); }

  // A descriptor of a 64 x 32 surface, which is the adapter's own until the caller of `Open` is told otherwise.
  UniqueFd Share(bool cross_adapter) {
    Surface surface{64, 32};
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = &surface;
    info.PrivateDriverDataSize = sizeof(surface);
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.NtSecuritySharing = 1;
    create.Flags.CrossAdapter = cross_adapter ? 1 : 0;
    EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
    HANDLE shared = nullptr;
    EXPECT_EQ(D3DKMTShareObjects(1, &create.hResource, nullptr, 0, &shared), STATUS_SUCCESS);
    return UniqueFd(static_cast<int>(reinterpret_cast<std::intptr_t>(shared)));
  }
  static void Lie(const UniqueFd& fd, off_t place, UINT value) {
    const off_t description = lseek(fd.get(), 0, SEEK_END) - static_cast<off_t>(PageSize());
    ASSERT_EQ(pwrite(fd.get(), &value, sizeof(value), description + place), static_cast<ssize_t>(sizeof(value)));
  }
  // The descriptor of a surface becomes one of a row of bytes.
  static void LieOfARow(const UniqueFd& fd, UINT width) {
    Lie(fd, kFormat, D3DDDIFMT_UNKNOWN);
    Lie(fd, kWidth, width);
    Lie(fd, kHeight, 1);
    Lie(fd, kPitch, 0);
  }
  NTSTATUS OpenShared(const UniqueFd& fd) {
    char total[64];
    D3DDDI_OPENALLOCATIONINFO2 info{};
    D3DKMT_OPENRESOURCEFROMNTHANDLE open{};
    open.hDevice = device_;
    open.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd.get()));
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &info;
    open.pTotalPrivateDriverDataBuffer = total;
    open.TotalPrivateDriverDataBufferSize = sizeof(total);
    return D3DKMTOpenResourceFromNtHandle(&open);
  }
  void ExpectAdapterGoesOn(const UniqueFd& good) {
    EXPECT_EQ(*kernel_->Violation(luid_), "");
    EXPECT_EQ(OpenShared(good), STATUS_SUCCESS);
  }
};

TEST_F(ForeignShare, Surface_WithMoreRowsThanItsPagesHold_IsTheCallersFault) {
  const UniqueFd good = Share(true), bad = Share(true);
  Lie(bad, kHeight, 4096);
  EXPECT_EQ(OpenShared(bad), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiCreateAllocation"), 2u) << "No driver hears of rows that are not there.";
  ExpectAdapterGoesOn(good);
}

TEST_F(ForeignShare, Surface_WhoseDriverAsksForMoreThanItsPages_IsTheCallersFault) {
  const UniqueFd good = Share(true), bad = Share(true);
  Lie(bad, kPitch, 0);
  Lie(bad, kWidth, 16384);
  EXPECT_EQ(OpenShared(bad), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u) << "The driver's allocation goes.";
  ExpectAdapterGoesOn(good);
}

TEST_F(ForeignShare, RowOfBytes_HasNoPitch_SoItsDriverBreaksNoRule) {
  const UniqueFd good = Share(true), row = Share(true);
  LieOfARow(row, 100);
  EXPECT_EQ(OpenShared(row), STATUS_SUCCESS);
  ExpectAdapterGoesOn(good);
}

TEST_F(ForeignShare, RowOfBytes_WiderThanItsPages_OrOfTwoRows_IsTheCallersFault) {
  const UniqueFd good = Share(true), wide = Share(true), two = Share(true);
  LieOfARow(wide, 12304);
  LieOfARow(two, 64);
  Lie(two, kHeight, 2);
  EXPECT_EQ(OpenShared(wide), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(OpenShared(two), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiCreateAllocation"), 3u) << "No driver hears of rows that are not there.";
  ExpectAdapterGoesOn(good);
}

TEST_F(ForeignShare, PrivateData_OfALargerAllocation_AreTheCallersFault) {
  const UniqueFd good = Share(false), bad = Share(false);
  Lie(bad, kPrivateData, 16384);
  EXPECT_EQ(OpenShared(bad), STATUS_INVALID_PARAMETER);
  ExpectAdapterGoesOn(good);
}

TEST_F(ForeignShare, PrivateData_OfAnAllocationInAMemorySegment_AreTheCallersFault) {
  const UniqueFd good = Share(false);
  segment_ = 1;
  EXPECT_EQ(OpenShared(good), STATUS_INVALID_PARAMETER);
  segment_ = 2;
  ExpectAdapterGoesOn(good);
}

TEST_F(ForeignShare, OwnPages_OfWhichADriverWantsMore_AreTheDriversFault) {
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
  EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_DEVICE_REMOVED) << "Four bytes a pixel of a row of bytes.";
  EXPECT_NE(kernel_->Violation(luid_)->find("CrossAdapterAllocation.Size"), std::string::npos);
}

}  // namespace
}  // namespace tandem::kernel
