// A driver in a shared object, with the driver host that `tandem driver build` put into it.
#pragma once

#include <string>

#include "base/result.h"
#include "kernel/driver_host.h"
#include "system/driver_crash.h"

#include <d3d10umddi.h>
#include <dispmprt.h>

namespace tandem::system {

// Loads the file afresh: a driver that was unloaded starts with its first values. The destructor reports what the driver left
// behind. One at a time in a process, for a driver registers once and a driver host is attached once.
class DriverLibrary {
 public:
  // `values`: whether the driver's registry file could be read.
  explicit DriverLibrary(const std::string& path, Result<void> values = {});
  ~DriverLibrary();
  DriverLibrary(const DriverLibrary&) = delete;
  DriverLibrary& operator=(const DriverLibrary&) = delete;

  // DriverEntry. kNotFound for a file that cannot be loaded, or is no driver; the error of `values`.
  [[nodiscard]] Result<DRIVER_INITIALIZE*> Entry() const;
  // OpenAdapter10_2 of the user-mode half; null: there is none.
  [[nodiscard]] PFND3D10DDI_OPENADAPTER open_adapter() const { return open_adapter_; }
  // The file's name, for people.
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  const std::string path_;
  const std::string name_;
  void* const handle_;  // null: not loaded
  const std::string why_not_;
  const Result<void> values_;
  const DriverCrashWatch crash_watch_;
  kernel::DriverHost host_;  // its handlers of faults run before the watch
  PFND3D10DDI_OPENADAPTER open_adapter_ = nullptr;
};

}  // namespace tandem::system
