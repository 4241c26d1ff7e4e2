// Variables of other software that choose among graphics adapters, as a program inherits them from its desktop or its launcher.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/policy/identity.h"

namespace tandem::config {

struct InheritedVariable {
  std::string name;
  std::string value;
  std::string meaning;  // one sentence
};

// Those that are set, in a fixed order.
[[nodiscard]] std::vector<InheritedVariable> InheritedSelection(const Environment& environment);

// "VK_LOADER_DRIVERS_SELECT=*radeon*": the variables by which adapters cannot be had; empty without one.
[[nodiscard]] std::string LimitingVariables(const Environment& environment);

// The render adapter that Mesa's variables ask for.
struct InheritedRender {
  std::string variable;
  std::string selector;  // as --render has it
};
// MESA_VK_DEVICE_SELECT before DRI_PRIME, as Mesa does; nothing for a value that names no adapter.
[[nodiscard]] std::optional<InheritedRender> InheritedRenderAdapter(const Environment& environment);

}  // namespace tandem::config
