// Children, segments, surfaces, palettes, escapes and patches, as both miniports answer for them.
#include <gtest/gtest.h>

#include <array>

#include "color/format.h"
#include "drivers/common/adapter_info.h"
#include "drivers/common/children.h"
#include "drivers/common/escapes.h"
#include "drivers/common/palette.h"
#include "drivers/common/standard_surface.h"
#include "drivers/common/surface_layout.h"
#include "link/surface/link_surface.h"

namespace tandem::drivers {
namespace {

TEST(ChildrenTest, Status_IsTheConnectionOfAChildThatExists) {
  DXGK_CHILD_STATUS status{};
  status.Type = StatusConnection;
  status.ChildUid = 1;
  EXPECT_EQ(QueryChildStatus(2, status), STATUS_SUCCESS);
  EXPECT_EQ(status.HotPlug.Connected, TRUE);
  status.ChildUid = 2;
  EXPECT_EQ(QueryChildStatus(2, status), STATUS_INVALID_PARAMETER);
  status.ChildUid = 1;
  status.Type = StatusRotation;
  EXPECT_EQ(QueryChildStatus(2, status), STATUS_NOT_SUPPORTED);
}

TEST(ChildrenTest, Relations_EndWithAnEmptyOne) {
  std::array<DXGK_CHILD_DESCRIPTOR, 3> children;
  children.fill({});
  children[2].ChildDeviceType = TypeVideoOutput;
  EXPECT_EQ(QueryChildRelations(2, HpdAwarenessInterruptible, children.data(), sizeof(children) - 1), STATUS_BUFFER_TOO_SMALL);
  ASSERT_EQ(QueryChildRelations(2, HpdAwarenessInterruptible, children.data(), sizeof(children)), STATUS_SUCCESS);
  EXPECT_EQ(children[1].ChildUid, 1U);
  EXPECT_EQ(children[2].ChildDeviceType, TypeUninitialized);
}

TEST(SegmentsTest, Descriptors_KeepTheCallersStride) {
  std::array<DXGK_SEGMENTDESCRIPTOR4, 2> segments{};
  segments[0].Size = 4096;
  segments[1].Size = 8192;
  DXGK_QUERYSEGMENTOUT4 out{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_QUERYSEGMENT4;
  query.pOutputData = &out;
  query.OutputDataSize = sizeof(out);
  ASSERT_EQ(QuerySegments(query, {segments, 100, 8}), STATUS_SUCCESS);
  EXPECT_EQ(out.NbSegment, 2U);
  EXPECT_EQ(out.SegmentDescriptorStride, sizeof(DXGK_SEGMENTDESCRIPTOR4));
  EXPECT_EQ(out.PagingBufferSize, 100U);
  EXPECT_EQ(out.PagingBufferPrivateDataSize, 8U);
  out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4) + 16;
  std::array<BYTE, 2 * (sizeof(DXGK_SEGMENTDESCRIPTOR4) + 16)> room{};
  out.pSegmentDescriptor = room.data();
  ASSERT_EQ(QuerySegments(query, {segments, 100, 8}), STATUS_SUCCESS);
  DXGK_SEGMENTDESCRIPTOR4 second{};
  std::memcpy(&second, room.data() + out.SegmentDescriptorStride, sizeof(second));
  EXPECT_EQ(second.Size, 8192U);
  query.OutputDataSize = sizeof(out) - 1;
  EXPECT_EQ(QuerySegments(query, {segments, 100, 8}), STATUS_BUFFER_TOO_SMALL);
}

TEST(SurfaceLayoutTest, AnothersPitch_IsTakenUpToTheLimit) {
  constexpr color::Format kBgra = color::Format::kB8G8R8A8Unorm;
  EXPECT_EQ(LayOutSurface(33, 21, kBgra, 0)->pitch, 256U);
  EXPECT_EQ(LayOutSurface(33, 21, kBgra, 0)->size, 8192U);
  EXPECT_EQ(LayOutSurface(33, 21, kBgra, 384)->pitch, 384U);
  EXPECT_EQ(LayOutSurface(33, 21, kBgra, kMaxPitch)->pitch, kMaxPitch);
  for (const std::uint32_t wrong : {128U, 300U, kMaxPitch + 128, 0xFFFFFF80U})
    EXPECT_FALSE(LayOutSurface(33, 21, kBgra, wrong).ok());
  EXPECT_TRUE(LayOutSurface(33, 21, link::kLinkFormat, 256).ok());
  EXPECT_FALSE(LayOutSurface(33, 21, link::kLinkFormat, 384).ok());
  EXPECT_FALSE(LayOutSurface(33, 16385, kBgra, 0).ok());
  EXPECT_FALSE(LayOutSurface(33, 21, color::Format::kUnknown, 0).ok());
  EXPECT_FALSE(LayOutHeap(0).ok());
}

TEST(StandardSurfaceTest, GdiSurfaces_AreSharedUnlessTheyAreTextures) {
  D3DKMDT_GDISURFACEDATA gdi{100, 50, D3DDDIFMT_A8R8G8B8, D3DKMDT_GDISURFACE_TEXTURE, {}, 640};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_GDISURFACE;
  EXPECT_FALSE(ReadStandardSurface(args, 1).ok()) << "a request without data";
  args.pCreateGdiSurfaceData = &gdi;
  EXPECT_EQ(ReadStandardSurface(args, 1)->use, StandardUse::kTexture);
  EXPECT_EQ(ReadStandardSurface(args, 1)->pitch, 0U);
  gdi.Type = D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE;
  EXPECT_EQ(ReadStandardSurface(args, 1)->use, StandardUse::kShared);
  EXPECT_EQ(ReadStandardSurface(args, 1)->pitch, 640U);
  gdi = {4096, 1, D3DDDIFMT_UNKNOWN, D3DKMDT_GDISURFACE_EXISTINGSYSMEM, {}, 4096};
  const auto heap = ReadStandardSurface(args, 1);
  ASSERT_TRUE(heap.ok());
  EXPECT_TRUE(heap->heap);
  WritePitch(args, *heap, 4096);
  EXPECT_EQ(gdi.Pitch, 0U) << "a row of bytes has no pitch";
  gdi.Type = D3DKMDT_GDISURFACE_LOOKUPTABLE;
  EXPECT_EQ(ReadStandardSurface(args, 1).error().kind, ErrorKind::kUnsupported);
}

TEST(PaletteTest, Entries_StayInsideTheTable) {
  std::array<D3DKMDT_PALETTEDATA, 2> entries{{{1, 2, 3, 0}, {4, 5, 6, 0}}};
  DXGKARG_SETPALETTE args{};
  args.pLookupTable = entries.data();
  args.FirstEntry = kPaletteEntries - 2;
  args.NumEntries = 2;
  ASSERT_EQ(CheckPalette(args, 1), STATUS_SUCCESS);
  SourcePalette palette;
  palette.Set(args);
  EXPECT_EQ(palette.colors()[kPaletteEntries - 1], 0xFF040506U);
  EXPECT_EQ(palette.colors()[0], 0xFF000000U);
  EXPECT_EQ(CheckPalette(args, 0), STATUS_INVALID_PARAMETER);
  ++args.FirstEntry;
  EXPECT_EQ(CheckPalette(args, 1), STATUS_INVALID_PARAMETER);
  args.FirstEntry = kPaletteEntries;
  args.NumEntries = 0;
  EXPECT_EQ(CheckPalette(args, 1), STATUS_INVALID_PARAMETER);
}

TEST(EscapesTest, BackingStore_IsTouchedInsideOnly) {
  std::array<std::byte, 8> store{};
  BackingStoreEscape escape;
  escape.access = BackingStoreAccess::kWrite;
  escape.value = 0x11223344;
  escape.offset = 4;
  ASSERT_EQ(TouchBackingStore(escape, store.data(), store.size()), STATUS_SUCCESS);
  EXPECT_EQ(store[4], std::byte{0x44});
  ++escape.offset;
  EXPECT_EQ(TouchBackingStore(escape, store.data(), store.size()), STATUS_INVALID_PARAMETER);
  escape.offset = 0;
  EXPECT_EQ(TouchBackingStore(escape, store.data(), 3), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(TouchBackingStore(escape, nullptr, store.size()), STATUS_NOT_SUPPORTED);
}

TEST(PatchTest, LocationsOutside_StayAsTheyAre) {
  std::array<std::uint64_t, 2> dma{};
  std::array<D3DDDI_PATCHLOCATIONLIST, 4> locations{};
  locations[1].PatchOffset = 8;
  locations[1].AllocationOffset = 16;
  locations[2].AllocationIndex = 1;
  locations[3].PatchOffset = 9;
  DXGK_ALLOCATIONLIST allocation{};
  allocation.PhysicalAddress.QuadPart = 0x1000;
  DXGKARG_PATCH args{};
  args.pDmaBuffer = dma.data();
  args.DmaBufferSize = sizeof(dma);
  args.pPatchLocationList = locations.data();
  args.PatchLocationListSize = locations.size();
  args.PatchLocationListSubmissionStart = 1;
  args.PatchLocationListSubmissionLength = 100;
  args.pAllocationList = &allocation;
  args.AllocationListSize = 1;
  WriteAddresses(args);
  EXPECT_EQ(dma, (std::array<std::uint64_t, 2>{0, 0x1010}));
}

}  // namespace
}  // namespace tandem::drivers
