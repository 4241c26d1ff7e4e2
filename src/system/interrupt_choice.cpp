#include "system/interrupt_choice.h"

#include <optional>

#include "kernel/message_interrupts.h"

namespace tandem::system {

std::vector<bus::PciInterrupts> InterruptsToTry() {
  using enum bus::PciInterrupts;
  const std::optional<bool> messages = kernel::MessageInterruptsIn(kernel::CurrentDriverSettings());
  if (messages) return {*messages ? kMessages : kLine};
  return {kMessages, kLine};
}

}  // namespace tandem::system
