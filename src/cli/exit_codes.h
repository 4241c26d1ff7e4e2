// Exit codes of `tandem` itself; a program's own code is passed on. The numbers are those of env(1) and timeout(1).
#pragma once

namespace tandem::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 125;        // tandem could not do what was asked
inline constexpr int kExitUsage = 125;          // the command line was wrong
inline constexpr int kExitNotExecutable = 126;  // the program exists but cannot be run
inline constexpr int kExitNotFound = 127;       // there is no such program
inline constexpr int kExitSignalBase = 128;     // plus the number of the signal that ended the program

}  // namespace tandem::cli
