#include "system/feature_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::system {
namespace {

using ::testing::HasSubstr;

class FeatureSettings : public ::testing::Test {
 protected:
  FeatureSettings() {
    adapters_.resize(2);
    adapters_[0].name = "llvmpipe";
    adapters_[1].name = "Tandem software adapter";
    adapters_[1].index = 1;
  }
  config::FeatureEntry& Add(const char* adapter, const char* feature) {
    entries_.push_back({adapter, feature, {}});
    return entries_.back();
  }
  std::string Refusal() {
    const auto overrides = OverridesFor(adapters_[1], adapters_, entries_);
    return overrides.ok() ? "accepted" : overrides.error().message;
  }
  std::vector<config::AdapterInfo> adapters_;
  std::vector<config::FeatureEntry> entries_;
};

TEST_F(FeatureSettings, FindFeature_NameOrId_IsFound) {
  for (const char* text : {"SAMPLE", "sample", "31"}) {
    const auto feature = FindFeature(text);
    ASSERT_TRUE(feature.ok()) << text;
    EXPECT_EQ((*feature)->id, DXGK_FEATURE_SAMPLE);
  }
  EXPECT_EQ((*FindFeature("os:0"))->id, DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS);
  EXPECT_THAT(FindFeature("7").error().message, HasSubstr("no feature '7'"));
}

TEST_F(FeatureSettings, OverridesFor_TheAdaptersEntry_GoesBeforeTheOneForAll) {
  Add("", "SAMPLE").values.enabled = false;
  Add("software", "SAMPLE").values.enabled = true;
  Add("llvm", "HWSCH").values.enabled = true;
  const auto overrides = OverridesFor(adapters_[1], adapters_, entries_);
  ASSERT_TRUE(overrides.ok()) << overrides.error().message;
  ASSERT_EQ(overrides->size(), 1U);
  EXPECT_EQ(overrides->front().enabled, true);
  const auto other = OverridesFor(adapters_[0], adapters_, entries_);
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->size(), 2U);
}

TEST_F(FeatureSettings, OverridesFor_WhatCannotApply_IsSaidWithItsTable) {
  Add("", "SIMPLE").values.enabled = true;
  EXPECT_THAT(Refusal(), HasSubstr("[all.SIMPLE]: There is no feature 'SIMPLE'"));
  entries_.clear();
  Add("soft", "SAMPLE").values.min_version = 4;
  EXPECT_THAT(Refusal(), HasSubstr("[adapter.\"soft\".SAMPLE]: Feature SAMPLE: MinVersion is set without MaxVersion"));
  entries_.clear();
  Add("nvidia", "SAMPLE").values.enabled = true;
  EXPECT_THAT(Refusal(), HasSubstr("[adapter.\"nvidia\".SAMPLE]"));
  entries_.clear();
  Add("1", "SAMPLE").values.enabled = true;
  Add("software", "SAMPLE").values.enabled = true;
  EXPECT_THAT(Refusal(), HasSubstr("mean the same feature of the same adapter"));
  entries_.clear();
  Add("", "SAMPLE");
  EXPECT_THAT(Refusal(), HasSubstr("sets nothing"));
}

}  // namespace
}  // namespace tandem::system
