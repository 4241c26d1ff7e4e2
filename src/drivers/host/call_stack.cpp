#include "drivers/host/call_stack.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tandem::drivers::host {

CallStack CaptureStack() {
  constexpr int kOwn = 2;  // CaptureStack and its caller.
  void* frames[kStackFrames + kOwn];
  const int count = backtrace(frames, kStackFrames + kOwn);
  CallStack stack{};
  for (int i = kOwn; i < count; ++i) stack.frames[i - kOwn] = frames[i];
  return stack;
}

void WriteStack(const CallStack& stack, char* text, std::size_t bytes) {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&CaptureStack), &own);
  std::size_t used = 0;
  text[0] = '\0';
  for (const void* frame : stack.frames) {
    if (frame == nullptr || used + 1 >= bytes) break;
    Dl_info info{};
    if (dladdr(frame, &info) == 0 || info.dli_fname == nullptr || info.dli_fbase != own.dli_fbase) break;
    const char* const slash = std::strrchr(info.dli_fname, '/');
    const char* const module = slash == nullptr ? info.dli_fname : slash + 1;
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(frame) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    const int written =
        std::snprintf(text + used, bytes - used, "%s%s+0x%zx", used == 0 ? "" : " < ", module, static_cast<std::size_t>(offset));
    if (written < 0) break;
    used += static_cast<std::size_t>(written);
  }
}

}  // namespace tandem::drivers::host
