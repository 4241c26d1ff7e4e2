// Event providers without a listener. See evntprov.h.
#include <evntprov.h>
#include <ntddk.h>

#include <cstdint>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"

namespace tandem::drivers::host {
namespace {

constexpr int kMostProviders = 64;

constinit Mutex mutex;
bool registered[kMostProviders];

bool IsRegistered(REGHANDLE handle) { return handle != 0 && handle <= kMostProviders && registered[handle - 1]; }

NTSTATUS Check(REGHANDLE handle, const char* function) {
  CheckIrql(function, DISPATCH_LEVEL);
  const Locked locked(mutex);
  return IsRegistered(handle) ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

}  // namespace

void EndProviders() {
  const Locked locked(mutex);
  int left = 0;
  for (bool& used : registered) {
    left += used ? 1 : 0;
    used = false;
  }
  if (left > 0) Report(Rule::kHandleOpen, "%d event provider%s registered.", left, left == 1 ? " is" : "s are");
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

NTSTATUS NTAPI EtwRegister(LPCGUID ProviderId, PETWENABLECALLBACK /*EnableCallback*/, PVOID /*CallbackContext*/,
                           PREGHANDLE RegHandle) {
  CheckIrql("EtwRegister", PASSIVE_LEVEL);
  if (ProviderId == nullptr || RegHandle == nullptr) return STATUS_INVALID_PARAMETER;
  const Locked locked(mutex);
  for (int i = 0; i < kMostProviders; ++i) {
    if (registered[i]) continue;
    registered[i] = true;
    *RegHandle = static_cast<REGHANDLE>(i) + 1;
    return STATUS_SUCCESS;
  }
  return STATUS_NO_MEMORY;
}

NTSTATUS NTAPI EtwUnregister(REGHANDLE RegHandle) {
  CheckIrql("EtwUnregister", PASSIVE_LEVEL);
  const Locked locked(mutex);
  if (!IsRegistered(RegHandle)) return STATUS_INVALID_HANDLE;
  registered[RegHandle - 1] = false;
  return STATUS_SUCCESS;
}

BOOLEAN NTAPI EtwEventEnabled(REGHANDLE /*RegHandle*/, PCEVENT_DESCRIPTOR /*EventDescriptor*/) { return FALSE; }
BOOLEAN NTAPI EtwProviderEnabled(REGHANDLE /*RegHandle*/, UCHAR /*Level*/, ULONGLONG /*Keyword*/) { return FALSE; }

NTSTATUS NTAPI EtwWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR /*EventDescriptor*/, LPCGUID /*ActivityId*/,
                        ULONG /*UserDataCount*/, PEVENT_DATA_DESCRIPTOR /*UserData*/) {
  return Check(RegHandle, "EtwWrite");
}

NTSTATUS NTAPI EtwWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR /*EventDescriptor*/, LPCGUID /*ActivityId*/,
                                LPCGUID /*RelatedActivityId*/, ULONG /*UserDataCount*/, PEVENT_DATA_DESCRIPTOR /*UserData*/) {
  return Check(RegHandle, "EtwWriteTransfer");
}

NTSTATUS NTAPI EtwWriteString(REGHANDLE RegHandle, UCHAR /*Level*/, ULONGLONG /*Keyword*/, LPCGUID /*ActivityId*/,
                              PCWSTR /*String*/) {
  return Check(RegHandle, "EtwWriteString");
}
