#include "base/status_name.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(StatusText, PublishedValue_HasItsName) {
  EXPECT_EQ(StatusText(static_cast<std::int32_t>(0xC000000D)), "STATUS_INVALID_PARAMETER (0xC000000D)");
  EXPECT_EQ(StatusText(static_cast<std::int32_t>(0xC01E0001)), "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER (0xC01E0001)");
  EXPECT_EQ(StatusText(0), "STATUS_SUCCESS (0x00000000)");
}

TEST(StatusText, AnyOtherValue_IsItsNumber) { EXPECT_EQ(StatusText(static_cast<std::int32_t>(0xC0DEC0DE)), "0xC0DEC0DE"); }

}  // namespace
}  // namespace tandem
