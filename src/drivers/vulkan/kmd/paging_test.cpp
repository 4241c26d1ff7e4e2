// Memory that moves, backing stores that are shared, and surfaces that the kernel makes by itself.
#include <gtest/gtest.h>

#include <cstring>

#include "color/format.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/testing/application.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::uint32_t kImageWidth = 100;
constexpr std::uint32_t kImageHeight = 60;

class PagingTest : public ::testing::TestWithParam<Icd> {
 protected:
  void SetUp() override {
    std::string why_not;
    application_ = Application::Create(GetParam(), why_not);
    if (application_ == nullptr) GTEST_SKIP() << why_not;
    description_.borrowed = application_->Borrow();
    kernel_ = FakeKernel::Start(description_, Pages::kMemfd);
    ASSERT_NE(kernel_, nullptr);
  }
  void TearDown() override {
    kernel_.reset();
    if (application_ == nullptr) return;
    for (const std::string& message : application_->messages()) ADD_FAILURE() << message;
  }

  std::unique_ptr<TestResource> Make(AllocationKind kind, std::uint32_t flags = 0) {
    auto data = DescribeSurface(kind, kImageWidth, kImageHeight, color::Format::kB8G8R8A8Unorm, 0);
    data->flags = flags;
    return kernel_->CreateRaw(*data);
  }
  static void Paint(std::byte* pages, const AllocationData& data, std::uint32_t seed) {
    for (std::uint64_t i = 0; i < data.size; ++i) pages[i] = static_cast<std::byte>((i * 7 + seed) >> 3);
  }
  // Copies the surface into one that the test sees and compares every pixel with what Paint made.
  bool Holds(TestResource& surface, std::uint32_t seed) {
    auto visible = Make(AllocationKind::kLinear);
    DXGKARG_PRESENT args{};
    args.Flags.Blt = 1;
    args.SrcRect = args.DstRect = {0, 0, kImageWidth, kImageHeight};
    EXPECT_TRUE(kernel_->WaitFence(kernel_->Present(&surface, *visible, args)));
    std::vector<std::byte> expected(surface.data.size);
    Paint(expected.data(), surface.data, seed);
    bool same = true;
    for (std::uint32_t y = 0; y < kImageHeight; ++y) {
      const std::size_t at = std::size_t{y} * surface.data.pitch;
      same = same && std::memcmp(expected.data() + at, visible->pages + at, kImageWidth * 4) == 0;
    }
    kernel_->Destroy(std::move(visible));
    return same;
  }

  std::unique_ptr<Application> application_;
  DeviceDescription description_;
  std::unique_ptr<FakeKernel> kernel_;
};

TEST_P(PagingTest, Transfer_InOutAndElsewhere_KeepsThePicture) {
  auto surface = Make(AllocationKind::kLocal);
  ASSERT_NE(surface, nullptr);
  Paint(surface->pages, surface->data, 5);
  kernel_->Move(*surface, kMemoryBase + 0x10000);
  std::memset(surface->pages, 0, surface->data.size);
  EXPECT_TRUE(Holds(*surface, 5));
  kernel_->Move(*surface, kMemoryBase + 0x200000);  // within the segment
  EXPECT_TRUE(Holds(*surface, 5));
  kernel_->Move(*surface, 0);
  std::vector<std::byte> expected(surface->data.size);
  Paint(expected.data(), surface->data, 5);
  EXPECT_EQ(std::memcmp(expected.data(), surface->pages, expected.size()), 0);
  kernel_->MapAperture(*surface, surface->data.size / PAGE_SIZE);
  EXPECT_TRUE(Holds(*surface, 5));
  kernel_->UnmapAperture(*surface);
  kernel_->Destroy(std::move(surface));
}

TEST_P(PagingTest, MapAperture_InPieces_IsOneSurface) {
  auto surface = Make(AllocationKind::kLocal);
  Paint(surface->pages, surface->data, 9);
  kernel_->MapAperture(*surface, 2);
  EXPECT_TRUE(Holds(*surface, 9));
  // Written by the device, seen in the pages.
  auto other = Make(AllocationKind::kLinear);
  Paint(other->pages, other->data, 77);
  DXGKARG_PRESENT args{};
  args.Flags.Blt = 1;
  args.SrcRect = args.DstRect = {0, 0, kImageWidth, kImageHeight};
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(other.get(), *surface, args)));
  EXPECT_EQ(std::memcmp(other->pages, surface->pages, kImageWidth * 4), 0);
  kernel_->Destroy(std::move(other));
  kernel_->Destroy(std::move(surface));
}

TEST_P(PagingTest, Fill_OfLocalMemory_WritesThePattern) {
  auto surface = Make(AllocationKind::kLocal);
  kernel_->Move(*surface, kMemoryBase);
  DXGKARG_BUILDPAGINGBUFFER paging{};
  paging.Operation = DXGK_OPERATION_FILL;
  paging.Fill.FillSize = surface->data.size;
  paging.Fill.FillPattern = 0xA1B2C3D4;
  paging.Fill.Destination.SegmentId = kMemorySegment;
  paging.Fill.Destination.SegmentAddress.QuadPart = kMemoryBase;
  ASSERT_EQ(kernel_->Page(paging), STATUS_SUCCESS);
  kernel_->Move(*surface, 0);
  for (std::uint64_t i = 0; i < surface->data.size; i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, surface->pages + i, sizeof(word));
    ASSERT_EQ(word, 0xA1B2C3D4) << i;
  }
  kernel_->Destroy(std::move(surface));
}

TEST_P(PagingTest, BuildPagingBuffer_WithoutRoomOrWork_AnswersSo) {
  std::array<std::byte, 16> room{};
  DXGKARG_BUILDPAGINGBUFFER paging{};
  paging.pDmaBuffer = room.data();
  paging.DmaSize = room.size();
  paging.Operation = DXGK_OPERATION_FILL;
  paging.Fill.FillSize = 4096;
  paging.Fill.Destination.SegmentId = kMemorySegment;
  EXPECT_EQ(kernel_->ddi().DxgkDdiBuildPagingBuffer(kernel_->adapter(), &paging), STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  EXPECT_EQ(paging.pDmaBuffer, room.data());
  paging.Operation = DXGK_OPERATION_TRANSFER;
  paging.Transfer = {};  // TransferSize 0: an eviction after a reset
  EXPECT_EQ(kernel_->ddi().DxgkDdiBuildPagingBuffer(kernel_->adapter(), &paging), STATUS_SUCCESS);
  for (const auto operation :
       {DXGK_OPERATION_DISCARD_CONTENT, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER, DXGK_OPERATION_NOTIFY_RESIDENCY}) {
    paging.Operation = operation;
    EXPECT_EQ(kernel_->ddi().DxgkDdiBuildPagingBuffer(kernel_->adapter(), &paging), STATUS_SUCCESS);
    EXPECT_EQ(paging.pDmaBuffer, room.data());
  }
}

TEST_P(PagingTest, SharedBackingStore_OnlyWithTheFeature_IsTheSameBytes) {
  EXPECT_EQ(Make(AllocationKind::kLinear, kShareBackingStore), nullptr);
  EXPECT_EQ(kernel_->last_status(), STATUS_NOT_SUPPORTED);
  kernel_->share_backing_stores = true;
  EXPECT_EQ(Make(AllocationKind::kLocal, kShareBackingStore), nullptr);
  EXPECT_EQ(kernel_->last_status(), STATUS_INVALID_PARAMETER);
  auto surface = Make(AllocationKind::kLinear, kShareBackingStore);
  ASSERT_NE(surface, nullptr);
  const auto* allocation = reinterpret_cast<const Allocation*>(static_cast<std::uintptr_t>(surface->data.object));
  ASSERT_NE(allocation->backing_store(), nullptr);
  DXGKARG_PRESENT args{};
  args.Flags.ColorFill = 1;
  args.Color = 0xFF123456;
  args.DstRect = {0, 0, kImageWidth, kImageHeight};
  ASSERT_TRUE(kernel_->WaitFence(kernel_->Present(nullptr, *surface, args)));
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, allocation->backing_store(), sizeof(pixel));
  EXPECT_EQ(pixel, 0xFF123456);
  kernel_->Destroy(std::move(surface));
}

TEST_P(PagingTest, StandardAllocations_EachType_IsDescribedOrRefused) {
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  AllocationData data;
  args.pAllocationPrivateDriverData = &data;
  args.AllocationPrivateDriverDataSize = sizeof(data);
  const auto ask = [&] { return kernel_->ddi().DxgkDdiGetStandardAllocationDriverData(kernel_->adapter(), &args); };

  D3DKMDT_SHADOWSURFACEDATA shadow{};
  shadow.Width = kImageWidth;
  shadow.Height = kImageHeight;
  shadow.Format = D3DDDIFMT_A8R8G8B8;
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE;
  args.pCreateShadowSurfaceData = &shadow;
  ASSERT_EQ(ask(), STATUS_SUCCESS);
  EXPECT_EQ(shadow.Pitch, 512u);
  EXPECT_EQ(data.kind, AllocationKind::kLinear);

  D3DKMDT_STAGINGSURFACEDATA staging{};
  staging.Width = kImageWidth;
  staging.Height = kImageHeight;
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE;
  args.pCreateStagingSurfaceData = &staging;
  ASSERT_EQ(ask(), STATUS_SUCCESS);
  EXPECT_EQ(staging.Pitch, 512u);

  D3DKMDT_SHAREDPRIMARYSURFACEDATA primary{};
  primary.Width = kImageWidth;
  primary.Height = kImageHeight;
  primary.Format = D3DDDIFMT_A8R8G8B8;
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE;
  args.pCreateSharedPrimarySurfaceData = &primary;
  EXPECT_EQ(ask(), STATUS_INVALID_PARAMETER);  // an adapter without sources

  D3DKMDT_GDISURFACEDATA gdi{};
  gdi.Width = kImageWidth;
  gdi.Height = kImageHeight;
  gdi.Format = D3DDDIFMT_A8R8G8B8;
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  args.pCreateGdiSurfaceData = &gdi;
  for (const auto type : {D3DKMDT_GDISURFACE_TEXTURE, D3DKMDT_GDISURFACE_STAGING, D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE,
                          D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE, D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER,
                          D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER}) {
    gdi.Type = type;
    gdi.Pitch = 0;
    ASSERT_EQ(ask(), STATUS_SUCCESS) << type;
    EXPECT_EQ(data.kind, type == D3DKMDT_GDISURFACE_TEXTURE ? AllocationKind::kLocal : AllocationKind::kLinear);
    EXPECT_EQ(gdi.Pitch, 512u);
  }
  gdi.Type = D3DKMDT_GDISURFACE_LOOKUPTABLE;
  EXPECT_EQ(ask(), STATUS_NOT_SUPPORTED);
  args.AllocationPrivateDriverDataSize = 8;
  gdi.Type = D3DKMDT_GDISURFACE_TEXTURE;
  EXPECT_EQ(ask(), STATUS_BUFFER_TOO_SMALL);
}

INSTANTIATE_TEST_SUITE_P(Drivers, PagingTest, ::testing::Values(Icd::kLavapipe, Icd::kSwiftShader),
                         [](const auto& p) { return p.param == Icd::kLavapipe ? "Lavapipe" : "SwiftShader"; });

}  // namespace
}  // namespace tandem::vulkan::testing
