// The display adapters of the process: the chosen one, one that has the window system that it lacks, and those that follow a lost
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "config/selector.h"
#include "config/settings.h"
#include "system/adapter_list.h"
#include "system/display.h"
#include "system/display_full_driver.h"
#include "system/driver_library.h"
#include "system/graphics.h"
#include "system/system.h"

namespace tandem::system {

// Thread-safe. Must outlive every window that it opened.
class Displays {
 public:
  // `graphics`, `list` and `full_driver` must outlive the displays; `full_driver` may be null.
  Displays(Graphics& graphics, const AdapterList& list, const config::AdapterPair& pair, const config::Settings& settings,
           const DriverLibrary* full_driver);

  // The adapter of the latest surface, or of the next one.
  [[nodiscard]] const config::AdapterInfo& adapter() const;
  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind kind) const;
  Result<OpenedWindow> Open(const SurfaceTarget& target);
  // System::TakeNextOutput() without its choice of memory.
  Result<NextOutput> TakeNextOutput(const SurfaceTarget& target, std::uint64_t lost_turn);

  [[nodiscard]] ImportAbilities imports() const;
  [[nodiscard]] std::shared_ptr<DmaBufSource> ExportMemory() const;

 private:
  struct Made {
    std::size_t position = 0;  // in the list
    std::unique_ptr<Display> display;
  };
  struct Shown {
    Display* display = nullptr;
    const config::AdapterInfo* adapter = nullptr;
    std::size_t position = 0;  // in the list
    std::uint64_t turn = 0;
  };

  [[nodiscard]] std::unique_ptr<Display> Make(std::size_t position) const;
  // The adapter in place of the chosen one for windows that this has no output for.
  [[nodiscard]] std::optional<std::size_t> Substitute(SurfaceTarget::Kind kind) const;
  [[nodiscard]] Shown ShownFor(SurfaceTarget::Kind kind);
  // Another display, unless one has followed that of `lost_turn` already. kNotFound.
  [[nodiscard]] Result<Shown> Follow(std::uint64_t lost_turn);
  void Show(std::size_t position) TANDEM_REQUIRES(mutex_);

  Graphics& graphics_;
  const AdapterList& list_;
  const std::size_t render_;
  const config::Settings settings_;
  const bool may_choose_again_;
  // One that makes surfaces is the display adapter, one without a user-mode half shows the software adapter's frames.
  const std::unique_ptr<FullDriver> full_driver_;  // null: there is none
  config::AdapterInfo full_driver_adapter_;        // in the software adapter's place; from the constructor on constant

  mutable Mutex mutex_;
  std::unique_ptr<Display> full_driver_display_ TANDEM_GUARDED_BY(mutex_);  // null: no full driver makes surfaces
  std::vector<Made> displays_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::size_t> lost_ TANDEM_GUARDED_BY(mutex_);  // positions in the list
  Shown shown_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::system
