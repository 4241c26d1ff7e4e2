// Sets timers in finer units than the NT kernel's functions.
#pragma once

#include <ntddk.h>

#include <cstdint>

namespace tandem::drivers::host {

// Sets a timer as KeSetTimerEx does, with a period in units of 100 ns. True: the timer was set before.
bool SetTimer(KTIMER* timer, LARGE_INTEGER due, std::uint64_t period, KDPC* dpc);

}  // namespace tandem::drivers::host
