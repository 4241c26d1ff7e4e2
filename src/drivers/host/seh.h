// Structured exceptions over signals. See wdm/seh.h.
#pragma once

namespace tandem::drivers::host {

// Installs handlers of SIGSEGV, SIGBUS and SIGFPE, or puts those before back. Faults outside guarded bodies go to those before.
void CatchFaults(bool on);

}  // namespace tandem::drivers::host
