// The whole of the second figure: a runtime and a render adapter of the Direct3D 10 class, a display adapter of the 9 class, the
// shim and its translation between them.
#include <array>
#include <vector>

#include "drivers/processor/user_mode.h"
#include "shim/class9/translation.h"
#include "tests/shim/composite_fixture.h"

namespace tandem::shim_test {
namespace {

using swapchain::Sharing;

class Class9Composite : public CompositeTest, public ::testing::WithParamInterface<Sharing> {};

TEST_P(Class9Composite, EachFrame_IsDrawnByOneClassAndShownByTheOtherWhole) {
  Plug({});
  const TANDEM_SHIM_HOST host = swapchain::MakeShimHost(pair_->render().binding().luid, RenderPartnerOpenAdapter,
                                                        shim::TranslatedEntry(processor::ProcessorOpenAdapter));
  ASSERT_EQ(shim::SetShimHost(&host), S_OK);
  ASSERT_TRUE(Open().ok());
  const std::array primaries{MakePrimary(GetParam()), MakePrimary(GetParam())};
  for (std::uint32_t number = 1; number <= 12; ++number) {
    Draw(number, *primaries[0]);
    const auto flipped = Flip(*primaries[0]);
    ASSERT_TRUE(flipped.ok()) << flipped.error().message;
    ASSERT_TRUE(AwaitShown(number)) << number;
    ASSERT_EQ(Rotate(*primaries[0], *primaries[1]), S_OK);
  }
}

INSTANTIATE_TEST_SUITE_P(Shim, Class9Composite, ::testing::Values(Sharing::kPrivate, Sharing::kCrossAdapter),
                         [](const auto& chosen) { return chosen.param == Sharing::kPrivate ? "private" : "shared"; });

}  // namespace
}  // namespace tandem::shim_test
