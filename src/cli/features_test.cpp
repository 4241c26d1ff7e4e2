#include "cli/features.h"

#include <gtest/gtest.h>

#include "kernel/kernel.h"

namespace tandem::cli {
namespace {

std::vector<kernel::Feature> Rows() {
  std::vector<kernel::Feature> rows(3);
  rows[0] = kernel::Kernel::Features()[0];
  rows[0].supported = true;
  for (const kernel::Feature& feature : kernel::Kernel::Features()) {
    if (feature.id == DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD) rows[1] = feature;
    if (feature.id == DXGK_FEATURE_GPUVAIOMMU) rows[2] = feature;
  }
  return rows;
}

// The header, and the lines of HWSCH, SHARE_BACKING_STORE_WITH_KMD and GPUVAIOMMU, as the public page shows them.
TEST(FeatureTables, List_IsColumnForColumnThatOfTheDebuggerExtension) {
  EXPECT_EQ(FeatureListTable(Rows()),
            "  Id  FeatureName                                       Supported  Version  VirtMode     Global  Driver\n"
            "   0  HWSCH                                             Yes        1-1      Negotiate    -       X\n"
            "   5  SHARE_BACKING_STORE_WITH_KMD                      Yes        1-1      HostOnly     -       X\n"
            "  36  GPUVAIOMMU                                        No         1-1      None         X       -\n");
}

// The public header has one space less before Version than its rows have; here the header fits the rows.
TEST(FeatureTables, Config_IsColumnForColumnThatOfTheDebuggerExtension) {
  system::FeatureReport report;
  EXPECT_EQ(FeatureConfigTable(Rows(), report),
            "  Id  FeatureName                                       Enabled  Version  AllowExperimental\n"
            "   0  HWSCH                                             --       --       -\n"
            "   5  SHARE_BACKING_STORE_WITH_KMD                      --       --       -\n"
            "  36  GPUVAIOMMU                                        --       --       -\n");
  report.overrides = {{DXGK_FEATURE_HWSCH, true, DXGK_FEATURE_VERSION{1}, DXGK_FEATURE_VERSION{1}, true}};
  EXPECT_NE(FeatureConfigTable(Rows(), report).find("HWSCH                                             Yes      1-1      Yes\n"),
            std::string::npos);
}

TEST(FeatureTables, State_IsColumnForColumnThatOfTheDebuggerExtension) {
  system::FeatureReport report;
  report.states.resize(2);
  report.states[0] = {DXGK_FEATURE_HWSCH, true, {}};
  report.states[0].result.Enabled = report.states[0].result.SupportedByDriver = 1;
  report.states[0].result.SupportedOnCurrentConfig = 1;
  report.states[0].result.Version = 1;
  report.states[1] = {DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, true, {}};
  EXPECT_EQ(FeatureStateTable(Rows(), report),
            "  Id  FeatureName                                       Enabled  Version  Driver  Config\n"
            "   0  HWSCH                                             Yes      1        Yes     Yes\n"
            "   5  SHARE_BACKING_STORE_WITH_KMD                      No       0        No      No\n"
            "  36  GPUVAIOMMU                                        Unknown  --       --      --\n");
}

}  // namespace
}  // namespace tandem::cli
