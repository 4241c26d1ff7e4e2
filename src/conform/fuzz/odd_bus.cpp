#include "conform/fuzz/odd_bus.h"

namespace tandem::conform {
namespace {

// The first interrupt of the device; null: it has none.
const CM_PARTIAL_RESOURCE_DESCRIPTOR* InterruptIn(const CM_RESOURCE_LIST* resources) {
  if (resources == nullptr || resources->Count == 0) return nullptr;
  const CM_PARTIAL_RESOURCE_LIST& list = resources->List[0].PartialResourceList;
  for (ULONG i = 0; i < list.Count; ++i) {
    if (list.PartialDescriptors[i].Type == CmResourceTypeInterrupt) return &list.PartialDescriptors[i];
  }
  return nullptr;
}

}  // namespace

bool OddBus::RaiseInterrupt(std::uint32_t message) {
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* const interrupt = InterruptIn(TranslatedResources());
  if (interrupt == nullptr) return false;
  if ((interrupt->Flags & CM_RESOURCE_INTERRUPT_MESSAGE) == 0) message = 0;
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
