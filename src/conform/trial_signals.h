// In the process of a trial: how its end is told to the process that started it.
#pragma once

#include <csignal>

namespace tandem::conform {

// Begins what a process tells of where it ended: the name of the DDI follows.
inline constexpr char kInDdi = 'D';
// By which a trial that hangs is asked where it is.
inline constexpr int kAskWhere = SIGUSR2;

// When the process crashes, is ended by a sanitizer, or is asked because it hangs, it tells first on kOutcomeFd in which DDI.
// Handlers that are there already, those of a sanitizer, run afterwards. What it prints leaves the process line by line.
void TellWhereItEnds();

}  // namespace tandem::conform
