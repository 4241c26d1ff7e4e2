#include "tests/tree/arrows.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::tree {
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

TEST(Arrows, EachNameOfTheTree_FollowsOne) {
  const auto tree = ReadSourceTree();
  std::map<std::string, std::string> texts;
  for (const SourceFile& file : tree) texts.emplace(file.path, file.text);
  for (const SourceFile& file : tree) {
    const std::string stem = file.path.substr(0, file.path.rfind('.'));
    const std::string unit = stem.ends_with("_test") ? stem.substr(0, stem.size() - 5) : stem;
    const auto header = texts.find(unit + ".h");
    const std::string own = header == texts.end() || header->first == file.path ? "" : header->second;
    for (const std::string& sentence : ForbiddenNames(file, own)) ADD_FAILURE() << sentence;
  }
}

TEST(Arrows, NamesOfAnotherModule_NeedAnArrowAndAHeader) {
  const auto check = [](const std::string& text, const std::string& own = "") {
    return ForbiddenNames({"src/layer/a.cpp", text}, own);
  };
  EXPECT_THAT(check("vulkan::Image image;"), ElementsAre("src/layer/a.cpp: layer may not name vulkan::."));
  EXPECT_THAT(check("::tandem::vulkan::Image image;"), SizeIs(1));
  EXPECT_THAT(check("system::Window w;"), ElementsAre("src/layer/a.cpp names system:: and includes no header of system."));
  EXPECT_THAT(check("#include \"system/a.h\"\nsystem::Window w;"), IsEmpty());
  EXPECT_THAT(check("system::Window w;", "#include \"system/a.h\"\n"), IsEmpty());
  EXPECT_THAT(check("layer::A a; // vulkan::Image\nauto b = \"vulkan::Image\"; my_vulkan::C c; other::vulkan::D d;"), IsEmpty());
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

TEST(Arrows, CommonPartOfTheDrivers_KnowsNoDriverAndNoKernel) {
  EXPECT_THAT(Check("src/drivers/soft/kmd/a.cpp", "\"drivers/common/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/drivers/vulkan/gpu/a.cpp", "\"drivers/common/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/drivers/common/a.cpp", "\"link/surface/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/drivers/common/a.cpp", "\"drivers/soft/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/drivers/common/a.cpp", "\"kernel/kernel.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/drivers/common/a.cpp", "\"outputs/output.h\""), SizeIs(1));
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

TEST(Arrows, Fakes_ServeTheTestsOfTheirModule) {
  EXPECT_THAT(Check("src/kernel/memory/a_test.cpp", "\"kernel/testing/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/kernel/memory/a.cpp", "\"kernel/testing/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/swapchain/a_test.cpp", "\"kernel/testing/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/swapchain/a_test.cpp", "\"base/testing/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/kernel/testing/a.h", "\"base/testing/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"base/testing/b.h\""), SizeIs(1));
}

TEST(Arrows, SwapChain_EntersTheKernelByItsDoor) {
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"kernel/thunk/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/swapchain/a.cpp", "<d3dkmthk/present.h>"), IsEmpty());
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"kernel/kernel.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/swapchain/a.cpp", "\"kernel/thunks/b.h\""), SizeIs(1));
}

TEST(Arrows, OnlySystem_NamesConcreteDrivers) {
  EXPECT_THAT(Check("src/system/a.cpp", "\"drivers/soft/b.h\""), IsEmpty());
  EXPECT_THAT(Check("src/layer/a.cpp", "\"drivers/soft/b.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/cli/a.cpp", "\"outputs/output.h\""), SizeIs(1));
  EXPECT_THAT(Check("src/config/a.cpp", "\"system/system.h\""), SizeIs(1));
}

TEST(Arrows, LowerModules_DoNotSeeTheContractOrHardware) {
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

TEST(Arrows, FileInNoModule_IsSaid) {
  EXPECT_THAT(Check("src/utils/a.cpp", "<vector>"), ElementsAre("src/utils/a.cpp stands in no module."));
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
}  // namespace tandem::tree
