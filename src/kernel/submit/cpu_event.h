// An event of a program: an eventfd in the place of Windows' event handle.
#pragma once

#include <utility>

#include "base/unique_fd.h"

#include <d3dukmdt.h>

namespace tandem::kernel {

class CpuEvent {
 public:
  CpuEvent() = default;
  // A duplicate of the program's descriptor. STATUS_INVALID_HANDLE when it is closed, STATUS_OBJECT_TYPE_MISMATCH for a file, a
  // pipe or a socket: writing could block, or change it.
  [[nodiscard]] static NTSTATUS Open(HANDLE handle, CpuEvent& event);
  // Adds 1, unless the count has no room for it. Any thread, under any lock.
  void Set() const;

 private:
  UniqueFd fd_;
};

}  // namespace tandem::kernel
