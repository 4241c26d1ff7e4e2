#include "cli/bypass.h"

#include <fmt/format.h>

namespace tandem::cli {

std::string BypassSentence(const status::RunNote& note, const std::string& program) {
  if (note.swap_chain) return {};
  const std::string head = fmt::format("'{}' showed no frame through Tandem", program);
  if (note.instance) return head + ": it used Vulkan and made no swap chain, so there was nothing to show.";
  if (!note.stepped_aside.empty()) return fmt::format("{}, whose layer stepped aside: {}", head, note.stepped_aside);
  return head +
         ": no Vulkan program in it loaded Tandem before it ended, or a sandbox keeps it from saying so, as --stats does. OpenGL "
         "needs '--gl'; a wrapper has to keep the environment; '--as driver' serves programs that refuse layers.";
}

}  // namespace tandem::cli
