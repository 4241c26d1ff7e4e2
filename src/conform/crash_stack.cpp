#include "conform/crash_stack.h"

#include <algorithm>
#include <span>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <ucontext.h>

namespace tandem::conform {
namespace {

// The address behind the instruction that the signal interrupted; 0 where the machine's name for it is unknown here. Nobody knows
// the caller of a null function, which has left its return address on top of the stack.
std::uint64_t InterruptedAt(void* context) {
#if defined(__x86_64__)
  if (context == nullptr) return 0;
  constexpr std::uint64_t kFirstPage = 4096;
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uint64_t>(registers[REG_RIP]);
  return at < kFirstPage ? *reinterpret_cast<const std::uint64_t*>(registers[REG_RSP]) : at + 1;
#else
  static_cast<void>(context);
  return 0;
#endif
}

}  // namespace

void SetDriver(CrashStack& stack, const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return;
  stack.begin = reinterpret_cast<std::uint64_t>(info.dli_fbase);
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t /*size*/, void* to) {
        auto* const found = static_cast<CrashStack*>(to);
        if (object->dlpi_addr != found->begin) return 0;
        for (const ElfW(Phdr) & part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
          if (part.p_type == PT_LOAD) found->end = std::max(found->end, found->begin + part.p_vaddr + part.p_memsz);
        }
        return 1;
      },
      &stack);
}

void WriteStack(CrashStack& stack, void* context) {
  std::array<void*, 64> frames{};
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  std::uint32_t count = 0;
  const auto add = [&](std::uint64_t frame) {
    if (frame <= stack.begin || frame > stack.end || count == stack.frames.size()) return;
    stack.frames[count++] = frame;
  };
  const std::uint64_t interrupted = InterruptedAt(context);
  add(interrupted);
  for (int i = 0; i < depth; ++i) {
    const auto frame = reinterpret_cast<std::uint64_t>(frames[static_cast<std::size_t>(i)]);
    if (frame + 1 != interrupted) add(frame);
  }
  stack.count = count;
}

}  // namespace tandem::conform
