#include "conform/fuzz/odd_bus.h"

namespace tandem::conform {

bool OddBus::RaiseInterrupt(std::uint32_t message) {
  if (TranslatedResources() == nullptr) return false;
  std::optional<TANDEM_BUS_INTERFACE> line;
  {
    const MutexLock lock(line_mutex_);
    line = line_;
  }
  if (!line) return false;
  line->RaiseInterrupt(line->Context, message);
  return true;
}

void OddBus::SpoilRegister(std::uint32_t skip, std::uint64_t value) {
  value_ = value;
  reads_left_ = skip;
}

bool OddBus::ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) {
  if (!bus_.ReadRegister(address, size, value)) return false;
  std::uint64_t left = reads_left_;
  while (left != kNever && !reads_left_.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) value = value_;  // the count is at kNever now
  return true;
}

void OddBus::Connect(const TANDEM_BUS_INTERFACE& line) {
  bus_.Connect(line);
  const MutexLock lock(line_mutex_);
  line_ = line;
}

void OddBus::Disconnect() {
  {
    const MutexLock lock(line_mutex_);
    line_.reset();
  }
  bus_.Disconnect();
}

}  // namespace tandem::conform
