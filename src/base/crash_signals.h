// A look at a crash of this process before the handlers that were there.
#pragma once

#include <csignal>

namespace tandem {

// Runs on the thread that crashes, in the handler of its signal. Async-signal-safe.
using CrashObserver = void (*)(int signal, void* context);

// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT call `observer`, then the handler that was there. Without one the
// process ends by the signal. One observer at a time in a process. Threads: one.
void ObserveCrashes(CrashObserver observer);

// Puts the handlers back that were there, but where another one was installed since.
void StopObservingCrashes();

}  // namespace tandem
