#include "kernel/feature/feature_override.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/testing/test_features.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

class FeatureOverrideTest : public ::testing::Test {
 protected:
  std::string Refusal(const FeatureOverride& change) {
    const auto support = ApplyOverrides(registry_, {change});
    return support.ok() ? "accepted" : support.error().message;
  }
  KernelSupport Applied(const FeatureOverride& change) {
    const auto support = ApplyOverrides(registry_, {change});
    EXPECT_TRUE(support.ok()) << support.error().message;
    return support.ok() ? (*support)[registry_.IndexOf(change.id)] : KernelSupport{};
  }

  const FeatureRegistry registry_ = BuiltInRegistry();
  FeatureOverride change_{DXGK_FEATURE_SAMPLE, {}, {}, {}, {}};
};

TEST_F(FeatureOverrideTest, Enabled_ChangesTheKernelsHalfOnly) {
  change_.enabled = false;
  EXPECT_FALSE(Applied(change_).supported);
  change_.id = DXGK_FEATURE_HWSCH;
  change_.enabled = true;
  EXPECT_TRUE(Applied(change_).supported);
  EXPECT_EQ(Applied(change_).versions.max, 1);
}

TEST_F(FeatureOverrideTest, Versions_Narrow) {
  change_.min_version = DXGK_FEATURE_VERSION{4};
  change_.max_version = DXGK_FEATURE_VERSION{4};
  EXPECT_EQ(Applied(change_).versions.min, 4);
  EXPECT_EQ(Applied(change_).versions.max, 4);
}

TEST_F(FeatureOverrideTest, AllowExperimental_IsKept) {
  change_.allow_experimental = true;
  EXPECT_TRUE(Applied(change_).allow_experimental);
  EXPECT_TRUE(Applied(change_).supported);
}

TEST_F(FeatureOverrideTest, OverrideThatCannotApply_IsSaid) {
  EXPECT_THAT(Refusal(change_), HasSubstr("Feature SAMPLE: The override sets nothing."));
  change_.min_version = DXGK_FEATURE_VERSION{4};
  EXPECT_THAT(Refusal(change_), HasSubstr("MinVersion is set without MaxVersion"));
  change_.max_version = DXGK_FEATURE_VERSION{3};
  EXPECT_THAT(Refusal(change_), HasSubstr("MinVersion 4 and MaxVersion 3 are no range"));
  change_.max_version = DXGK_FEATURE_VERSION{6};
  EXPECT_THAT(Refusal(change_), HasSubstr("go beyond 3 to 5"));
  change_.min_version = DXGK_FEATURE_VERSION{2};
  change_.max_version = DXGK_FEATURE_VERSION{5};
  EXPECT_THAT(Refusal(change_), HasSubstr("go beyond 3 to 5"));
  change_.min_version = std::nullopt;
  EXPECT_THAT(Refusal(change_), HasSubstr("MaxVersion is set without MinVersion"));
  change_ = {static_cast<DXGK_FEATURE_ID>(39), true, {}, {}, {}};
  EXPECT_THAT(Refusal(change_), HasSubstr("FAULT_AND_STALL: Enabled cannot be set"));
  change_ = {DXGK_FEATURE_GPUVAIOMMU, {}, {}, {}, true};
  EXPECT_THAT(Refusal(change_), HasSubstr("GPUVAIOMMU: AllowExperimental has no effect"));
  change_ = {static_cast<DXGK_FEATURE_ID>(7), true, {}, {}, {}};
  EXPECT_THAT(Refusal(change_), HasSubstr("There is no feature 0x7"));
}

TEST_F(FeatureOverrideTest, TwoForOneFeature_AreRefused) {
  change_.enabled = true;
  const auto support = ApplyOverrides(registry_, {change_, change_});
  ASSERT_FALSE(support.ok());
  EXPECT_EQ(support.error().message, "Feature SAMPLE is overridden twice.");
}

TEST_F(FeatureOverrideTest, KernelFeatures_OverrideThatCannotApply_ChangesNothing) {
  KernelFeatures features(registry_);
  FeatureOverride off{DXGK_FEATURE_SAMPLE, false, {}, {}, {}};
  ASSERT_TRUE(features.SetOverrides({off}).ok());
  EXPECT_FALSE(features.SetOverrides({change_}).ok());
  EXPECT_FALSE(features.support()[registry_.IndexOf(DXGK_FEATURE_SAMPLE)].supported);
}

TEST_F(FeatureOverrideTest, KernelFeatures_GlobalFeature_FollowsAtOnce) {
  KernelFeatures features(registry_);
  DXGKARGCB_ISFEATUREENABLED2 args{};
  args.FeatureId = DXGK_FEATURE_GPUVAIOMMU;
  EXPECT_EQ(features.QueryBeforeInitialization(args), STATUS_SUCCESS);
  EXPECT_EQ(args.Result.KnownFeature, 1);
  EXPECT_EQ(args.Result.Enabled, 0);
  ASSERT_TRUE(features.SetOverrides({{DXGK_FEATURE_GPUVAIOMMU, true, {}, {}, {}}}).ok());
  EXPECT_EQ(features.QueryBeforeInitialization(args), STATUS_SUCCESS);
  EXPECT_EQ(args.Result.Enabled, 1);
  EXPECT_EQ(args.Result.Version, 1);
  EXPECT_EQ(args.Result.SupportedByDriver, 0);
}

TEST_F(FeatureOverrideTest, QueryBeforeInitialization_AnswersTheSubsetOnly) {
  KernelFeatures features(registry_);
  DXGKARGCB_ISFEATUREENABLED2 args{};
  args.FeatureId = DXGK_FEATURE_HWSCH;
  EXPECT_EQ(features.QueryBeforeInitialization(args), STATUS_INVALID_PARAMETER);
  args.FeatureId = static_cast<DXGK_FEATURE_ID>(0x30000001);
  EXPECT_EQ(features.QueryBeforeInitialization(args), STATUS_SUCCESS);
  EXPECT_EQ(args.Result.KnownFeature, 0);
  args.FeatureId = DXGK_FEATURE_GPUVAIOMMU;
  args.Flags.Value = 1;
  EXPECT_EQ(features.QueryBeforeInitialization(args), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
