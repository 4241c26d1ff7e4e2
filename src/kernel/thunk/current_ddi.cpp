#include "kernel/thunk/current_ddi.h"

#include "kernel/adapter/ddi_gate.h"

namespace tandem::kernel {

const char* CurrentDdiName() {
  const DdiGate::CurrentCall call = DdiGate::Current();
  return call.gate == nullptr ? nullptr : RuleOf(call.ddi).name;
}

void TraceDdis(int fd) { DdiTrace::WriteTo(fd); }

}  // namespace tandem::kernel
