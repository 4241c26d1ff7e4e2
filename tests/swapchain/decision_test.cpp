// Every branch of the decision between one copy and two, at a swap chain's creation and at ResizeBuffers.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/swapchain/other_screen.h"
#include "tests/swapchain/refusing_umd.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::Path;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint64_t kBytesPerSecond = 64 * 48 * 4 * 500;  // needed by the smaller surface

SwapChainDesc SizedDesc(std::uint32_t width, std::uint32_t height) {
  SwapChainDesc desc;
  desc.width = width;
  desc.height = height;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  return desc;
}

struct Case {
  const char* name;
  std::uint32_t display_tier = 3;
  std::uint32_t render_tier = 1;
  Refuse refused = Refuse::kNothing;
  std::uint32_t width = 64;
  std::uint32_t height = 48;
  Path path = Path::kTwoCopy;
  const char* why = nullptr;  // part of the sentence about one-copy
};

const std::vector<Case>& Branches() {
  static const std::vector<Case> cases{
      {"cap", 2, 1, Refuse::kNothing, 64, 48, Path::kTwoCopy, "has cross-adapter tier 2 and tier 3 is needed"},
      {"CreateResource fails", 3, 1, Refuse::kSharedPrimary, 64, 48, Path::kTwoCopy, "did not create a shared primary"},
      {"NO_SCANOUT", 3, 1, Refuse::kScanOut, 64, 48, Path::kTwoCopy, "(NO_SCANOUT), which tier 3 does not allow"},
      {"NO_SCANOUT beyond the minimum", 3, 1, Refuse::kScanOut, 1921, 1, Path::kTwoCopy, "(NO_SCANOUT)."},
      {"StaticCheck", 3, 1, Refuse::kNothing, 65, 48, Path::kTwoCopy, "(StaticCheck)"},
      {"all three", 3, 1, Refuse::kNothing, 64, 48, Path::kOneCopy, nullptr},
      {"all three, and the render adapter draws there", 3, 2, Refuse::kNothing, 64, 48, Path::kDirect, nullptr},
  };
  return cases;
}

std::unique_ptr<SoftPair> PairFor(const Case& branch) {
  PairOptions options;
  options.display_tier = branch.display_tier;
  options.render_tier = branch.render_tier;
  options.scan_out_bytes_per_second = kBytesPerSecond;
  options.open_display = RefusingOpenAdapter10_2;
  return SoftPair::Create(options);
}

std::unique_ptr<SwapChain> Make(SoftPair& pair, const SwapChainDesc& desc) {
  auto chain = SwapChain::Create(pair.render(), pair.display(), desc, MonotonicClock());
  EXPECT_TRUE(chain.ok()) << chain.error().message;
  return chain.ok() ? *std::move(chain) : nullptr;
}

void ShowFrames(SoftPair& pair, SwapChain& chain, const SwapChainDesc& desc, std::uint32_t& next) {
  const TestApplication application(pair.render(), chain, desc);
  ASSERT_TRUE(PresentFrames(chain, application, next, 5).ok());
  next += 5;
  ASSERT_TRUE(chain.WaitForPresent(next - 1, kPatienceNs).ok());
}

void ExpectBranch(const Case& branch, const SwapChain& chain) {
  const auto& decision = chain.decision();
  EXPECT_EQ(decision.path, branch.path) << ToString(decision.path);
  if (branch.why == nullptr) return;
  ASSERT_EQ(decision.refused.size(), 2u);
  EXPECT_TRUE(decision.refused[1].starts_with("one-copy: ")) << decision.refused[1];
  EXPECT_NE(decision.refused[1].find(branch.why), std::string::npos) << decision.refused[1];
}

TEST(SwapChainDecision, AtCreation_EachBranchIsTakenAndSaid) {
  for (const Case& branch : Branches()) {
    SCOPED_TRACE(branch.name);
    const auto pair = PairFor(branch);
    ASSERT_TRUE(pair);
    refuse = branch.refused;
    const SwapChainDesc desc = SizedDesc(branch.width, branch.height);
    const auto chain = Make(*pair, desc);
    refuse = Refuse::kNothing;
    ASSERT_TRUE(chain);
    ExpectBranch(branch, *chain);
    std::uint32_t next = 1;
    ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *chain, desc, next));
    EXPECT_EQ(pair->output().Numbers(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
  }
}

// ResizeBuffers drops the old buffers and decides again, in both directions.
TEST(SwapChainDecision, AtResizeBuffers_EachBranchIsTakenAnew) {
  for (const Case& branch : Branches()) {
    SCOPED_TRACE(branch.name);
    const auto pair = PairFor(branch);
    ASSERT_TRUE(pair);
    const SwapChainDesc before = SizedDesc(60, 40);
    const SwapChainDesc desc = SizedDesc(branch.width, branch.height);
    std::uint32_t next = 1;
    std::unique_ptr<SwapChain> old = Make(*pair, before);
    ASSERT_TRUE(old);
    const Path first = old->decision().path;
    ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *old, before, next));
    old->Retire();
    refuse = branch.refused;
    auto chain = Make(*pair, desc);
    refuse = Refuse::kNothing;
    ASSERT_TRUE(chain);
    old.reset();
    ExpectBranch(branch, *chain);
    ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *chain, desc, next));
    chain->Retire();
    const auto again = Make(*pair, before);
    ASSERT_TRUE(again);
    chain.reset();
    EXPECT_EQ(again->decision().path, first);
    ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *again, before, next));
    EXPECT_EQ(pair->output().Numbers().size(), 15u);
    EXPECT_EQ(pair->output().Numbers().back(), 15u);
  }
}

TEST(SwapChainDecision, BandwidthThatAnotherScreenHas_IsNotThereUntilItGoes) {
  PairOptions options;
  options.connectors = 2;
  options.scan_out_bytes_per_second = kBytesPerSecond * 3 / 2;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  ASSERT_TRUE(pair->connectors().Plug(std::make_shared<ReadingOutput>(options.refresh_period_ns)).ok());
  const SwapChainDesc desc = SizedDesc(64, 48);
  std::uint32_t next = 1;
  auto first = Make(*pair, desc);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->decision().path, Path::kDirect);
  ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *first, desc, next));
  SwapChainDesc other = desc;
  other.vidpn_source = 1;
  const auto beside = Make(*pair, other);
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->decision().path, Path::kTwoCopy);
  EXPECT_NE(beside->decision().refused.at(1).find("StaticCheck"), std::string::npos);
  first.reset();
  const auto alone = Make(*pair, other);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->decision().path, Path::kDirect);
}

// D3D12CreateDevice: the user-mode cap is a superset of the kernel-mode driver's tier 2.
TEST(RuntimeDevice, RowMajorTexturesWithoutTierTwo_AreRefused) {
  for (const std::uint32_t tier : {0u, 1u, 2u, 3u}) {
    PairOptions options;
    options.display_tier = tier;
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    claims_row_major_textures = true;
    const auto device = swapchain::RuntimeDevice::Create({pair->display_luid(), RefusingOpenAdapter10_2, "display", {}});
    claims_row_major_textures = false;
    EXPECT_EQ(device.ok(), tier >= 2) << tier;
    if (!device.ok()) {
      EXPECT_EQ(device.error().kind, ErrorKind::kUnsupported);
      EXPECT_NE(device.error().message.find("CrossAdapterRowMajorTextureSupported"), std::string::npos) << device.error().message;
    }
  }
}

TEST(SwapChainDecision, StaticCheck_ChangesNothingForFramesOnTheScreen) {
  PairOptions options;
  options.scan_out_bytes_per_second = kBytesPerSecond;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = SizedDesc(64, 48);
  const auto chain = Make(*pair, desc);
  ASSERT_TRUE(chain);
  std::uint32_t next = 1;
  ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *chain, desc, next));
  for (int i = 0; i < 3; ++i) {
    const auto refused = Make(*pair, SizedDesc(100, 100));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->decision().path, Path::kTwoCopy);
    ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, *chain, desc, next));
  }
  EXPECT_TRUE(chain->events().empty());
}

}  // namespace
}  // namespace tandem::swapchain_test
