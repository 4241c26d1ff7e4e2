// The rules of the NT side that the driver host checks.
#pragma once

namespace tandem::drivers::host {

enum class Rule {
  kIrql,
  kPagedCode,
  kPoolLeak,
  kPoolFree,
  kPoolOverrun,
  kPoolFreed,
  kContiguousLeak,
  kSpinLock,
  kSpinLockAcrossWait,
  kUninitialized,
  kMutexOwner,
  kDpcPending,
  kTimerPending,
  kWorkItemPending,
  kThreadRunning,
  kHandleOpen,
  kHandle,
  kHandleClosed,
  kMdlLeak,
  kMdlMapped,
  kIoSpaceMapped,
  kPort,
  kRegisterAccess,
  kAssertion,
  kBreakPoint,
  kBugCheck,
  kException,
  kCount,
};

struct RuleText {
  const char* name;
  const char* sentence;
};

// Indexed by Rule.
inline constexpr RuleText kRules[] = {
    {"Nt.Irql", "A function is called at no IRQL above its documented maximum."},
    {"Nt.PagedCode", "A function that says PAGED_CODE runs at no IRQL above APC_LEVEL."},
    {"Nt.PoolLeak", "Pool memory is freed before the driver is unloaded."},
    {"Nt.PoolFree", "Pool memory is freed once, by its address and its tag."},
    {"Nt.PoolOverrun", "Nothing is accessed past the end of pool memory."},
    {"Nt.PoolFreed", "Pool memory is not accessed after it was freed."},
    {"Nt.ContiguousLeak", "Contiguous memory is freed before the driver is unloaded."},
    {"Nt.SpinLock", "A spin lock is acquired once and released by its owner."},
    {"Nt.SpinLockAcrossWait", "No spin lock is held across a wait."},
    {"Nt.Uninitialized", "An event, timer, mutex, semaphore or DPC is initialized before its use."},
    {"Nt.MutexOwner", "A mutex is released by its owner."},
    {"Nt.DpcPending", "No DPC is queued when its memory is freed or the driver is unloaded."},
    {"Nt.TimerPending", "No timer is set when its memory is freed or the driver is unloaded."},
    {"Nt.WorkItemPending", "No work item is left when the driver is unloaded."},
    {"Nt.ThreadRunning", "System threads end before the driver is unloaded."},
    {"Nt.HandleOpen", "Handles and references are closed before the driver is unloaded."},
    {"Nt.Handle", "A handle that is used is open and of the right type."},
    {"Nt.HandleClosed", "A handle is closed once."},
    {"Nt.MdlLeak", "MDLs are freed before the driver is unloaded, with their pages unlocked."},
    {"Nt.MdlMapped", "The pages of an MDL are locked once and unlocked once."},
    {"Nt.IoSpaceMapped", "I/O space is unmapped, with the size of its mapping, before the driver is unloaded."},
    {"Nt.Port", "The device has the I/O ports that the driver accesses."},
    {"Nt.RegisterAccess", "Registers are accessed by READ_REGISTER_* and WRITE_REGISTER_* alone."},
    {"Nt.Assertion", "The driver's own assertions hold."},
    {"Nt.BreakPoint", "The driver does not break into the debugger."},
    {"Nt.BugCheck", "The driver does not stop the system."},
    {"Nt.Exception", "An exception finds a handler."},
};
static_assert(sizeof(kRules) / sizeof(kRules[0]) == static_cast<int>(Rule::kCount));

}  // namespace tandem::drivers::host
