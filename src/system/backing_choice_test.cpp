#include "system/backing_choice.h"

#include <gtest/gtest.h>

namespace tandem::system {
namespace {

PageAbility Yes() { return {true, "Patterns passed both ways.", 1, 1}; }
PageAbility No(const char* reason) { return {false, reason, 0, 0}; }

TEST(BackingChoice, PairOfProcessors_TakesAMemfd) {
  const BackingChoice choice = ChooseBacking(ProcessorAbilities(), ProcessorAbilities());
  EXPECT_EQ(choice.chosen, BackingWay::kMemfd);
  EXPECT_EQ(choice.reason, "Both adapters use a memfd.");
}

TEST(BackingChoice, RenderAdapterThatImportsNothing_ExportsItsOwn) {
  PageAbilities render{No("No memfd."), No("No import."), Yes(), No("No pages.")};
  const BackingChoice choice = ChooseBacking(render, ProcessorAbilities());
  EXPECT_EQ(choice.chosen, BackingWay::kRenderDmaBuf);
  EXPECT_EQ(choice.reason, "Not a memfd, render adapter: No memfd. Both adapters use a dma-buf of the render adapter.");
}

TEST(BackingChoice, DisplayAdapterThatExports_ComesBeforeAnonymousPages) {
  PageAbilities render{No("No memfd."), Yes(), No("No export."), Yes()};
  PageAbilities display = ProcessorAbilities();
  EXPECT_EQ(ChooseBacking(render, display).chosen, BackingWay::kAnonymous);
  display.own_dma_buf = Yes();
  EXPECT_EQ(ChooseBacking(render, display).chosen, BackingWay::kDisplayDmaBuf);
}

TEST(BackingChoice, PairWithoutCommonMemory_IsCopiedByTheProcessor) {
  const PageAbilities render{No("A."), No("B."), No("C."), No("D.")};
  const BackingChoice choice = ChooseBacking(render, ProcessorAbilities());
  EXPECT_FALSE(choice.chosen);
  for (const char* part : {"A.", "B.", "C.", "D.", "The processor copies."})
    EXPECT_NE(choice.reason.find(part), std::string::npos) << choice.reason;
}

}  // namespace
}  // namespace tandem::system
