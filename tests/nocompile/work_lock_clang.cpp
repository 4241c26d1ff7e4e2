#include "kernel/submit/flip_ledger.h"

namespace tandem::kernel {

void CollectLocked(WorkMonitor& monitor, FlipLedger& ledger) {
  const WorkLock lock(monitor);
  ledger.Collect();
}

#ifdef NOCOMPILE_CollectingWithoutTheLock  // expect: requires holding lock 'work_lock'
void Collect(FlipLedger& ledger) { ledger.Collect(); }
#endif

#ifdef NOCOMPILE_LockingTwice  // expect: acquiring lock 'work_lock' that is already held
void Relock(WorkMonitor& monitor) {
  const WorkLock lock(monitor);
  const WorkLock again(monitor);
}
#endif

}  // namespace tandem::kernel
