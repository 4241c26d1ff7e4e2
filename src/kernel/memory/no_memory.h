// Memory that runs out after a driver's success: the exception becomes a status, so that the caller undoes the driver's part.
#pragma once

#include <new>

#include <d3dkmddi.h>

namespace tandem::kernel {

// The status of `body`; STATUS_NO_MEMORY when it runs out of memory.
template <class Body>
[[nodiscard]] NTSTATUS OrNoMemory(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return STATUS_NO_MEMORY;
  }
}

}  // namespace tandem::kernel
