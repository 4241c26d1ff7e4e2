#include "drivers/vulkan/gpu/private_data.h"

#include <gtest/gtest.h>

#include <functional>

#include "drivers/vulkan/format.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

AllocationData Valid() { return *DescribeSurface(AllocationKind::kLinear, 33, 21, color::Format::kB8G8R8A8Unorm, 0); }

TEST(AllocationData, Describe_Linear_HasTheSmallestPitch) {
  const AllocationData data = Valid();
  EXPECT_EQ(data.pitch, 256U);
  EXPECT_EQ(data.size, 8192U);  // 24 rows of 256 bytes, whole pages
  EXPECT_EQ(DescribeSurface(AllocationKind::kLinear, 33, 21, color::Format::kB8G8R8A8Unorm, 384)->pitch, 384U);
  EXPECT_EQ(DescribeSurface(AllocationKind::kImage, 33, 21, color::Format::kB8G8R8A8Unorm, 0)->pitch, 0U);
}

TEST(AllocationData, Describe_OutOfRange_SaysValueAndLimit) {
  EXPECT_FALSE(DescribeSurface(AllocationKind::kLinear, 0, 1, color::Format::kB8G8R8A8Unorm, 0).ok());
  EXPECT_FALSE(DescribeSurface(AllocationKind::kLinear, 1, 16385, color::Format::kB8G8R8A8Unorm, 0).ok());
  EXPECT_FALSE(DescribeSurface(AllocationKind::kLinear, 1, 1, static_cast<color::Format>(5), 0).ok());
  EXPECT_FALSE(DescribeSurface(AllocationKind::kLinear, 33, 21, color::Format::kB8G8R8A8Unorm, 128).ok());
  EXPECT_FALSE(DescribeSurface(AllocationKind::kLinear, 33, 21, color::Format::kB8G8R8A8Unorm, 300).ok());
  EXPECT_FALSE(DescribeHeap(0).ok());
}

TEST(AllocationData, Describe_LinkSurface_HasOnlyThePitchOfItsRows) {
  const auto describe = [](std::uint32_t pitch) {
    return DescribeSurface(AllocationKind::kLinear, 33, 21, link::kLinkFormat, pitch);
  };
  ASSERT_TRUE(describe(0).ok());
  EXPECT_EQ(describe(0)->pitch, 256U);
  EXPECT_TRUE(describe(256).ok());
  EXPECT_FALSE(describe(384).ok());
}

TEST(AllocationData, Describe_Nv12_HasLumaAndChromaOfEvenExtentsInSystemMemory) {
  if constexpr (!color::kHasYuv420) GTEST_SKIP() << "This build has no 4:2:0.";
  const auto surface = DescribeSurface(AllocationKind::kLinear, 1920, 1080, color::kNv12, 0);
  ASSERT_TRUE(surface.ok());
  EXPECT_EQ(surface->pitch, 2048U);
  EXPECT_EQ(surface->size, 2048U * 1620);
  EXPECT_EQ(DescribeSurface(AllocationKind::kLinear, 33, 20, color::kNv12, 0).error().message,
            "Extent 33 x 20 of an NV12 surface is not even.");
  EXPECT_FALSE(DescribeSurface(AllocationKind::kLinear, 32, 21, color::kNv12, 0).ok());
  for (const AllocationKind kind : {AllocationKind::kImage, AllocationKind::kPrimary, AllocationKind::kLocal}) {
    EXPECT_FALSE(DescribeSurface(kind, 32, 20, color::kNv12, 0).ok());
  }
}

TEST(AllocationData, Validate_OneFieldBroken_IsRefused) {
  const AllocationData valid = Valid();
  ASSERT_TRUE(ValidateAllocationData(&valid, sizeof(valid)).ok());
  const std::function<void(AllocationData&)> breaks[] = {
      [](AllocationData& d) { d.magic ^= 1; },
      [](AllocationData& d) { d.version = 9; },
      [](AllocationData& d) { d.kind = static_cast<AllocationKind>(0); },
      [](AllocationData& d) { d.kind = static_cast<AllocationKind>(6); },
      [](AllocationData& d) { d.format = static_cast<color::Format>(1); },
      [](AllocationData& d) { d.width = 65; },
      [](AllocationData& d) { d.width = 0xFFFFFFFF; },
      [](AllocationData& d) { d.height = 33; },
      [](AllocationData& d) { d.height = 0; },
      [](AllocationData& d) { d.pitch = 128; },
      [](AllocationData& d) { d.pitch = 0xFFFFFF80; },
      [](AllocationData& d) { d.size += 4096; },
      [](AllocationData& d) { d.view_format_count = kMaxViewFormats + 1; },
      [](AllocationData& d) { d.vidpn_source = 16; },
  };
  for (const auto& damage : breaks) {
    AllocationData broken = valid;
    damage(broken);
    EXPECT_FALSE(ValidateAllocationData(&broken, sizeof(broken)).ok());
  }
  EXPECT_FALSE(ValidateAllocationData(&valid, sizeof(valid) - 1).ok());
  EXPECT_FALSE(ValidateAllocationData(nullptr, sizeof(valid)).ok());
}

TEST(AllocationData, Validate_ForgedObject_IsCleared) {
  AllocationData forged = Valid();
  forged.object = 0x1234;
  EXPECT_EQ(ValidateAllocationData(&forged, sizeof(forged))->object, 0U);
}

TEST(Formats, Names_GoRound) {
  for (const color::Format format :
       {color::Format::kR16G16B16A16Float, color::Format::kR10G10B10A2Unorm, color::Format::kR8G8B8A8Unorm,
        color::Format::kB8G8R8A8Unorm, color::Format::kB8G8R8X8Unorm}) {
    EXPECT_EQ(drivers::ToColorFormat(drivers::ToD3dddiFormat(format)), format);
    EXPECT_NE(ToVkFormat(format), VK_FORMAT_UNDEFINED);
  }
  EXPECT_TRUE(SameBits(ToVkFormat(color::Format::kB8G8R8A8Unorm), ToVkFormat(color::Format::kB8G8R8A8UnormSrgb)));
  EXPECT_TRUE(SameBits(ToVkFormat(color::Format::kB8G8R8A8Unorm), ToVkFormat(color::Format::kB8G8R8X8Unorm)));
  EXPECT_FALSE(SameBits(ToVkFormat(color::Format::kB8G8R8A8Unorm), ToVkFormat(color::Format::kR8G8B8A8Unorm)));
  EXPECT_FALSE(SameBits(ToVkFormat(color::Format::kUnknown), ToVkFormat(color::Format::kUnknown)));
}

}  // namespace
}  // namespace tandem::vulkan
