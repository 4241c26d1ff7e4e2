// The rules of the user-mode half through a shim, in each of its forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conform/driver_under_test.h"
#include "conform/plan.h"

namespace tandem::conform {

[[nodiscard]] std::string_view ToString(ShimForm form);  // "library", "inside", "hidden"

// Trials of the rules about user-mode primaries and of the shim's own, in each form: the driver as the render adapter's, and as
// the display adapter's if it shows outputs. `library`: the path of libtandem_shim.so; empty: it is not here.
[[nodiscard]] std::vector<Trial> PlanThroughShim(const DriverUnderTest& driver, const DriverUnderTest& reference,
                                                 const std::string& library);

// Runs a trial that has a form.
[[nodiscard]] Outcome RunThroughShim(const Trial& trial);

}  // namespace tandem::conform
