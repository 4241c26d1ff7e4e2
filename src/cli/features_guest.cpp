// Features across two processes: one serves an adapter, the other one starts an adapter as its guest.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/env.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "cli/exit_codes.h"
#include "cli/features.h"
#include "config/adapter_info.h"
#include "system/feature_report.h"

namespace tandem::cli {
namespace {

Error SocketError(const std::string& path, const char* what) {
  return Fail(ErrorKind::kIo, "Socket {} cannot be {}: {}.", path, what, std::strerror(errno));
}

Result<sockaddr_un> AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t most = sizeof(address.sun_path) - 1;
  if (path.empty() || path.size() > most) {
    return Fail(ErrorKind::kLimit, "The path of the socket has {} bytes; it takes 1 to {}.", path.size(), most);
  }
  path.copy(address.sun_path, path.size());
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

UniqueFd NewSocket() { return UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

Result<UniqueFd> ConnectTo(const std::string& path) {
  const auto address = AddressOf(path);
  if (!address.ok()) return address.error();
  UniqueFd fd = NewSocket();
  if (!fd.valid() || connect(fd.get(), Generic(*address), sizeof(*address)) != 0) return SocketError(path, "connected");
  return fd;
}

// A socket that only this user can connect to. Removes its path at the end.
class Listener {
 public:
  explicit Listener(std::string path) : path_(std::move(path)) {}
  ~Listener() {
    if (fd_.valid()) unlink(path_.c_str());
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Result<void> Start() {
    const auto address = AddressOf(path_);
    if (!address.ok()) return address.error();
    UniqueFd fd = NewSocket();
    if (!fd.valid() || bind(fd.get(), Generic(*address), sizeof(*address)) != 0) return SocketError(path_, "made");
    fd_ = std::move(fd);
    if (chmod(path_.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(fd_.get(), SOMAXCONN) != 0) return SocketError(path_, "opened");
    return {};
  }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] UniqueFd Accept() const { return UniqueFd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  const std::string path_;
  UniqueFd fd_;
};

// Becomes readable when the user ends the command. Blocks these signals in the threads that start from now on.
UniqueFd EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return UniqueFd(signalfd(-1, &signals, SFD_CLOEXEC));
}

int Complain(const Error& error) {
  std::fprintf(stderr, "tandem features: %s\n", error.message.c_str());
  return kExitFailure;
}

}  // namespace

int ServeFeatures(const FeaturesCommand& command) {
  const UniqueFd end = EndSignals();
  if (!end.valid()) return Complain(Fail(ErrorKind::kIo, "Signals cannot be read: {}.", std::strerror(errno)));
  const auto service = system::FeatureService::Create(command.adapter);
  if (!service.ok()) return Complain(service.error());
  Listener listener(command.socket);
  if (const auto started = listener.Start(); !started.ok()) return Complain(started.error());
  const config::AdapterInfo& adapter = (*service)->adapter();
  const std::string text =
      command.format == ListFormat::kJson
          ? nlohmann::ordered_json{{"index", adapter.index}, {"name", adapter.name}, {"socket", command.socket}}.dump(
                -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
          : fmt::format("Answering guests of {} at {} until interrupted.", adapter.name, command.socket);
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
  for (;;) {
    std::array<pollfd, 2> waits = {{{end.get(), POLLIN, 0}, {listener.fd(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return Complain(SocketError(command.socket, "watched"));
    if (waits[0].revents != 0) return kExitOk;
    if (waits[1].revents == 0) continue;
    UniqueFd guest = listener.Accept();
    if (!guest.valid()) return Complain(SocketError(command.socket, "accepted from"));
    if (const auto served = (*service)->Serve(std::move(guest)); !served.ok()) static_cast<void>(Complain(served.error()));
  }
}

Result<std::vector<system::FeatureReport>> GuestReports(const FeaturesCommand& command) {
  // A host that goes away in between turns features off; the log has the reason.
  if (!EnvString("TANDEM_LOG")) {
    if (auto logs = ConfigureLog({LogLevel::kError, {}}); !logs.ok()) return std::move(logs).error();
  }
  auto host = ConnectTo(command.socket);
  if (!host.ok()) return std::move(host).error();
  auto report = system::ReportGuestFeatures(command.adapter, *std::move(host));
  if (!report.ok()) return std::move(report).error();
  std::vector<system::FeatureReport> reports;
  reports.push_back(*std::move(report));
  return reports;
}

}  // namespace tandem::cli
