// NtQuerySystemInformation tells of the machine. Drivers declare the function and its structures themselves.
#include <ntddk.h>

#include <cstring>

#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr ULONG kBasic = 0;           // SystemBasicInformation
constexpr ULONG kBootGraphics = 126;  // SystemBootGraphicsInformation

// SYSTEM_BASIC_INFORMATION.
struct BasicInformation {
  ULONG Reserved;
  ULONG TimerResolution;
  ULONG PageSize;
  ULONG NumberOfPhysicalPages;
  ULONG LowestPhysicalPageNumber;
  ULONG HighestPhysicalPageNumber;
  ULONG AllocationGranularity;
  ULONG_PTR MinimumUserModeAddress;
  ULONG_PTR MaximumUserModeAddress;
  KAFFINITY ActiveProcessorsAffinityMask;
  CCHAR NumberOfProcessors;
};

}  // namespace

// The firmware left no picture on a screen, so there are no boot graphics. Other classes are unknown.
EXTERN_C NTSTATUS NTAPI ZwQuerySystemInformation(ULONG SystemInformationClass, PVOID SystemInformation,
                                                 ULONG SystemInformationLength, PULONG ReturnLength) {
  CheckIrql("ZwQuerySystemInformation", PASSIVE_LEVEL);
  if (SystemInformationClass == kBootGraphics) return STATUS_NOT_FOUND;
  if (SystemInformationClass != kBasic) return STATUS_INVALID_INFO_CLASS;
  BasicInformation information{};
  information.TimerResolution = KeQueryTimeIncrement();
  information.PageSize = PAGE_SIZE;
  information.NumberOfPhysicalPages = MAXULONG;
  information.HighestPhysicalPageNumber = MAXULONG;
  information.AllocationGranularity = 65536;
  information.MinimumUserModeAddress = 65536;
  information.MaximumUserModeAddress = MM_USER_PROBE_ADDRESS - 1;
  information.ActiveProcessorsAffinityMask = KeQueryActiveProcessors();
  information.NumberOfProcessors = static_cast<CCHAR>(KeQueryActiveProcessorCountEx(0));
  if (ReturnLength != nullptr) *ReturnLength = sizeof(information);
  if (SystemInformationLength != sizeof(information)) return STATUS_INFO_LENGTH_MISMATCH;
  std::memcpy(SystemInformation, &information, sizeof(information));
  return STATUS_SUCCESS;
}
