#include "conform/driver_setup.h"

#include <utility>

#include <dlfcn.h>

#include "kernel/message_interrupts.h"

#include <tandem_driver_setup.h>

namespace tandem::conform {

void InstallSetupOf(void* library) {
  const auto* const messages = static_cast<const int*>(dlsym(library, TANDEM_MESSAGE_INTERRUPTS));
  if (messages == nullptr || kernel::MessageInterruptsIn(kernel::CurrentDriverSettings())) return;
  kernel::DriverSettings settings = kernel::CurrentDriverSettings();
  settings.registry.push_back(kernel::MessageInterruptsValue(*messages != 0));
  kernel::SetDriverSettings(std::move(settings));
}

}  // namespace tandem::conform
