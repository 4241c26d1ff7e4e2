#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/processor/user_commands.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "link/surface/link_surface.h"

namespace tandem::soft {
namespace {

using namespace processor;

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::Pages;

constexpr auto kBgra = color::Format::kB8G8R8A8Unorm;

class PresentTest : public ::testing::Test {
 protected:
  PresentTest() : kernel_(description_) {}

  FakeAllocation Surface(std::uint32_t width, std::uint32_t height, std::uint32_t flags, color::Format format = kBgra) {
    return kernel_.Allocate(*DescribeSurface(width, height, format, flags, 0), Pages::kAnonymous);
  }
  static std::uint32_t& Pixel(const FakeAllocation& surface, std::uint32_t x, std::uint32_t y) {
    return *reinterpret_cast<std::uint32_t*>(surface.cpu + std::size_t{y} * surface.data.pitch + std::size_t{x} * 4);
  }
  static void Paint(const FakeAllocation& surface, std::uint32_t seed) {
    for (std::uint32_t y = 0; y < surface.data.height; ++y) {
      for (std::uint32_t x = 0; x < surface.data.width; ++x) Pixel(surface, x, y) = seed + y * 1000 + x;
    }
  }
  static DXGKARG_PRESENT Blt(const RECT& source, const RECT& destination, const std::vector<RECT>& rects) {
    DXGKARG_PRESENT present{};
    present.Flags.Blt = 1;
    present.SrcRect = source;
    present.DstRect = destination;
    present.SubRectCnt = static_cast<UINT>(rects.size());
    present.pDstSubRects = rects.data();
    return present;
  }

  DeviceDescription description_{3, 16 << 20, 64 << 20, nullptr};
  FakeKernel kernel_;
  std::uint32_t passes_ = 0;
};

TEST_F(PresentTest, Blt_WholeSurface_CopiesEveryPixel) {
  const auto source = Surface(67, 33, 0);
  const auto destination = Surface(67, 33, kAllocationCrossAdapter);
  Paint(source, 0x01000000);
  const RECT whole{0, 0, 67, 33};
  const std::vector<RECT> rects{whole};
  ASSERT_EQ(kernel_.Present(&source, &destination, Blt(whole, whole, rects), 4096, &passes_), STATUS_SUCCESS);
  for (std::uint32_t y = 0; y < 33; ++y) {
    for (std::uint32_t x = 0; x < 67; ++x) ASSERT_EQ(Pixel(destination, x, y), 0x01000000 + y * 1000 + x);
  }
  EXPECT_EQ(passes_, 1U);
}

TEST_F(PresentTest, Blt_SubRectsPastDmaBuffer_ResumesAtMultipassOffset) {
  const auto source = Surface(64, 64, 0);
  const auto destination = Surface(64, 64, 0);
  Paint(source, 0);
  Paint(destination, 0x80000000);
  std::vector<RECT> rects;
  for (LONG i = 0; i < 32; ++i) rects.push_back({i, 2 * i, i + 1, 2 * i + 1});
  const RECT whole{0, 0, 64, 64};
  // Room for three copies of 40 bytes.
  ASSERT_EQ(kernel_.Present(&source, &destination, Blt(whole, whole, rects), 128, &passes_), STATUS_SUCCESS);
  EXPECT_EQ(passes_, 11U);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(Pixel(destination, i, 2 * i), 2 * i * 1000 + i);
    EXPECT_EQ(Pixel(destination, i + 1, 2 * i), 0x80000000 + 2 * i * 1000 + i + 1);
  }
}

TEST_F(PresentTest, Blt_ShiftedSource_KeepsTheOffset) {
  const auto source = Surface(64, 64, 0);
  const auto destination = Surface(64, 64, 0);
  Paint(source, 0);
  const std::vector<RECT> rects{{20, 30, 24, 34}};
  ASSERT_EQ(kernel_.Present(&source, &destination, Blt({0, 0, 32, 32}, {10, 10, 42, 42}, rects), 4096, &passes_), STATUS_SUCCESS);
  EXPECT_EQ(Pixel(destination, 20, 30), 20U * 1000 + 10);
}

TEST_F(PresentTest, Blt_BadArguments_AreNamed) {
  const auto a = Surface(64, 64, 0);
  const auto b = Surface(64, 64, 0);
  const auto linear = Surface(64, 64, 0, color::Format::kR16G16B16A16Float);
  const auto heap = kernel_.Allocate(*DescribeHeap(4096), Pages::kAnonymous);
  const RECT whole{0, 0, 64, 64};
  const std::vector<RECT> rects{whole};
  EXPECT_EQ(kernel_.Present(&a, &heap, Blt(whole, whole, rects), 4096, &passes_), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  DXGKARG_PRESENT curve = Blt(whole, whole, rects);
  curve.Flags.LinearToSrgb = 1;
  EXPECT_EQ(kernel_.Present(&a, &linear, curve, 4096, &passes_), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  EXPECT_EQ(kernel_.Present(nullptr, &b, Blt(whole, whole, rects), 4096, &passes_), STATUS_INVALID_HANDLE);
  const std::vector<RECT> outside{{0, 0, 65, 64}};
  EXPECT_EQ(kernel_.Present(&a, &b, Blt(whole, whole, outside), 4096, &passes_), STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_EQ(kernel_.Present(&a, &b, Blt({1, 0, 65, 64}, whole, rects), 4096, &passes_), STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_EQ(kernel_.Present(&a, &b, Blt(whole, {0, 0, 0, 64}, rects), 4096, &passes_), STATUS_PRIVILEGED_INSTRUCTION);
  EXPECT_EQ(kernel_.Present(&a, &b, Blt(whole, {0, 0, 32, 64}, rects), 4096, &passes_), STATUS_PRIVILEGED_INSTRUCTION);
}

TEST_F(PresentTest, ColorFill_EachFormat_WritesTheColour) {
  DXGKARG_PRESENT fill{};
  fill.Flags.ColorFill = 1;
  fill.Color = 0xFF336699;
  fill.DstRect = {0, 0, 8, 8};
  const std::vector<RECT> rects{{2, 3, 5, 6}};
  fill.SubRectCnt = 1;
  fill.pDstSubRects = rects.data();
  const auto bgra = Surface(8, 8, 0);
  ASSERT_EQ(kernel_.Present(nullptr, &bgra, fill, 4096, &passes_), STATUS_SUCCESS);
  EXPECT_EQ(Pixel(bgra, 2, 3), 0xFF336699);
  EXPECT_EQ(Pixel(bgra, 4, 5), 0xFF336699);
  EXPECT_EQ(Pixel(bgra, 5, 5), 0U);
  const auto rgba = Surface(8, 8, 0, color::Format::kR8G8B8A8Unorm);
  ASSERT_EQ(kernel_.Present(nullptr, &rgba, fill, 4096, &passes_), STATUS_SUCCESS);
  EXPECT_EQ(Pixel(rgba, 2, 3), 0xFF996633);
}

TEST_F(PresentTest, Blt_PrePatched_NeedsNoPatch) {
  const auto source = Surface(16, 16, 0);
  const auto destination = Surface(16, 16, 0);
  Paint(source, 5);
  DXGK_ALLOCATIONLIST list[] = {{}, FakeKernel::Entry(&source, true, false), FakeKernel::Entry(&destination, true, true)};
  alignas(8) std::byte buffer[256];
  D3DDDI_PATCHLOCATIONLIST patches[8];
  const RECT whole{0, 0, 16, 16};
  const std::vector<RECT> rects{whole};
  DXGKARG_PRESENT present = Blt(whole, whole, rects);
  present.pAllocationList = list;
  present.pDmaBuffer = buffer;
  present.DmaSize = sizeof(buffer);
  present.pPatchLocationListOut = patches;
  present.PatchLocationListOutSize = 8;
  ASSERT_EQ(kernel_.ddi().DxgkDdiPresent(kernel_.context(), &present), STATUS_SUCCESS);
  EXPECT_EQ(present.pPatchLocationListOut - patches, 2);
  const auto bytes = static_cast<std::uint32_t>(static_cast<std::byte*>(present.pDmaBuffer) - buffer);
  ASSERT_EQ(kernel_.Submit(0, buffer, bytes, false), DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_EQ(Pixel(destination, 15, 15), 5U + 15 * 1000 + 15);
}

TEST_F(PresentTest, Paging_TransferAndFill_MoveBytes) {
  const auto local = Surface(64, 64, 0);
  auto pages = *MemoryMap::CreateAnonymous(local.data.size);
  std::memset(pages.data(), 0x5A, pages.size_bytes());
  MDL mdl{};
  mdl.StartVa = pages.data();
  mdl.ByteCount = static_cast<ULONG>(pages.size_bytes());
  DXGKARG_BUILDPAGINGBUFFER in{};
  in.Operation = DXGK_OPERATION_TRANSFER;
  in.Transfer.TransferSize = local.data.size;
  in.Transfer.Source.pMdl = &mdl;
  in.Transfer.Destination.SegmentId = local.segment;
  in.Transfer.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(local.address);
  ASSERT_EQ(kernel_.Page(in), STATUS_SUCCESS);
  EXPECT_EQ(Pixel(local, 63, 63), 0x5A5A5A5AU);

  DXGKARG_BUILDPAGINGBUFFER fill{};
  fill.Operation = DXGK_OPERATION_FILL;
  fill.Fill.FillSize = local.data.size;
  fill.Fill.FillPattern = 0x12345678;
  fill.Fill.Destination.SegmentId = local.segment;
  fill.Fill.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(local.address);
  ASSERT_EQ(kernel_.Page(fill), STATUS_SUCCESS);
  EXPECT_EQ(Pixel(local, 0, 0), 0x12345678U);
  EXPECT_EQ(Pixel(local, 63, 63), 0x12345678U);
}

template <class Command>
std::vector<std::byte> Bytes(const Command& command) {
  std::vector<std::byte> bytes(sizeof(command));
  std::memcpy(bytes.data(), &command, sizeof(command));
  return bytes;
}

TEST_F(PresentTest, Render_FillThenCopy_Draws) {
  const auto a = Surface(32, 32, 0);
  const auto b = Surface(32, 32, 0);
  UserFill fill;
  fill.rect = {4, 4, 8, 8};
  fill.value = 0xAABBCCDD;
  UserCopy copy;
  copy.source = 0;
  copy.destination = 1;
  copy.source_left = 4;
  copy.source_top = 4;
  copy.rect = {0, 0, 4, 4};
  auto commands = Bytes(fill);
  const auto more = Bytes(copy);
  commands.insert(commands.end(), more.begin(), more.end());
  ASSERT_EQ(kernel_.Render(commands, {FakeKernel::Entry(&a, true, true), FakeKernel::Entry(&b, true, true)}), STATUS_SUCCESS);
  EXPECT_EQ(Pixel(b, 3, 3), 0xAABBCCDDU);
  EXPECT_EQ(Pixel(b, 4, 4), 0U);
}

TEST_F(PresentTest, Render_EachBrokenField_IsRefused) {
  const auto a = Surface(32, 32, 0);
  const std::vector<DXGK_ALLOCATIONLIST> writable{FakeKernel::Entry(&a, true, true)};
  const std::vector<DXGK_ALLOCATIONLIST> readable{FakeKernel::Entry(&a, true, false)};
  const auto render = [&](auto change) {
    UserFill fill;
    fill.rect = {0, 0, 32, 32};
    change(fill);
    return kernel_.Render(Bytes(fill), writable);
  };
  EXPECT_EQ(render([](UserFill&) {}), STATUS_SUCCESS);
  EXPECT_EQ(render([](UserFill& f) { f.allocation = 1; }), STATUS_INVALID_HANDLE);
  EXPECT_EQ(render([](UserFill& f) { f.rect.right = 33; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(render([](UserFill& f) { f.rect.left = -1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(render([](UserFill& f) { f.rect.bottom = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(render([](UserFill& f) { f.header.size = 48; }), STATUS_INVALID_USER_BUFFER);
  EXPECT_EQ(render([](UserFill& f) { f.header.size = 0; }), STATUS_INVALID_USER_BUFFER);
  EXPECT_EQ(render([](UserFill& f) { f.header.size = 12; }), STATUS_INVALID_USER_BUFFER);
  EXPECT_EQ(render([](UserFill& f) { f.header.opcode = static_cast<UserOpcode>(99); }), STATUS_ILLEGAL_INSTRUCTION);
  UserFill fill;
  fill.rect = {0, 0, 1, 1};
  EXPECT_EQ(kernel_.Render(Bytes(fill), readable), STATUS_INVALID_HANDLE);
  UserDelay delay;
  delay.duration_ns = kMaxDelayNs + 1;
  EXPECT_EQ(kernel_.Render(Bytes(delay), writable), STATUS_INVALID_PARAMETER);
}

TEST_F(PresentTest, CreateAllocation_EachBrokenField_IsRefused) {
  const AllocationData good = *DescribeSurface(64, 64, kBgra, 0, 0);
  const auto create = [&](auto change) {
    AllocationData data = good;
    change(data);
    DXGK_ALLOCATIONINFO info{};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof(data);
    DXGKARG_CREATEALLOCATION args{};
    args.NumAllocations = 1;
    args.pAllocationInfo = &info;
    const NTSTATUS status = kernel_.ddi().DxgkDdiCreateAllocation(kernel_.adapter(), &args);
    if (NT_SUCCESS(status)) {
      DXGKARG_DESTROYALLOCATION destroy{};
      destroy.NumAllocations = 1;
      destroy.pAllocationList = &info.hAllocation;
      kernel_.ddi().DxgkDdiDestroyAllocation(kernel_.adapter(), &destroy);
    }
    return status;
  };
  EXPECT_EQ(create([](AllocationData&) {}), STATUS_SUCCESS);
  EXPECT_EQ(create([](AllocationData& d) { d.magic = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.version = 2; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.flags = 8; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.vidpn_source = 99; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.format = static_cast<color::Format>(2); }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.width = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.height = 20000; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.pitch = 128; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.pitch += 64; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d.size = 4096; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(create([](AllocationData& d) { d = *DescribeSurface(d.width, d.height, d.format, d.flags, d.vidpn_source, 384); }),
            STATUS_SUCCESS);
  const auto link = [](AllocationData& d) { d = *DescribeSurface(d.width, d.height, link::kLinkFormat, d.flags, 0); };
  EXPECT_EQ(create(link), STATUS_SUCCESS);
  EXPECT_EQ(create([&](AllocationData& d) { link(d), d.pitch += 128; }), STATUS_INVALID_PARAMETER);
}

TEST_F(PresentTest, StandardAllocation_CrossAdapter_HasAlignedPitchAndTakesTheOthers) {
  D3DKMDT_GDISURFACEDATA gdi{};
  gdi.Width = 1366;
  gdi.Height = 767;
  gdi.Format = D3DDDIFMT_A8R8G8B8;
  gdi.Type = D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  args.pCreateGdiSurfaceData = &gdi;
  ASSERT_EQ(kernel_.ddi().DxgkDdiGetStandardAllocationDriverData(kernel_.adapter(), &args), STATUS_SUCCESS);
  EXPECT_EQ(gdi.Pitch, 5632U);
  AllocationData data;
  ASSERT_EQ(args.AllocationPrivateDriverDataSize, sizeof(data));
  args.pAllocationPrivateDriverData = &data;
  ASSERT_EQ(kernel_.ddi().DxgkDdiGetStandardAllocationDriverData(kernel_.adapter(), &args), STATUS_SUCCESS);
  EXPECT_EQ(data.size, (5632ULL * 768 + 4095) / 4096 * 4096);
  EXPECT_EQ(data.flags, kAllocationCrossAdapter);
  gdi.Pitch = 6144;
  ASSERT_EQ(kernel_.ddi().DxgkDdiGetStandardAllocationDriverData(kernel_.adapter(), &args), STATUS_SUCCESS);
  EXPECT_EQ(data.pitch, 6144U);
}

}  // namespace
}  // namespace tandem::soft
