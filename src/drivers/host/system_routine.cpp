// Functions that a driver looks up by their names, since older versions of Windows lack them.
#include <ntddk.h>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

struct Routine {
  const char* name;
  void (*function)();
};

#define TANDEM_ROUTINE(name) \
  { #name, reinterpret_cast < void (*)()>(name) }
const Routine routines[] = {
    TANDEM_ROUTINE(ExAllocatePool2),
    TANDEM_ROUTINE(ExAllocatePoolWithTag),
    TANDEM_ROUTINE(ExAllocateTimer),
    TANDEM_ROUTINE(ExCancelTimer),
    TANDEM_ROUTINE(ExDeleteTimer),
    TANDEM_ROUTINE(ExFreePoolWithTag),
    TANDEM_ROUTINE(ExSetTimer),
    TANDEM_ROUTINE(ExSetTimerResolution),
    TANDEM_ROUTINE(ExInitializeLookasideListEx),
    TANDEM_ROUTINE(ExAllocateFromLookasideListEx),
    TANDEM_ROUTINE(ExFreeToLookasideListEx),
    TANDEM_ROUTINE(ExDeleteLookasideListEx),
    TANDEM_ROUTINE(IoGetDeviceProperty),
    TANDEM_ROUTINE(IoGetDevicePropertyData),
    TANDEM_ROUTINE(IoOpenDeviceRegistryKey),
    TANDEM_ROUTINE(KeGetCurrentIrql),
    TANDEM_ROUTINE(KeGetCurrentProcessorNumberEx),
    TANDEM_ROUTINE(KeQueryActiveProcessorCount),
    TANDEM_ROUTINE(KeQueryActiveProcessorCountEx),
    TANDEM_ROUTINE(KeQueryActiveProcessors),
    TANDEM_ROUTINE(KeQueryGroupAffinity),
    TANDEM_ROUTINE(KeQueryInterruptTime),
    TANDEM_ROUTINE(KeQueryMaximumProcessorCountEx),
    TANDEM_ROUTINE(KeQueryPerformanceCounter),
    TANDEM_ROUTINE(KeQuerySystemTimePrecise),
    TANDEM_ROUTINE(KeSetSystemAffinityThreadEx),
    TANDEM_ROUTINE(KeRevertToUserAffinityThreadEx),
    TANDEM_ROUTINE(KeStackAttachProcess),
    TANDEM_ROUTINE(KeUnstackDetachProcess),
    TANDEM_ROUTINE(KeSetTimerEx),
    TANDEM_ROUTINE(MmAllocateContiguousMemorySpecifyCache),
    TANDEM_ROUTINE(MmGetPhysicalAddress),
    TANDEM_ROUTINE(MmIsAddressValid),
    TANDEM_ROUTINE(MmMapIoSpace),
    TANDEM_ROUTINE(MmMapIoSpaceEx),
    TANDEM_ROUTINE(PsGetCurrentProcessId),
    TANDEM_ROUTINE(PsGetProcessId),
    TANDEM_ROUTINE(RtlGetVersion),
    TANDEM_ROUTINE(RtlQueryRegistryValues),
    TANDEM_ROUTINE(ZwCreateFile),
    TANDEM_ROUTINE(ZwOpenKey),
    TANDEM_ROUTINE(ZwQueryValueKey),
};
#undef TANDEM_ROUTINE

bool IsNamed(const UNICODE_STRING& text, const char* name) {
  const SIZE_T count = text.Length / sizeof(WCHAR);
  for (SIZE_T i = 0; i < count; ++i) {
    if (name[i] == '\0' || text.Buffer[i] != static_cast<unsigned char>(name[i])) return false;
  }
  return name[count] == '\0';
}

}  // namespace

// NULL: this version of Windows lacks the function.
PVOID NTAPI MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName) {
  CheckIrql("MmGetSystemRoutineAddress", PASSIVE_LEVEL);
  for (const Routine& routine : routines) {
    if (IsNamed(*SystemRoutineName, routine.name)) return reinterpret_cast<PVOID>(routine.function);
  }
  return nullptr;
}
