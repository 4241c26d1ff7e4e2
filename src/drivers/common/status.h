// The status of a DDI for a failure that it answers for.
#pragma once

#include "base/result.h"

#include <dispmprt.h>

namespace tandem::drivers {

[[nodiscard]] NTSTATUS ToNtStatus(const Error& error);

}  // namespace tandem::drivers
