#include "layer/workarounds.h"

#include <string_view>

#include "base/log.h"

namespace tandem::layer {
namespace {

struct Row {
  std::string_view engine;
  bool Workarounds::*wanted;
  std::string_view why;
};

constexpr Row kRows[] = {
    {"mesa zink", &Workarounds::quiet_presents,
     "after a present reports that its window has another size, it recreates its swap chain within a frame and, on lavapipe, "
     "draws past the end of smaller images (Mesa 22.3.6, kopper_present of zink_kopper.c); it queries the size with each frame "
     "anyway"},
};

}  // namespace

Workarounds WorkaroundsFor(const VkApplicationInfo* application) {
  Workarounds found;
  if (application == nullptr || application->pEngineName == nullptr) return found;
  for (const Row& row : kRows) {
    if (row.engine != application->pEngineName) continue;
    found.*row.wanted = true;
    Log(LogLevel::kInfo, "The engine is '{}': {}.", row.engine, row.why);
  }
  return found;
}

}  // namespace tandem::layer
