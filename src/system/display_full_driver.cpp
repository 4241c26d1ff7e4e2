#include "system/display_full_driver.h"

#include <optional>
#include <utility>

#include "system/interrupt_choice.h"

namespace tandem::system {

Result<kernel::Driver*> FullDriver::Load() const {
  const auto entry = library_.Entry();
  if (!entry.ok()) return entry.error();
  return graphics_.kernel().LoadDriver(*entry, name());
}

Result<std::shared_ptr<kernel::Driver>> FullDriver::Take() {
  const MutexLock lock(mutex_);
  if (taken_) {
    return Fail(ErrorKind::kLimit, "Display driver {} is asked for another window: it shows one at a time in a process.", name());
  }
  if (driver_ == nullptr) {
    const auto loaded = Load();
    if (!loaded.ok()) return loaded.error();
    driver_ = *loaded;
  }
  taken_ = true;
  return std::shared_ptr<kernel::Driver>(driver_, [this](kernel::Driver* /*loaded*/) {
    const MutexLock release(mutex_);
    taken_ = false;
  });
}

Result<std::unique_ptr<FullDriverAdapter>> FullDriverAdapter::Start(FullDriver& driver, const ScreenExtent& extent,
                                                                    const std::shared_ptr<outputs::Output>& output) {
  auto taken = driver.Take();
  if (!taken.ok()) return std::move(taken).error();
  std::optional<Error> refusal;
  for (const bus::PciInterrupts interrupts : InterruptsToTry()) {
    auto gpu = bus::VirtioGpuDevice::Create(extent.width, extent.height, output, bus::ShownWhen::kFlushed,
                                            bus::InstalledRenderer3d(), interrupts);
    if (!gpu.ok()) return std::move(gpu).error();
    auto luid = driver.graphics().kernel().AddAdapter(**taken, (*gpu)->extension(), driver.name());
    if (luid.ok()) {
      return std::unique_ptr<FullDriverAdapter>(
          new FullDriverAdapter(driver.graphics(), *std::move(taken), *std::move(gpu), *luid));
    }
    if (!refusal) refusal = std::move(luid).error();
  }
  return *std::move(refusal);
}

FullDriverAdapter::~FullDriverAdapter() {
  if (!graphics_.RemoveAdapter(luid_)) static_cast<void>(gpu_.release());
}

}  // namespace tandem::system
