#include "cli/run_checks.h"

#include <gtest/gtest.h>

#include "swapchain/swap_chain.h"

namespace tandem::cli {
namespace {

class RunChecksTest : public testing::Test {
 protected:
  RunChecksTest() {
    gpu_.name = "a GPU";
    gpu_.tier = 2;
    gpu_.outputs = {"wsi-xcb", "wsi-wayland"};
    soft_.name = "the software adapter";
    soft_.tier = 3;
    soft_.outputs = {"x11", "wayland", "headless"};
    settings_.display = "some";
  }
  // The sentence, or nothing.
  [[nodiscard]] std::string Refusal(const config::AdapterInfo& display, const WindowSystems& here) const {
    const auto error = RefusedBeforeStart(settings_, gpu_, display, here);
    return error ? error->message : "";
  }

  config::AdapterInfo gpu_, soft_;
  config::Settings settings_;
};

constexpr WindowSystems kX11{true, false}, kWayland{false, true}, kNone{false, false}, kBoth{true, true};

TEST_F(RunChecksTest, PathThatThePairCannotHave_IsRefused) {
  settings_.path = swapchain::PathRequest::kDirect;
  EXPECT_NE(Refusal(gpu_, kX11).find("display adapter a GPU has cross-adapter tier 2 and tier 3 is needed"), std::string::npos)
      << Refusal(gpu_, kX11);
  EXPECT_EQ(Refusal(soft_, kX11), "");
  gpu_.tier = 1;
  EXPECT_NE(Refusal(soft_, kX11).find("render adapter a GPU"), std::string::npos);
}

TEST_F(RunChecksTest, DirectPathWithFiguresInThePicture_IsRefused) {
  settings_.hud = true;
  EXPECT_EQ(Refusal(soft_, kX11), "");
  settings_.path = swapchain::PathRequest::kDirect;
  EXPECT_NE(Refusal(soft_, kX11).find("that is the program's own image"), std::string::npos) << Refusal(soft_, kX11);
}

TEST_F(RunChecksTest, PathsThatOnlyTheDriversKnowMore_AreTried) {
  for (const auto path : {swapchain::PathRequest::kAuto, swapchain::PathRequest::kTwoCopy, swapchain::PathRequest::kCpuCopy,
                          swapchain::PathRequest::kCompressed}) {
    settings_.path = path;
    EXPECT_EQ(Refusal(soft_, kX11), "") << swapchain::ToString(path);
  }
}

TEST_F(RunChecksTest, AdapterWithoutWayland_IsRefusedThereWhereItWasNamed) {
  EXPECT_EQ(Refusal(gpu_, kWayland), "");
  EXPECT_EQ(Refusal(soft_, kWayland), "");
  gpu_.outputs = {"wsi-xcb"};
  EXPECT_NE(Refusal(gpu_, kWayland).find("shows no windows of Wayland"), std::string::npos);
  EXPECT_EQ(Refusal(gpu_, kBoth), "");
  EXPECT_EQ(Refusal(gpu_, kNone), "");  // the program says it better
  settings_.output.kind = config::OutputSpec::Kind::kHeadless;
  EXPECT_EQ(Refusal(gpu_, kWayland), "");
  settings_.output.kind = config::OutputSpec::Kind::kAuto;
  settings_.display.clear();
  EXPECT_EQ(Refusal(gpu_, kWayland), "");  // another takes its place
}

}  // namespace
}  // namespace tandem::cli
