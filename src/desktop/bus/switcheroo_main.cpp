// tandem-switcheroo: the D-Bus service, started by systemd or by the bus.
#include <cstdio>
#include <string_view>

#include "desktop/bus/switcheroo_service.h"

namespace {

constexpr int kExitFailure = 125;
constexpr int kExitNameTaken = 69;  // EX_UNAVAILABLE of sysexits.h
constexpr char kHelp[] =
    "Usage: tandem-switcheroo\n"
    "Answers net.hadess.SwitcherooControl on the system bus, so that desktops offer each GPU and Tandem renders on it.\n"
    "SIGHUP lists the GPUs again. Ends with 0 after SIGTERM, with 69 where another service has the name, else with 125.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    const std::string_view word = argv[1];
    const bool help = argc == 2 && (word == "--help" || word == "-h");
    std::fputs(kHelp, help ? stdout : stderr);
    return help ? 0 : kExitFailure;
  }
  const auto served = tandem::desktop::ServeSwitcheroo(tandem::desktop::ListGpusWithLayer);
  if (served.ok()) return 0;
  std::fprintf(stderr, "tandem-switcheroo: %s\n", served.error().message.c_str());
  return served.error().kind == tandem::ErrorKind::kUnsupported ? kExitNameTaken : kExitFailure;
}
