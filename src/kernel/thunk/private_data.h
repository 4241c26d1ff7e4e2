// Private data that a program hands to a thunk.
#pragma once

#include "kernel/memory/limits.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// True for at most kMaxPrivateDataBytes at an address, and for none.
[[nodiscard]] inline bool IsPrivateData(const void* data, UINT bytes) {
  return bytes <= kMaxPrivateDataBytes && (data != nullptr || bytes == 0);
}

}  // namespace tandem::kernel
