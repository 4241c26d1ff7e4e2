// The call stack of the caller, as addresses of the driver's shared object.
#pragma once

#include <cstddef>

namespace tandem::drivers::host {

inline constexpr int kStackFrames = 6;

struct CallStack {
  void* frames[kStackFrames];  // Return addresses, innermost first; NULL after the last.
};

// The frames above the function that calls CaptureStack.
[[nodiscard]] CallStack CaptureStack();

// Writes the frames of this shared object, "name.so+0x1234 < name.so+0x5678"; addr2line takes the numbers.
void WriteStack(const CallStack& stack, char* text, std::size_t bytes);

}  // namespace tandem::drivers::host
