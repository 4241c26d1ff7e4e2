// A D-Bus daemon of a test's own.
#pragma once

#include <memory>
#include <string>

#include "tests/integration/process.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {

// True if PATH has this program.
[[nodiscard]] bool IsInstalled(const std::string& program);

class PrivateBus {
 public:
  // The rules of a system bus, with the policy file in `policy`; without one every program may own every name. Null when
  // dbus-daemon is not installed or does not start.
  static std::unique_ptr<PrivateBus> Start(const std::string& policy);

  [[nodiscard]] const std::string& address() const { return address_; }
  void Stop() { daemon_->Kill(15); }

 private:
  ScratchFolder folder_;
  std::unique_ptr<Process> daemon_;
  std::string address_;
};

}  // namespace tandem::test
