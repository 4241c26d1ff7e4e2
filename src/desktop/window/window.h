// Tandem's window: adapters, programs that run, and the user's policy for programs.
#pragma once

namespace tandem::desktop {

// Shows the window until it is closed; returns the exit code. GTK takes its own words out of the command line.
[[nodiscard]] int ShowWindow(int argc, char** argv);

}  // namespace tandem::desktop
