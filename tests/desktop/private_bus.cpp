#include "tests/desktop/private_bus.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace tandem::test {

bool IsInstalled(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::filesystem::exists(folder + "/" + program)) return true;
  }
  return false;
}

std::unique_ptr<PrivateBus> PrivateBus::Start(const std::string& policy) {
  if (!IsInstalled("dbus-daemon")) return nullptr;
  auto bus = std::make_unique<PrivateBus>();
  bus->address_ = "unix:path=" + bus->folder_.File("bus");
  const std::string rules =
      policy.empty() ? "<allow own='*'/><allow send_destination='*'/>"
                     : "<deny own='*'/><deny send_type='method_call'/><allow send_destination='org.freedesktop.DBus'/>";
  std::ofstream(bus->folder_.File("bus.conf"))
      << "<!DOCTYPE busconfig PUBLIC '-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN'"
         " 'http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd'>\n<busconfig><listen>"
      << bus->address_ << "</listen><policy context='default'><allow user='*'/>" << rules
      << "<allow send_type='signal'/><allow send_requested_reply='true'/><allow receive_type='*'/></policy>"
      << (policy.empty() ? "" : "<include>" + policy + "</include>") << "</busconfig>\n";
  bus->daemon_ = std::make_unique<Process>(
      std::vector<std::string>{"dbus-daemon", "--config-file=" + bus->folder_.File("bus.conf"), "--nofork", "--print-address"},
      Environment{});
  if (!bus->daemon_->WaitForOutput("unix:path=", 10000)) return nullptr;
  return bus;
}

}  // namespace tandem::test
