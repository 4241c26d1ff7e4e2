#include "system/backing_choice.h"

#include <fmt/format.h>

namespace tandem::system {
namespace {

// Why a way does not work; the first side that refuses counts.
std::string Refusal(BackingWay way, const BackingCandidate& candidate) {
  const bool render = !candidate.render.works;
  return fmt::format("Not {}, {} adapter: {}", NameOf(way), render ? "render" : "display",
                     render ? candidate.render.reason : candidate.display.reason);
}

}  // namespace

char LetterOf(BackingWay way) { return static_cast<char>('a' + static_cast<int>(way)); }

const char* NameOf(BackingWay way) {
  switch (way) {
    case BackingWay::kMemfd: return "a memfd";
    case BackingWay::kRenderDmaBuf: return "a dma-buf of the render adapter";
    case BackingWay::kDisplayDmaBuf: return "a dma-buf of the display adapter";
    case BackingWay::kAnonymous: break;
  }
  return "anonymous pages";
}

PageAbilities ProcessorAbilities() {
  const PageAbility mapped{true, "The processor maps the pages.", 0, 0};
  return {mapped, mapped, {false, "The adapter has no memory of a device to export.", 0, 0}, mapped};
}

BackingChoice ChooseBacking(const PageAbilities& render, const PageAbilities& display) {
  BackingChoice choice;
  choice.candidates = {{{render.memfd, display.memfd},
                        {render.own_dma_buf, display.foreign_dma_buf},
                        {render.foreign_dma_buf, display.own_dma_buf},
                        {render.anonymous, display.anonymous}}};
  for (std::size_t i = 0; i < kBackingWays; ++i) {
    const auto way = static_cast<BackingWay>(i);
    if (!choice.reason.empty()) choice.reason += ' ';
    if (choice.candidates[i].works()) {
      choice.chosen = way;
      choice.reason += fmt::format("Both adapters use {}.", NameOf(way));
      return choice;
    }
    choice.reason += Refusal(way, choice.candidates[i]);
  }
  choice.reason += " The processor copies.";
  return choice;
}

}  // namespace tandem::system
