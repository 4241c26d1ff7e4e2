#include "kernel/thunk/adapter_open.h"

#include <utility>

namespace tandem::kernel {

std::vector<std::shared_ptr<AdapterInstance>> ListedUnits(System& system, AdapterList list) {
  auto units = system.Units();
  std::erase_if(units, [=](const auto& unit) {
    const AdapterDescription& adapter = unit->description();
    return adapter.visibility == AdapterVisibility::kHidden || (list == AdapterList::kNoComputeOnly && adapter.compute_only);
  });
  return units;
}

D3DKMT_HANDLE OpenUnit(System& system, const std::shared_ptr<AdapterInstance>& unit) {
  auto object = std::make_shared<AdapterObject>();
  object->unit = unit;
  const D3DKMT_HANDLE handle = system.handles().Reserve(HandleType::kAdapter);
  if (handle != 0) system.handles().Publish(handle, std::move(object));
  return handle;
}

}  // namespace tandem::kernel
