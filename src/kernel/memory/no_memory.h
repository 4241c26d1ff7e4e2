// Where memory runs out between a driver's success and the kernel's own bookkeeping, what the driver made has to be undone: the
// exception becomes a status there.
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
