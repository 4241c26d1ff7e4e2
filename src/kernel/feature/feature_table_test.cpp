#include "kernel/feature/feature_table.h"

#include <gtest/gtest.h>

namespace tandem::kernel {
namespace {

TEST(FeatureTable, FindFeature_KnownId_IsItsRow) {
  const Feature* feature = FindFeature(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD);
  ASSERT_NE(feature, nullptr);
  EXPECT_EQ(feature->id, DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD);
  EXPECT_TRUE(feature->offered);
}

TEST(FeatureTable, FindFeature_ReservedOrOtherCategory_IsNull) {
  EXPECT_EQ(FindFeature(static_cast<DXGK_FEATURE_ID>(DXGK_DRIVER_FEATURE_RESERVED_1)), nullptr);
  EXPECT_EQ(FindFeature(DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS), nullptr);
  EXPECT_EQ(FindFeature(static_cast<DXGK_FEATURE_ID>(-1)), nullptr);
}

TEST(FeatureTable, FeatureStarts_OnlyOfferedAndStable_IsOn) {
  const Feature& offered = *FindFeature(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD);
  EXPECT_FALSE(FeatureStarts(offered, DXGK_FEATURE_SUPPORT_ALWAYS_OFF));
  EXPECT_FALSE(FeatureStarts(offered, DXGK_FEATURE_SUPPORT_EXPERIMENTAL));
  EXPECT_TRUE(FeatureStarts(offered, DXGK_FEATURE_SUPPORT_STABLE));
  EXPECT_TRUE(FeatureStarts(offered, DXGK_FEATURE_SUPPORT_ALWAYS_ON));
  EXPECT_FALSE(FeatureStarts(*FindFeature(DXGK_FEATURE_HWSCH), DXGK_FEATURE_SUPPORT_ALWAYS_ON));
}

}  // namespace
}  // namespace tandem::kernel
