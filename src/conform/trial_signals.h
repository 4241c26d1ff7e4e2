// In a trial's process: reports how the process ends to the process that started it.
#pragma once

#include <csignal>

namespace tandem::conform {

// The first byte of a report about the process's end; the DDI's name follows.
inline constexpr char kInDdi = 'D';
// This signal asks a hung trial for its DDI.
inline constexpr int kAskWhere = SIGUSR2;

// On a crash, an end by a sanitizer, or the question to a hung trial, the process first writes its current DDI to kOutcomeFd.
// Existing handlers, such as a sanitizer's, run afterwards. Standard output becomes line-buffered.
void TellWhereItEnds();

// For a process that this one forked: where it ends is not told.
void TellNothing();

struct CrashStack;
// From now on the first of these ends also keeps its thread's call stack. The calling thread gets a stack for signal handlers.
void KeepStack(CrashStack& stack);

}  // namespace tandem::conform
