// The one place where a driver is called: sets the IRQL that the DDI is defined at, takes its synchronization level, and notices what the driver breaks.
#pragma once

#include <cstdint>
#include <utility>

#include <d3dkmddi.h>

namespace tandem::kernel {

// Every DDI that the kernel calls. The table of IRQL, level and class stands in ddi_gate.cpp.
enum class Ddi : std::uint8_t {
  kAddDevice, kStartDevice, kStopDevice, kRemoveDevice, kUnload, kQueryInterface, kQueryAdapterInfo, kQueryChildRelations, kQueryChildStatus,
  kInterruptRoutine, kDpcRoutine, kControlInterrupt, kResetDevice,
  kCreateDevice, kDestroyDevice, kCreateContext, kDestroyContext,
  kCreateAllocation, kDestroyAllocation, kDescribeAllocation, kGetStandardAllocationDriverData, kOpenAllocation, kCloseAllocation,
  kSetAllocationBackingStore,
  kBuildPagingBuffer, kPresent, kRender, kPatch, kSubmitCommand, kPreemptCommand, kQueryCurrentFence,
  kSetVidPnSourceAddress, kSetVidPnSourceVisibility, kCommitVidPn, kGetScanLine,
  kResetFromTimeout, kRestartFromTimeout, kResetEngine, kQueryEngineStatus, kQueryDependentEngineGroup, kCollectDbgInfo, kEscape,
  kCount
};

// Threads: any. Call() blocks while the DDI's synchronization level demands it. One per adapter.
class DdiGate {
 public:
  // Calls `function(args...)` at the DDI's IRQL and level; `function` must not be null.
  template <class Function, class... Args>
  auto Call(Ddi ddi, Function function, Args... args) {
    Scope scope(*this, ddi);
    return function(args...);
  }

 private:
  class Scope {
   public:
    Scope(DdiGate& gate, Ddi ddi);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    DdiGate& gate_;
    Ddi ddi_;
  };
};

}  // namespace tandem::kernel
