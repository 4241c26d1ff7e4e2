#include "system/driver_faults.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace tandem::system {
namespace {

std::set<std::string> Ids(DriverKind kind, std::string_view driver, std::string_view version) {
  std::set<std::string> ids;
  for (const DriverFault* fault : FaultsOf(kind, driver, version)) ids.emplace(fault->id);
  return ids;
}

TEST(DriverFaults, VersionWithin_Matches_AndItsNeighboursDoNot) {
  using Set = std::set<std::string>;
  EXPECT_EQ(Ids(DriverKind::kVulkan, "llvmpipe", "Mesa 22.3.6 (LLVM 15.0.6)"), Set{"zink-resize"});
  EXPECT_EQ(Ids(DriverKind::kVulkan, "llvmpipe", "Mesa 22.3.5"), Set{});
  EXPECT_EQ(Ids(DriverKind::kVulkan, "llvmpipe", "Mesa 25.0.7"), Set{});
  EXPECT_EQ(Ids(DriverKind::kVulkan, "llvmpipe", ""), Set{});
  EXPECT_EQ(Ids(DriverKind::kKernel, "vkms", "6.12.9-amd64"), Set{"vkms-offset"});
  EXPECT_EQ(Ids(DriverKind::kKernel, "vkms", "6.1.0-28-amd64"), Set{"vkms-udmabuf"});
  EXPECT_EQ(Ids(DriverKind::kKernel, "vkms", "6.13.0"), Set{});
}

TEST(DriverFaults, NoRange_MatchesEachVersion) {
  EXPECT_EQ(Ids(DriverKind::kVulkan, "NVIDIA", "").size(), 2u);
  EXPECT_EQ(Ids(DriverKind::kVulkan, "NVIDIA", "595.45.04").size(), 2u);
  EXPECT_EQ(Ids(DriverKind::kKernel, "NVIDIA", "595.45.04").size(), 0u);
}

TEST(DriverFaults, EachRow_HasAnIdOfItsOwnAndASource) {
  std::set<std::string> ids;
  for (const DriverFault& fault : DriverFaults()) {
    EXPECT_TRUE(ids.emplace(fault.id).second) << fault.id;
    EXPECT_TRUE(fault.source.starts_with("https://") || fault.source.starts_with("docs/decisions/")) << fault.id;
    EXPECT_TRUE(fault.fails.ends_with('.') && fault.answer.ends_with('.')) << fault.id;
  }
}

}  // namespace
}  // namespace tandem::system
