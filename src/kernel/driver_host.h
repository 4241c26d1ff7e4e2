// The driver host inside a driver that `tandem driver build` built, attached to this process's kernel.
#pragma once

#include <string>

#include <tandem_driver_host.h>

namespace tandem::kernel {

// Lives from before DriverEntry until after the driver was unloaded. One at a time in a process. Threads: one.
class DriverHost {
 public:
  // Null: the driver has no host, and reports nothing.
  explicit DriverHost(PFNTANDEM_ATTACH_KERNEL attach);
  ~DriverHost() { static_cast<void>(Detach()); }
  DriverHost(const DriverHost&) = delete;
  DriverHost& operator=(const DriverHost&) = delete;

  // The rules of the NT side that the driver broke so far, a sentence each; empty: none. The rules that Windows lets pass are
  // apart (kernel/tolerated.h). Any thread.
  [[nodiscard]] std::string violations() const;

  // Ends the driver's threads, timers and DPCs. Returns what it left behind, as violations() does. The driver is unloaded.
  std::string Detach();

 private:
  PFNTANDEM_ATTACH_KERNEL attach_;  // null: not attached
};

}  // namespace tandem::kernel
