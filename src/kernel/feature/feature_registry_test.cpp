#include "kernel/feature/feature_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernel/feature/feature_rows.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

constexpr auto kA = static_cast<DXGK_FEATURE_ID>(1);
constexpr auto kB = static_cast<DXGK_FEATURE_ID>(2);
constexpr auto kC = static_cast<DXGK_FEATURE_ID>(3);
constexpr DXGK_FEATURE_ID kNeedsA[] = {kA};
constexpr DXGK_FEATURE_ID kNeedsB[] = {kB};
constexpr DXGK_FEATURE_ID kNeedsC[] = {kC};
constexpr DXGK_FEATURE_ID kNeedsBAndC[] = {kB, kC};

Feature Row(DXGK_FEATURE_ID id, const char* name, std::span<const DXGK_FEATURE_ID> depends_on = {}) {
  Feature feature;
  feature.id = id;
  feature.name = name;
  feature.supported = true;
  feature.versions = {1, 1};
  feature.depends_on = depends_on;
  return feature;
}

std::string Refusal(const std::vector<Feature>& rows) {
  const auto registry = FeatureRegistry::Create(rows);
  return registry.ok() ? "accepted" : registry.error().message;
}

TEST(FeatureRegistry, BuiltIn_IsValidAndHasWhatTheHeaderHas) {
  const auto registry = FeatureRegistry::Create(BuiltInFeatures());
  ASSERT_TRUE(registry.ok()) << registry.error().message;
  for (const DXGK_FEATURE_ID id :
       {DXGK_FEATURE_HWSCH, DXGK_FEATURE_HWFLIPQUEUE, DXGK_FEATURE_LDA_GPUPV, DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT,
        DXGK_FEATURE_USER_MODE_SUBMISSION, DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, DXGK_FEATURE_SAMPLE,
        DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER, DXGK_FEATURE_KERNEL_MODE_TESTING, DXGK_FEATURE_64K_PT_DEMOTION_FIX,
        DXGK_FEATURE_GPUPV_PRESENT_HWQUEUE, DXGK_FEATURE_GPUVAIOMMU, DXGK_FEATURE_NATIVE_FENCE,
        DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS}) {
    const std::size_t index = registry->IndexOf(id);
    ASSERT_NE(index, FeatureRegistry::kUnknown) << id;
    EXPECT_EQ(registry->at(index).id, id);
  }
}

TEST(FeatureRegistry, IndexOf_ReservedOrForeignId_IsUnknown) {
  const auto registry = FeatureRegistry::Create(BuiltInFeatures());
  ASSERT_TRUE(registry.ok());
  for (const UINT id : {6U, 30U, 47U, 63U, 64U, 0x10000008U, 0x20000000U, 0x40000000U, 0x0FFFFFFFU, 0xFFFFFFFFU}) {
    EXPECT_EQ(registry->IndexOf(static_cast<DXGK_FEATURE_ID>(id)), FeatureRegistry::kUnknown) << id;
  }
}

TEST(FeatureRegistry, Create_ChainAndDiamond_AreTaken) {
  EXPECT_EQ(Refusal({Row(kA, "A"), Row(kB, "B", kNeedsA), Row(kC, "C", kNeedsB)}), "accepted");
  EXPECT_EQ(Refusal({Row(kA, "A", kNeedsBAndC), Row(kB, "B"), Row(kC, "C", kNeedsB)}), "accepted");
}

TEST(FeatureRegistry, Create_Circle_IsRefusedWithTheChain) {
  EXPECT_THAT(Refusal({Row(kA, "A", kNeedsA)}), HasSubstr("A -> A."));
  EXPECT_THAT(Refusal({Row(kA, "A", kNeedsB), Row(kB, "B", kNeedsC), Row(kC, "C", kNeedsA)}), HasSubstr("A -> B -> C -> A."));
  // The way into the circle is no part of it.
  EXPECT_THAT(Refusal({Row(kA, "A", kNeedsB), Row(kB, "B", kNeedsC), Row(kC, "C", kNeedsB)}), HasSubstr(": B -> C -> B."));
}

TEST(FeatureRegistry, Create_RowThatContradictsItself_IsRefused) {
  EXPECT_THAT(Refusal({Row(kA, "A"), Row(kA, "B")}), HasSubstr("Feature B: Id 0x1 is that of A already."));
  EXPECT_THAT(Refusal({Row(kA, "A", kNeedsB)}), HasSubstr("A depends on 0x2, which is not there."));
  EXPECT_THAT(Refusal({Row(static_cast<DXGK_FEATURE_ID>(64), "A")}), HasSubstr("Id 0x40 is outside"));
  Feature row = Row(kA, "A");
  row.versions = {3, 2};
  EXPECT_THAT(Refusal({row}), HasSubstr("Versions 3 to 2 are no range."));
  row.versions = {};
  EXPECT_THAT(Refusal({row}), HasSubstr("Versions 0 to 0 are no range."));
  row = Row(kA, "A");
  row.global = row.driver = true;
  EXPECT_THAT(Refusal({row}), HasSubstr("global and needs a driver"));
  row.driver = false;
  row.depends_on = kNeedsB;
  EXPECT_THAT(Refusal({row, Row(kB, "B")}), HasSubstr("depends on B, which is an adapter's"));
  row = Row(kA, "A");
  row.before_initialization = true;
  EXPECT_THAT(Refusal({row}), HasSubstr("not global"));
  static constexpr FeatureInterfaceSize kTooNew[] = {{2, 8, 8}};
  static constexpr FeatureInterfaceSize kHalfAPointer[] = {{1, 12, 8}};
  row = Row(kA, "A");
  row.interfaces = kTooNew;
  EXPECT_THAT(Refusal({row}), HasSubstr("interfaces of version 2"));
  row.interfaces = kHalfAPointer;
  EXPECT_THAT(Refusal({row}), HasSubstr("12 and 8 bytes"));
}

}  // namespace
}  // namespace tandem::kernel
