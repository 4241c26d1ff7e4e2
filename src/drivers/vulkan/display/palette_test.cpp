// Primaries with palette indexes, on two windows.
#include "drivers/vulkan/testing/primary_fixture.h"

namespace tandem::vulkan::testing {
namespace {

class PaletteTest : public CloneTest {
 protected:
  void SetUp() override {
    CloneTest::SetUp();
    if (kernel_ == nullptr) return;
    indexes_ = Indexed(AllocationKind::kLinear);
    for (std::uint64_t i = 0; i < indexes_->data.size; ++i) indexes_->pages[i] = static_cast<std::byte>(i * 7 >> 1);
    shown_ = Indexed(AllocationKind::kPrimary);
  }
  void TearDown() override {
    if (kernel_ != nullptr) {
      kernel_->Destroy(std::move(indexes_));
      kernel_->Destroy(std::move(shown_));
    }
    CloneTest::TearDown();
  }
  std::unique_ptr<TestResource> Indexed(AllocationKind kind) {
    return kernel_->CreateRaw(*DescribeSurface(kind, kWidth, kHeight, drivers::kPaletteFormat, 0));
  }
  NTSTATUS SetPalette(UINT first, std::span<D3DKMDT_PALETTEDATA> entries) {
    const DXGKARG_SETPALETTE set{0, first, static_cast<UINT>(entries.size()), entries.data()};
    return kernel_->ddi().DxgkDdiSetPalette(kernel_->adapter(), &set);
  }
  std::vector<std::uint32_t> Colored(std::span<const D3DKMDT_PALETTEDATA> palette) const {
    std::vector<std::uint32_t> picture;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const auto index = std::to_integer<std::size_t>(indexes_->pages[std::size_t{y} * indexes_->data.pitch + x]);
        picture.push_back(0xFF000000U |
                          static_cast<std::uint32_t>(palette[index].Red << 16 | palette[index].Green << 8 | palette[index].Blue));
      }
    }
    return picture;
  }
  std::unique_ptr<TestResource> indexes_;
  std::unique_ptr<TestResource> shown_;
};

TEST_P(PaletteTest, PrimaryOfIndexes_IsShownInItsColors_WhichChangeAtOnce) {
  std::array<D3DKMDT_PALETTEDATA, 256> palette{};
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = {static_cast<UINT8>(i), static_cast<UINT8>(255 - i), 7, 0};
  ASSERT_EQ(SetPalette(0, palette), STATUS_SUCCESS);
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  Present(indexes_.get(), *shown_, args);
  kernel_->Flip(*shown_, false);
  EXPECT_TRUE(Shows(*window_, Colored(palette)));
  EXPECT_TRUE(Shows(*second_, Colored(palette)));
  // The windows change without another copy or flip.
  for (std::size_t i = 100; i < 256; ++i) palette[i].Blue = 200;
  ASSERT_EQ(SetPalette(100, std::span(palette).subspan(100)), STATUS_SUCCESS);
  EXPECT_TRUE(Shows(*window_, Colored(palette)));
  EXPECT_TRUE(Shows(*second_, Colored(palette)));
  // Fills with an index; copies out of the primary read indexes or colours.
  args = Whole();
  args.Flags.ColorFill = 1;
  args.Color = 0xFF000003;
  Present(nullptr, *shown_, args);
  kernel_->Flip(*shown_, false);
  std::memset(indexes_->pages, 3, indexes_->data.size);
  EXPECT_TRUE(Shows(*window_, Colored(palette)));
  std::memset(indexes_->pages, 4, indexes_->data.size);
  args = Whole();
  args.Flags.Blt = 1;
  Present(shown_.get(), *indexes_, args);
  EXPECT_EQ(std::to_integer<int>(indexes_->pages[0]), 3);
  Present(shown_.get(), *source_, args);
  EXPECT_EQ(SourcePixel(kWidth - 1, kHeight - 1), Colored(palette).back());
}

TEST_P(PaletteTest, WhatHasNoIndex_IsRefused) {
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  EXPECT_EQ(kernel_->Present(source_.get(), *shown_, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  args.SrcRect = {0, 0, kWidth / 2, kHeight / 2};
  EXPECT_EQ(kernel_->Present(indexes_.get(), *shown_, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  args = Whole();
  args.Flags.Blt = args.Flags.SrcColorKey = 1;
  EXPECT_EQ(kernel_->Present(indexes_.get(), *primary_, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  std::array<D3DKMDT_PALETTEDATA, 1> one{};
  EXPECT_EQ(SetPalette(256, one), STATUS_INVALID_PARAMETER);
  const DXGKARG_SETPALETTE nowhere{99, 0, 1, one.data()};
  EXPECT_EQ(kernel_->ddi().DxgkDdiSetPalette(kernel_->adapter(), &nowhere), STATUS_INVALID_PARAMETER);
}

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, PaletteTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return NameOf(each.param); });

}  // namespace
}  // namespace tandem::vulkan::testing
