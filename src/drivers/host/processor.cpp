// Processors and their affinity, and address spaces. See wdm/processor.h.
#include <ntddk.h>
#include <sched.h>
#include <unistd.h>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr int kMostProcessors = 64;

thread_local KAFFINITY set_affinity = 0;  // 0: the thread has the affinity that it began with.
thread_local KAFFINITY own_affinity = 0;

KAFFINITY AffinityOfThread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  KAFFINITY mask = 0;
  for (int i = 0; i < kMostProcessors; ++i) mask |= CPU_ISSET(i, &set) ? KAFFINITY{1} << i : 0;
  return mask == 0 ? 1 : mask;
}

void SetAffinityOfThread(KAFFINITY mask) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < kMostProcessors; ++i) {
    if ((mask >> i & 1) != 0) CPU_SET(i, &set);
  }
  sched_setaffinity(0, sizeof(set), &set);
}

ULONG Count(KAFFINITY mask) { return static_cast<ULONG>(__builtin_popcountll(mask)); }

bool IsGroup(USHORT group) { return group == 0 || group == ALL_PROCESSOR_GROUPS; }

void Revert(const char* function, KAFFINITY to) {
  CheckIrql(function, APC_LEVEL);
  if (set_affinity == 0) return;
  SetAffinityOfThread(to == 0 ? own_affinity : to);
  set_affinity = to;
}

KAFFINITY Set(const char* function, KAFFINITY affinity) {
  CheckIrql(function, APC_LEVEL);
  const KAFFINITY before = set_affinity;
  if (before == 0) own_affinity = AffinityOfThread();
  SetAffinityOfThread(affinity);
  set_affinity = affinity;
  return before;
}

}  // namespace

ULONG NTAPI KeGetCurrentProcessorNumberEx(PPROCESSOR_NUMBER ProcNumber) {
  const int processor = sched_getcpu();
  const ULONG number = processor < 0 ? 0 : static_cast<ULONG>(processor) % kMostProcessors;
  if (ProcNumber != nullptr) *ProcNumber = PROCESSOR_NUMBER{0, static_cast<UCHAR>(number), 0};
  return number;
}

KAFFINITY NTAPI KeQueryActiveProcessors(VOID) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online >= kMostProcessors ? ~KAFFINITY{0} : (KAFFINITY{1} << (online < 1 ? 1 : online)) - 1;
}

KAFFINITY NTAPI KeQueryGroupAffinity(USHORT GroupNumber) { return GroupNumber == 0 ? KeQueryActiveProcessors() : 0; }

ULONG NTAPI KeQueryActiveProcessorCountEx(USHORT GroupNumber) {
  return IsGroup(GroupNumber) ? Count(KeQueryActiveProcessors()) : 0;
}

ULONG NTAPI KeQueryActiveProcessorCount(KAFFINITY* ActiveProcessors) {
  const KAFFINITY mask = KeQueryActiveProcessors();
  if (ActiveProcessors != nullptr) *ActiveProcessors = mask;
  return Count(mask);
}

ULONG NTAPI KeQueryMaximumProcessorCount(VOID) { return KeQueryMaximumProcessorCountEx(0); }

ULONG NTAPI KeQueryMaximumProcessorCountEx(USHORT GroupNumber) {
  const long configured = sysconf(_SC_NPROCESSORS_CONF);
  if (!IsGroup(GroupNumber)) return 0;
  return static_cast<ULONG>(configured < 1 ? 1 : configured > kMostProcessors ? kMostProcessors : configured);
}

VOID NTAPI KeSetSystemAffinityThread(KAFFINITY Affinity) { Set("KeSetSystemAffinityThread", Affinity); }
VOID NTAPI KeRevertToUserAffinityThread(VOID) { Revert("KeRevertToUserAffinityThread", 0); }
KAFFINITY NTAPI KeSetSystemAffinityThreadEx(KAFFINITY Affinity) { return Set("KeSetSystemAffinityThreadEx", Affinity); }
VOID NTAPI KeRevertToUserAffinityThreadEx(KAFFINITY Affinity) { Revert("KeRevertToUserAffinityThreadEx", Affinity); }

VOID NTAPI KeSetSystemGroupAffinityThread(PGROUP_AFFINITY Affinity, PGROUP_AFFINITY PreviousAffinity) {
  const KAFFINITY before = Set("KeSetSystemGroupAffinityThread", Affinity->Mask);
  if (PreviousAffinity != nullptr) *PreviousAffinity = GROUP_AFFINITY{before, 0, {}};
}

VOID NTAPI KeRevertToUserGroupAffinityThread(PGROUP_AFFINITY PreviousAffinity) {
  Revert("KeRevertToUserGroupAffinityThread", PreviousAffinity->Mask);
}

VOID NTAPI KeStackAttachProcess(PRKPROCESS Process, PRKAPC_STATE ApcState) {
  CheckIrql("KeStackAttachProcess", DISPATCH_LEVEL);
  *ApcState = KAPC_STATE{};
  ApcState->Process = Process;
}

VOID NTAPI KeUnstackDetachProcess(PRKAPC_STATE /*ApcState*/) { CheckIrql("KeUnstackDetachProcess", DISPATCH_LEVEL); }
VOID NTAPI KeAttachProcess(PRKPROCESS /*Process*/) { CheckIrql("KeAttachProcess", APC_LEVEL); }
VOID NTAPI KeDetachProcess(VOID) { CheckIrql("KeDetachProcess", APC_LEVEL); }

// The kernel calls a driver on behalf of itself.
KPROCESSOR_MODE NTAPI ExGetPreviousMode(VOID) {
  CheckIrql("ExGetPreviousMode", APC_LEVEL);
  return KernelMode;
}
