// The render adapter of the process, and the one that follows a lost one.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/thread.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "system/adapter_list.h"
#include "system/graphics.h"
#include "system/render_losses.h"

namespace tandem::system {

// Thread-safe. Must outlive the sessions that it counts.
class Renders {
 public:
  // `graphics` and `list` must outlive the object. `first` is the position of the settings' choice.
  Renders(Graphics& graphics, const AdapterList& list, std::size_t first, const config::Settings& settings,
          std::shared_ptr<RenderLosses> losses);

  // The adapter for devices from now on. An element of the list, so it stays valid.
  [[nodiscard]] const config::AdapterInfo& adapter() const { return list_.adapters[position_.load(std::memory_order_acquire)]; }

  // A device of the program on an adapter of the list is an adapter of the kernel, until it ends. `lost` becomes true when its
  // driver loses it.
  void Begin(LUID device, const config::AdapterInfo& adapter, std::shared_ptr<const std::atomic<bool>> lost);
  // Removes the device from the kernel.
  void End(LUID device);

  // If a device on the adapter was lost and the adapter does not start again, the best one follows that starts and that `usable`
  // takes. The adapter stays if none does, or with OnLost::kWait. Calls drivers.
  const config::AdapterInfo& Follow(const std::function<bool(const config::AdapterInfo&)>& usable);

 private:
  struct Device {
    LUID luid;
    const config::AdapterInfo* adapter;
    std::shared_ptr<const std::atomic<bool>> lost;
  };
  // Records the devices that their driver or the kernel has lost.
  void Look();
  [[nodiscard]] bool Starts(const config::AdapterInfo& adapter) const;

  Graphics& graphics_;
  const AdapterList& list_;
  const config::OnLost on_lost_;
  const bool is_trial_;  // a lost adapter is gone
  const std::shared_ptr<RenderLosses> losses_;
  std::atomic<std::size_t> position_;

  Mutex following_;  // held while drivers start; nothing of a frame takes it
  Mutex mutex_;
  std::vector<Device> devices_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::system
