// The period of the clock's interrupts, which drivers shorten for a time.
#include <ntddk.h>

#include <algorithm>

#include "drivers/host/kernel.h"
#include "drivers/host/lock.h"

using namespace tandem::drivers::host;

namespace {

// In units of 100 ns, as on Windows.
constexpr ULONG kDefault = 156'250, kFinest = 5'000;

constinit Mutex mutex;
ULONG current = kDefault;
ULONG requests = 0;  // that were not taken back

}  // namespace

ULONG NTAPI ExSetTimerResolution(ULONG DesiredTime, BOOLEAN SetResolution) {
  CheckIrql("ExSetTimerResolution", APC_LEVEL);
  const Locked locked(mutex);
  if (SetResolution != FALSE) {
    ++requests;
    current = std::min(current, std::max(DesiredTime, kFinest));
  } else {
    if (requests != 0) --requests;
    if (requests == 0) current = kDefault;
  }
  return current;
}

VOID NTAPI ExQueryTimerResolution(PULONG MaximumTime, PULONG MinimumTime, PULONG CurrentTime) {
  CheckIrql("ExQueryTimerResolution", APC_LEVEL);
  const Locked locked(mutex);
  *MaximumTime = kDefault;
  *MinimumTime = kFinest;
  *CurrentTime = current;
}
