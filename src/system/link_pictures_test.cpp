#include "system/link_pictures.h"

#include <gtest/gtest.h>

namespace tandem::system {
namespace {

constexpr LinkContent kContents[] = {LinkContent::kGame, LinkContent::kDesktop, LinkContent::kVideo};

TEST(LinkPictures, EachIsDrawnOnce_UntilAnotherExtentIsAskedFor) {
  LinkPictures pictures;
  const std::byte* const first = pictures.At(LinkContent::kGame, 64, 48, 2).data();
  EXPECT_EQ(pictures.At(LinkContent::kGame, 64, 48, 2).size(), 64U * 48 * 4);
  for (const LinkContent content : kContents) {
    for (std::uint32_t number = 0; number < kLinkPictures; ++number) static_cast<void>(pictures.At(content, 64, 48, number));
  }
  EXPECT_EQ(pictures.At(LinkContent::kGame, 64, 48, 2).data(), first);
  EXPECT_EQ(pictures.At(LinkContent::kGame, 48, 64, 2).size(), 64U * 48 * 4);
  EXPECT_EQ(pictures.At(LinkContent::kGame, 32, 32, 2).size(), 32U * 32 * 4);
}

TEST(LinkPictures, Each_IsAnotherPictureAndAlwaysTheSame) {
  LinkPictures pictures;
  LinkPictures others;
  for (const LinkContent content : kContents) {
    for (std::uint32_t number = 0; number < kLinkPictures; ++number) {
      const auto& picture = pictures.At(content, 200, 120, number);
      EXPECT_EQ(picture, others.At(content, 200, 120, number));
      EXPECT_NE(picture, others.At(content, 200, 120, (number + 1) % kLinkPictures));
    }
  }
}

}  // namespace
}  // namespace tandem::system
