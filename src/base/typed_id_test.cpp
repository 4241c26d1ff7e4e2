#include "base/typed_id.h"

#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace tandem {
namespace {

using AppleId = TypedId<struct AppleTag, std::uint32_t>;
using PearId = TypedId<struct PearTag, std::uint32_t>;

static_assert(!std::is_convertible_v<std::uint32_t, AppleId>);
static_assert(!std::is_convertible_v<AppleId, std::uint32_t>);
static_assert(!std::is_constructible_v<AppleId, PearId>);
static_assert(sizeof(AppleId) == sizeof(std::uint32_t));
static_assert(std::is_trivially_copyable_v<AppleId>);

TEST(TypedId, DefaultMade_IsZero) { EXPECT_EQ(AppleId().value(), 0U); }

TEST(TypedId, Compared_OrdersByValue) {
  EXPECT_EQ(AppleId(3), AppleId(3));
  EXPECT_NE(AppleId(3), AppleId(4));
  EXPECT_LT(AppleId(3), AppleId(4));
}

TEST(TypedId, Hashed_WorksAsKey) {
  const std::unordered_set<AppleId> ids = {AppleId(1), AppleId(2), AppleId(1)};
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_TRUE(ids.contains(AppleId(2)));
}

}  // namespace
}  // namespace tandem
