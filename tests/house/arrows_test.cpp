#include "tests/house/arrows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::house {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> Check(const std::string& path, const std::string& include) {
  return ForbiddenIncludes({path, "#include " + include + "\n"}, {"d3dkmddi.h", "d3dkmthk/present.h"});
}

TEST(Arrows, EachIncludeOfTheTree_FollowsOne) {
  const auto tree = ReadSourceTree();
  ASSERT_FALSE(tree.empty());
  const auto wddm_headers = WddmHeaders(tree);
  for (const SourceFile& file : tree) {
    for (const std::string& sentence : ForbiddenIncludes(file, wddm_headers)) ADD_FAILURE() << sentence;
  }
}

TEST(Arrows, KernelAndDrivers_MeetOnlyAtTheContract) {
  EXPECT_THAT(Check("src/drivers/soft/kmd/present.cpp", "<d3dkmddi.h>"), IsEmpty());
  EXPECT_THAT(Check("src/kernel/present/present.cpp", "<d3dkmddi.h>"), IsEmpty());
  EXPECT_THAT(Check("src/drivers/soft/kmd/present.cpp", "\"kernel/present/present.h\""),
              ElementsAre("src/drivers/soft/kmd/present.cpp:1: drivers/soft may not include kernel/present/present.h."));
  EXPECT_THAT(Check("src/kernel/present/present.cpp", "\"drivers/soft/soft_device.h\""), SizeIs(1));
}

TEST(Arrows, Drivers_DoNotKnowEachOther) {
  EXPECT_THAT(Check("src/drivers/vulkan/kmd/a.cpp", "\"drivers/vulkan/umd/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/drivers/vulkan/kmd/a.cpp", "\"drivers/soft/soft_device.h\""), SizeIs(1));
}

TEST(Arrows, FoldersOfTheVulkanDriver_GoDownOnly) {
  EXPECT_THAT(Check("src/drivers/vulkan/link/a.cpp", "\"drivers/vulkan/blit/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/drivers/vulkan/blit/a.cpp", "\"drivers/vulkan/link/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/drivers/vulkan/gpu/a.cpp", "\"drivers/vulkan/blit/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/drivers/vulkan/display/a.cpp", "\"drivers/vulkan/kmd/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/drivers/vulkan/umd/a.cpp", "\"drivers/vulkan/kmd/b.h\""), SizeIs(1));
}

TEST(Arrows, FoldersOfTheKernel_GoDownOnly) {
  EXPECT_THAT(Check("src/kernel/present/a.cpp", "\"kernel/submit/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/kernel/submit/a.cpp", "\"kernel/present/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/kernel/feature/a.cpp", "\"kernel/adapter/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/kernel/thunk/a.cpp", "\"kernel/present/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/kernel/adapter/a.cpp", "\"kernel/kernel.h\""), IsEmpty());
  EXPECT_THAT(Check("src/kernel/kernel.h", "\"kernel/adapter/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/kernel/kernel.cpp", "\"kernel/adapter/b.h\""), IsEmpty());
}

TEST(Arrows, Fakes_ServeTheTestsOfTheirRoom) {
  EXPECT_THAT(Check("src/kernel/memory/a_test.cpp", "\"kernel/testing/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/kernel/memory/a.cpp", "\"kernel/testing/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/swapchain/a_test.cpp", "\"kernel/testing/b.h\""), SizeIs(1));
}

TEST(Arrows, SwapChain_EntersTheKernelByItsDoor) {
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"kernel/thunk/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/swapchain/a.cpp", "<d3dkmthk/present.h>"), IsEmpty());
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"kernel/kernel.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"kernel/thunks/b.h\""), SizeIs(1));
}

TEST(Arrows, OnlySystem_NamesConcreteDrivers) {
  EXPECT_THAT(Check("src/system/a.cpp", "\"drivers/kms/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/layer/a.cpp", "\"drivers/kms/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/cli/a.cpp", "\"outputs/output.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/config/a.cpp", "\"system/system.h\""), SizeIs(1));
}

TEST(Arrows, LowerRooms_DoNotSeeTheContractOrHardware) {
  EXPECT_THAT(Check("src/base/a.cpp", "<d3dkmddi.h>"), SizeIs(1));
  EXPECT_THAT(Check("src/outputs/a.cpp", "<d3dkmddi.h>"), SizeIs(1));
  EXPECT_THAT(Check("src/kernel/kernel.cpp", "<vulkan/vulkan.h>"), SizeIs(1));
  EXPECT_THAT(Check("src/swapchain/a.cpp", "<xcb/xcb.h>"), SizeIs(1));
  EXPECT_THAT(Check("src/drivers/vulkan/a.cpp", "<vulkan/vulkan.h>"), IsEmpty());
}

TEST(Arrows, WideLibraries_StayInOnePlace) {
  EXPECT_THAT(Check("src/base/log.cpp", "<spdlog/logger.h>"), IsEmpty());
  EXPECT_THAT(Check("src/kernel/kernel.cpp", "<spdlog/logger.h>"), SizeIs(1));
  EXPECT_THAT(Check("src/color/simd/a.cpp", "<hwy/highway.h>"), IsEmpty());
  EXPECT_THAT(Check("src/color/reference/a.cpp", "<hwy/highway.h>"), SizeIs(1));
}

TEST(Arrows, FileInNoRoom_IsSaid) {
  EXPECT_THAT(Check("src/utils/a.cpp", "<vector>"), ElementsAre("src/utils/a.cpp stands in no room of the house."));
}

TEST(IncludesOf, SpacesAndComments_AreRead) {
  const auto includes = IncludesOf("#pragma once\n#  include   <a/b.h>  // why\n// #include \"no.h\"\n #include \"c.h\"");
  ASSERT_EQ(includes.size(), 2U);
  EXPECT_EQ(includes[0].path, "a/b.h");
  EXPECT_EQ(includes[0].line, 2);
  EXPECT_FALSE(includes[0].quoted);
  EXPECT_EQ(includes[1].path, "c.h");
  EXPECT_TRUE(includes[1].quoted);
}

}  // namespace
}  // namespace tandem::house
