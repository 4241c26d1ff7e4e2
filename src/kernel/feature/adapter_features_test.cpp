#include "kernel/feature/adapter_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "kernel/feature/feature_rules.h"
#include "kernel/testing/fake_feature_driver.h"
#include "kernel/testing/test_features.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kA = static_cast<DXGK_FEATURE_ID>(1);
constexpr auto kB = static_cast<DXGK_FEATURE_ID>(2);
constexpr auto kC = static_cast<DXGK_FEATURE_ID>(3);
constexpr auto kD = static_cast<DXGK_FEATURE_ID>(4);
constexpr DXGK_FEATURE_ID kNeedsA[] = {kA};
constexpr DXGK_FEATURE_ID kNeedsBAndC[] = {kB, kC};
constexpr FeatureInterfaceSize kInterfaces[] = {{2, 8, 16}, {3, 16, 0}};

Feature Row(DXGK_FEATURE_ID id, const char* name, std::span<const DXGK_FEATURE_ID> depends_on) {
  Feature feature;
  feature.id = id;
  feature.name = name;
  feature.supported = true;
  feature.versions = {1, 3};
  feature.driver = true;
  feature.depends_on = depends_on;
  return feature;
}

// A diamond: D needs B and C, which need A. All of the driver, versions 1 to 3.
class AdapterFeaturesTest : public ::testing::Test {
 protected:
  AdapterFeaturesTest() {
    rows_ = {Row(kA, "A", {}), Row(kB, "B", kNeedsA), Row(kC, "C", kNeedsA), Row(kD, "D", kNeedsBAndC)};
    rows_[0].interfaces = kInterfaces;
    for (const DXGK_FEATURE_ID id : {kA, kB, kC, kD}) driver_.supports[id] = {{2, 5}, true, false};
  }
  AdapterFeatures& Features() {
    if (features_ == nullptr) {
      kernel_ = std::make_unique<KernelFeatures>(*FeatureRegistry::Create(rows_));
      EXPECT_TRUE(kernel_->SetOverrides(overrides_).ok());
      features_ = std::make_unique<AdapterFeatures>(*kernel_, driver_);
    }
    return *features_;
  }
  DXGK_ISFEATUREENABLED_RESULT Query(DXGK_FEATURE_ID id) { return Features().Query(id); }

  std::vector<Feature> rows_;
  std::vector<FeatureOverride> overrides_;
  FakeFeatureDriver driver_;
  std::unique_ptr<KernelFeatures> kernel_;
  std::unique_ptr<AdapterFeatures> features_;
};

TEST_F(AdapterFeaturesTest, Query_BothHaveIt_IsEnabledAtTheHighestCommonVersion) {
  const DXGK_ISFEATUREENABLED_RESULT result = Query(kA);
  EXPECT_EQ(result.Version, 3);
  EXPECT_EQ(result.Value, 0xF);
  EXPECT_THAT(driver_.violations, IsEmpty());
}

TEST_F(AdapterFeaturesTest, Query_UnknownFeature_IsAllZeros) {
  const DXGK_ISFEATUREENABLED_RESULT result = Query(static_cast<DXGK_FEATURE_ID>(9));
  EXPECT_EQ(result.Version, 0);
  EXPECT_EQ(result.Value, 0);
  EXPECT_THAT(driver_.asked, IsEmpty());
}

TEST_F(AdapterFeaturesTest, Query_EachSideMissing_SetsTheBitsThatAreTrue) {
  driver_.supports.erase(kA);
  driver_.supports[kB].on_config = false;
  driver_.supports[kC].versions = {4, 9};
  EXPECT_EQ(Query(kA).Value, 0x2);  // known
  driver_.supports[kA] = {{1, 1}, true, false};
  EXPECT_EQ(Query(kA).Value, 0x2);  // never asked twice
  EXPECT_EQ(Query(kB).Value, 0x6);  // known, supported by the driver
  EXPECT_EQ(Query(kC).Value, 0xE);  // all but enabled: no version in common
  EXPECT_EQ(Query(kC).Version, 0);
}

TEST_F(AdapterFeaturesTest, Query_KernelsHalfOff_IsNotEnabledThoughTheDriverIsAsked) {
  overrides_ = {{kA, false, {}, {}, {}}};
  EXPECT_EQ(Query(kA).Value, 0xE);
  EXPECT_EQ(driver_.asked[kA], 1);
}

TEST_F(AdapterFeaturesTest, Query_OverriddenVersions_AreTheNegotiatedOnes) {
  overrides_ = {{kA, {}, DXGK_FEATURE_VERSION{1}, DXGK_FEATURE_VERSION{2}, {}}};
  EXPECT_EQ(Query(kA).Version, 2);
}

TEST_F(AdapterFeaturesTest, Query_ExperimentalVersion_NeedsTheOverride) {
  driver_.supports[kA].experimental = driver_.supports[kB].experimental = true;
  overrides_ = {{kA, {}, {}, {}, true}};
  EXPECT_EQ(Query(kA).Enabled, 1);
  EXPECT_EQ(Query(kB).Value, 0x2);
}

TEST_F(AdapterFeaturesTest, Query_Diamond_AsksEveryFeatureOnce) {
  EXPECT_EQ(Query(kD).Enabled, 1);
  Features().QueryAll();
  for (const DXGK_FEATURE_ID id : {kA, kB, kC, kD}) EXPECT_EQ(driver_.asked[id], 1) << id;
}

TEST_F(AdapterFeaturesTest, Query_RootOfTheDiamondOff_TurnsAllOff) {
  driver_.supports.erase(kA);
  EXPECT_EQ(Query(kD).Value, 0xE);
  EXPECT_EQ(Query(kB).Enabled, 0);
}

TEST_F(AdapterFeaturesTest, States_BeforeAndAfterTheQuery_AreUnknownThenKnown) {
  for (const FeatureState& state : Features().States()) EXPECT_FALSE(state.queried);
  static_cast<void>(Query(kB));
  const auto states = Features().States();
  ASSERT_EQ(states.size(), 4U);
  EXPECT_TRUE(states[0].queried);  // B needs it
  EXPECT_TRUE(states[1].queried);
  EXPECT_FALSE(states[2].queried);
  EXPECT_EQ(states[1].result.Version, 3);
}

TEST_F(AdapterFeaturesTest, Query_FromManyThreads_AsksOnceAndAgrees) {
  AdapterFeatures& features = Features();
  std::atomic<int> enabled{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (const DXGK_FEATURE_ID id : {kD, kC, kB, kA}) enabled += features.Query(id).Enabled;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(enabled, 32);
  for (const DXGK_FEATURE_ID id : {kA, kB, kC, kD}) EXPECT_EQ(driver_.asked[id], 1) << id;
}

TEST_F(AdapterFeaturesTest, QueryFeatureSupport_AsksForAnotherFeature_IsServed) {
  driver_.on_query = [this](DXGKARG_QUERYFEATURESUPPORT& args) { EXPECT_TRUE(args.FeatureId != kB || Query(kA).Enabled == 1); };
  EXPECT_EQ(Query(kB).Enabled, 1);
  EXPECT_THAT(driver_.violations, IsEmpty());
}

TEST_F(AdapterFeaturesTest, QueryFeatureSupport_AsksForItself_IsAViolation) {
  driver_.on_query = [this](DXGKARG_QUERYFEATURESUPPORT& args) { static_cast<void>(Query(args.FeatureId)); };
  static_cast<void>(Query(kA));
  EXPECT_THAT(driver_.violations, ElementsAre(rules::kFeatureSupportReentered));
}

// A waits for the answer of A: B needs A.
TEST_F(AdapterFeaturesTest, QueryFeatureSupport_AsksForWhatNeedsIt_IsAViolation) {
  driver_.on_query = [this](DXGKARG_QUERYFEATURESUPPORT& args) {
    if (args.FeatureId == kA) static_cast<void>(Query(kB));
  };
  static_cast<void>(Query(kA));
  EXPECT_THAT(driver_.violations, ElementsAre(rules::kFeatureSupportReentered));
}

TEST_F(AdapterFeaturesTest, QueryFeatureSupport_VersionsThatAreNoRange_AreAViolation) {
  for (const VersionRange lie : {VersionRange{0, 3}, VersionRange{0, 0}, VersionRange{4, 2}}) {
    features_.reset();
    driver_.violations.clear();
    driver_.supports[kA].versions = lie;
    EXPECT_EQ(Query(kA).Enabled, 0);
    EXPECT_THAT(driver_.violations, ElementsAre(rules::kFeatureSupportVersions)) << lie.min << " to " << lie.max;
  }
}

TEST_F(AdapterFeaturesTest, QueryFeatureSupport_ChangesItsInput_IsAViolation) {
  driver_.on_query = [](DXGKARG_QUERYFEATURESUPPORT& args) { args.AllowExperimental = TRUE; };
  static_cast<void>(Query(kA));
  EXPECT_THAT(driver_.violations, ElementsAre(rules::kFeatureSupportInput));
}

TEST_F(AdapterFeaturesTest, Declare_DriverWithoutTheInterface_IsVersion1) {
  driver_.with_interface = false;
  EXPECT_EQ(Query(kA).Value, 0x2);  // nothing declared yet
  EXPECT_TRUE(Features().Declare(kA, DXGK_FEATURE_SUPPORT_STABLE));
  EXPECT_EQ(Query(kA).Value, 0xF);
  EXPECT_EQ(Query(kA).Version, 1);
  EXPECT_FALSE(Features().Declare(kB, DXGK_FEATURE_SUPPORT_EXPERIMENTAL));
  EXPECT_FALSE(Features().Declare(kC, DXGK_FEATURE_SUPPORT_ALWAYS_OFF));
  EXPECT_FALSE(Features().Declare(kD, DXGK_FEATURE_SUPPORT_ALWAYS_ON));  // it needs B and C
  EXPECT_FALSE(Features().Declare(static_cast<DXGK_FEATURE_ID>(9), DXGK_FEATURE_SUPPORT_STABLE));
  EXPECT_THAT(driver_.asked, IsEmpty());
  EXPECT_THAT(driver_.violations, IsEmpty());
}

TEST_F(AdapterFeaturesTest, Declare_ExperimentalWithTheOverride_IsEnabled) {
  driver_.with_interface = false;
  overrides_ = {{kA, {}, {}, {}, true}};
  EXPECT_TRUE(Features().Declare(kA, DXGK_FEATURE_SUPPORT_EXPERIMENTAL));
}

TEST_F(AdapterFeaturesTest, Declare_AnotherState_IsAViolation) {
  driver_.with_interface = false;
  EXPECT_TRUE(Features().Declare(kA, DXGK_FEATURE_SUPPORT_STABLE));
  EXPECT_TRUE(Features().Declare(kA, DXGK_FEATURE_SUPPORT_STABLE));
  EXPECT_THAT(driver_.violations, IsEmpty());
  EXPECT_FALSE(Features().Declare(kA, DXGK_FEATURE_SUPPORT_ALWAYS_OFF));
  EXPECT_THAT(driver_.violations, ElementsAre(rules::kFeatureSupportChanged));
}

TEST_F(AdapterFeaturesTest, Declare_AgainstTheInterfacesAnswer_IsAViolation) {
  driver_.supports.erase(kB);
  EXPECT_TRUE(Features().Declare(kA, DXGK_FEATURE_SUPPORT_ALWAYS_ON));
  EXPECT_FALSE(Features().Declare(kB, DXGK_FEATURE_SUPPORT_EXPERIMENTAL));
  EXPECT_THAT(driver_.violations, IsEmpty());
  EXPECT_FALSE(Features().Declare(kB, DXGK_FEATURE_SUPPORT_STABLE));
  static_cast<void>(Features().Declare(kA, DXGK_FEATURE_SUPPORT_ALWAYS_OFF));
  EXPECT_THAT(driver_.violations, ElementsAre(rules::kFeatureSupportChanged, rules::kFeatureSupportChanged));
}

TEST_F(AdapterFeaturesTest, QueryOfAdapter_GlobalFeature_IsInvalid) {
  rows_.push_back(Row(static_cast<DXGK_FEATURE_ID>(5), "G", {}));
  rows_.back().driver = false;
  rows_.back().global = true;
  DXGK_ISFEATUREENABLED_RESULT result{};
  EXPECT_EQ(Features().QueryOfAdapter(rows_.back().id, result), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(kernel_->QueryWithoutAdapter(rows_.back().id, result), STATUS_SUCCESS);
  EXPECT_EQ(result.Enabled, 1);
  EXPECT_EQ(kernel_->QueryWithoutAdapter(kA, result), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(result.Value, 0);
  EXPECT_EQ(Query(rows_.back().id).Enabled, 1);
}

}  // namespace
}  // namespace tandem::kernel
