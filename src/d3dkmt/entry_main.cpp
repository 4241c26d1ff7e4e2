// libtandem-d3dkmt.so: the kernel's thunks for programs that call D3DKMT themselves. The first call starts the adapters.
#include <memory>
#include <new>

#include <pthread.h>

#include "base/env.h"
#include "base/log.h"
#include "kernel/kernel.h"
#include "system/all_adapters.h"

namespace {

using tandem::kernel::Kernel;

// Never destroyed: the program's threads may call until the very end.
tandem::system::AllAdapters* StartAdapters() noexcept {
  pthread_atfork(nullptr, nullptr, &Kernel::AbandonInChild);
  try {
    auto started = tandem::system::AllAdapters::Start();
    if (started.ok()) return started->release();
    tandem::Log(tandem::LogLevel::kError, "{}", started.error().message);
  } catch (const std::bad_alloc&) {
    tandem::Log(tandem::LogLevel::kError, "There is no memory to start the adapters.");
  }
  return nullptr;
}

// Threads that come meanwhile wait. A Vulkan driver that calls D3DKMT itself while it is opened finds no adapters.
void StartOnFirstCall() noexcept {
  thread_local bool starting = false;
  if (starting) return;
  starting = true;
  [[maybe_unused]] static tandem::system::AllAdapters* const adapters = StartAdapters();
  starting = false;
  Kernel::SetPrologue(nullptr);
}

// A program with more rights than its user loads no drivers that the user's environment names.
__attribute__((constructor)) void Load() {
  if (!tandem::IsSecureExecution()) Kernel::SetPrologue(&StartOnFirstCall);
}

}  // namespace
