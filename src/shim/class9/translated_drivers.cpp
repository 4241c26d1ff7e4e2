// Entry points for the translated drivers of a process.
#include <array>
#include <cstddef>
#include <utility>

#include "base/thread.h"
#include "shim/class9/translation.h"

namespace tandem::shim {
namespace {

constexpr std::size_t kMaxTranslatedDrivers = 8;
using Drivers = std::array<PFND3DDDI_OPENADAPTER, kMaxTranslatedDrivers>;

Mutex mutex;
Drivers drivers TANDEM_GUARDED_BY(mutex){};

PFND3DDDI_OPENADAPTER DriverIn(std::size_t slot) {
  const MutexLock lock(mutex);
  return drivers[slot];
}

template <std::size_t kSlot>
HRESULT OpenSlot(D3D10DDIARG_OPENADAPTER* args) {
  return OpenTranslatedAdapter(DriverIn(kSlot), args);
}

template <std::size_t... kSlots>
constexpr std::array<PFND3D10DDI_OPENADAPTER, sizeof...(kSlots)> EntriesOf(std::index_sequence<kSlots...> /*slots*/) {
  return {OpenSlot<kSlots>...};
}

}  // namespace

PFND3D10DDI_OPENADAPTER TranslatedEntry(PFND3DDDI_OPENADAPTER driver) {
  static constexpr auto kEntries = EntriesOf(std::make_index_sequence<kMaxTranslatedDrivers>());
  if (driver == nullptr) return nullptr;
  const MutexLock lock(mutex);
  for (std::size_t slot = 0; slot < drivers.size(); ++slot) {
    if (drivers[slot] == nullptr) drivers[slot] = driver;
    if (drivers[slot] == driver) return kEntries[slot];
  }
  return nullptr;
}

}  // namespace tandem::shim
