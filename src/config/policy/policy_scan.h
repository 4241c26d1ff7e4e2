// A look at the text of a policy file before it is parsed.
#pragma once

#include <string_view>

#include "config/policy/identity.h"

namespace tandem::config {

// False: no table of the file is [default] or names the program, so its tables decide nothing here. A parser costs a program
// several times as much at its first use. Takes any bytes; true wherever a scan cannot tell.
[[nodiscard]] bool MayConcern(std::string_view text, const ProgramIdentity& program);

}  // namespace tandem::config
