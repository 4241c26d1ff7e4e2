// A full driver in a shared object, as the display adapter of one window at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/thread.h"
#include "bus/virtio_gpu_device.h"
#include "kernel/kernel.h"
#include "outputs/output.h"
#include "system/driver_library.h"
#include "system/graphics.h"
#include "system/output_factory.h"

namespace tandem::system {

// Thread-safe. Outlives its adapters.
class FullDriver {
 public:
  // Both outlive the object.
  FullDriver(Graphics& graphics, const DriverLibrary& library) : graphics_(graphics), library_(library) {}

  [[nodiscard]] Graphics& graphics() const { return graphics_; }
  [[nodiscard]] const std::string& name() const { return library_.name(); }
  // OpenAdapter10_2 of the user-mode half; null: there is none.
  [[nodiscard]] PFND3D10DDI_OPENADAPTER open_adapter() const { return library_.open_adapter(); }

  // The driver, loaded by the first call, until the pointer is released. kLimit while another window has it; errors of its load.
  Result<std::shared_ptr<kernel::Driver>> Take();

 private:
  Result<kernel::Driver*> Load() const;

  Graphics& graphics_;
  const DriverLibrary& library_;
  Mutex mutex_;
  kernel::Driver* driver_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // null: not loaded yet
  bool taken_ TANDEM_GUARDED_BY(mutex_) = false;
};

// An adapter of the driver with a virtio GPU of its own, whose pictures go to `output` when the driver flushes them.
class FullDriverAdapter {
 public:
  // Errors: FullDriver::Take's, the device's, and that of the driver's first start (interrupt_choice.h).
  static Result<std::unique_ptr<FullDriverAdapter>> Start(FullDriver& driver, const ScreenExtent& extent,
                                                          const std::shared_ptr<outputs::Output>& output);
  // Precondition: the adapter's handles are closed. The GPU of a driver that does not return from a call stays.
  ~FullDriverAdapter();
  FullDriverAdapter(const FullDriverAdapter&) = delete;
  FullDriverAdapter& operator=(const FullDriverAdapter&) = delete;

  [[nodiscard]] LUID luid() const { return luid_; }
  [[nodiscard]] bus::VirtioGpuDevice& gpu() const { return *gpu_; }

 private:
  FullDriverAdapter(Graphics& graphics, std::shared_ptr<kernel::Driver> driver, std::unique_ptr<bus::VirtioGpuDevice> gpu,
                    LUID luid)
      : graphics_(graphics), driver_(std::move(driver)), gpu_(std::move(gpu)), luid_(luid) {}

  Graphics& graphics_;
  const std::shared_ptr<kernel::Driver> driver_;
  std::unique_ptr<bus::VirtioGpuDevice> gpu_;  // outlives the adapter
  const LUID luid_;
};

}  // namespace tandem::system
