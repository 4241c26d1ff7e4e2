#include "outputs/testing/x_proxy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tandem::outputs::testing {
namespace {

const std::string kFolder = "/tmp/.X11-unix/X";
constexpr int kFirstNumber = 5000;
constexpr std::size_t kMostDescriptors = 16;
constexpr std::size_t kMessageBytes = 32;
constexpr int kReply = 1, kGenericEvent = 35;
constexpr int kCompleteNotify = 1, kIdleNotify = 2;

// A socket's address in the file system, or in the abstract name space, which xcb tries first.
struct Address {
  Address(const std::string& path, bool is_abstract) {
    socket.sun_family = AF_UNIX;
    std::strncpy(socket.sun_path + (is_abstract ? 1 : 0), path.c_str(), sizeof(socket.sun_path) - 2);
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&socket); }

  sockaddr_un socket{};
  socklen_t size = 0;
};

template <class T>
T Load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

bool SendAll(int fd, const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

// Padded to four bytes.
std::size_t Padded(std::size_t size) { return (size + 3) / 4 * 4; }

}  // namespace

std::unique_ptr<XProxy> XProxy::Start(const std::string& display, XFaults& faults) {
  std::unique_ptr<XProxy> proxy(new XProxy(kFolder + display.substr(1), faults));
  proxy->listener_ = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  proxy->wake_ = UniqueFd(eventfd(0, EFD_CLOEXEC));
  // A number that no server has.
  bool bound = false;
  for (int number = kFirstNumber; !bound && number < kFirstNumber + 1000; ++number) {
    const std::string name = std::to_string(number);
    const Address address(kFolder + name, true);
    bound = bind(proxy->listener_.get(), address.get(), address.size) == 0;
    proxy->display_ = ":" + name;
  }
  if (!bound || listen(proxy->listener_.get(), 8) != 0) return nullptr;
  auto thread = Thread::Start("x-proxy", [raw = proxy.get()] { raw->Run(); });
  if (!thread.ok()) return nullptr;
  proxy->thread_ = *std::move(thread);
  return proxy;
}

void XProxy::Stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  static_cast<void>(eventfd_write(wake_.get(), 1));
  thread_.Join();
  pairs_.clear();
  listener_ = UniqueFd();
}

void XProxy::Run() {
  while (!stop_) {
    std::vector<pollfd> waits{{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const auto& pair : pairs_) {
      waits.push_back({pair->client.get(), POLLIN, 0});
      waits.push_back({pair->server.get(), POLLIN, 0});
    }
    poll(waits.data(), waits.size(), -1);
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      bool lives = true;
      if (waits[2 + 2 * i].revents != 0) lives = ToServer(*pairs_[i]);
      if (lives && waits[3 + 2 * i].revents != 0) lives = ToClient(*pairs_[i]);
      if (!lives) pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (waits[1].revents != 0) Accept();
  }
}

void XProxy::Accept() {
  auto pair = std::make_unique<Pair>();
  pair->client = UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  pair->server = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Address address(server_path_, false);
  if (connect(pair->server.get(), address.get(), address.size) != 0) return;
  pairs_.push_back(std::move(pair));
}

void XProxy::RefuseRequests(Pair& pair, std::byte* bytes, std::size_t size) const {
  if (!std::exchange(pair.has_said_hello, true)) {
    pair.request_rest =
        12 + Padded(Load<std::uint16_t>(bytes + 6)) + Padded(Load<std::uint16_t>(bytes + 8));  // names of an authority
  }
  std::size_t at = std::min(pair.request_rest, size);
  pair.request_rest -= at;
  // xcb writes a header as a whole.
  while (size - at >= 4) {
    std::size_t units = Load<std::uint16_t>(bytes + at + 2);
    if (units == 0 && size - at >= 8) units = Load<std::uint32_t>(bytes + at + 4);
    const std::uint8_t major = faults_.refused_major;
    if (major != 0 && bytes[at] == std::byte{major} && bytes[at + 1] == std::byte{faults_.refused_minor.load()}) {
      bytes[at + 1] = std::byte{0xFF};
    }
    const std::size_t request = std::max<std::size_t>(units, 1) * 4, here = std::min(request, size - at);
    pair.request_rest = request - here;
    at += here;
  }
}

bool XProxy::ToServer(Pair& pair) {
  std::array<std::byte, 16384> bytes;
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  iovec part{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = recvmsg(pair.client.get(), &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return false;
  RefuseRequests(pair, bytes.data(), static_cast<std::size_t>(got));
  part.iov_len = static_cast<std::size_t>(got);
  const ssize_t sent = sendmsg(pair.server.get(), &message, MSG_NOSIGNAL);
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) close(Load<int>(reinterpret_cast<std::byte*>(CMSG_DATA(each)) + i * sizeof(int)));
  }
  if (sent < 0) return false;
  return SendAll(pair.server.get(), bytes.data() + sent, static_cast<std::size_t>(got - sent));
}

bool XProxy::Pass(std::byte* message) const {
  if (std::to_integer<int>(message[0]) != kGenericEvent) return true;
  const int type = Load<std::uint16_t>(message + 8);
  if (type == kIdleNotify) return !faults_.drops_idles;
  if (type != kCompleteNotify) return true;
  // The time lies at byte 24, the count at 32.
  if (faults_.has_no_time) std::memset(message + 24, 0, 8);
  if (faults_.counts_nothing) std::memset(message + 32, 0, 8);
  faults_.last_us = Load<std::uint64_t>(message + 24);
  return !faults_.drops_completions;
}

bool XProxy::ToClient(Pair& pair) {
  std::array<std::byte, 16384> bytes;
  const ssize_t got = recv(pair.server.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  std::vector<std::byte>& stream = pair.from_server;
  stream.insert(stream.end(), bytes.begin(), bytes.begin() + got);
  while (true) {
    std::size_t size = pair.is_set_up ? kMessageBytes : 8;
    if (stream.size() < size) return true;
    const int kind = std::to_integer<int>(stream[0]);
    if (!pair.is_set_up) size += std::size_t{4} * Load<std::uint16_t>(stream.data() + 6);
    if (pair.is_set_up && (kind == kReply || kind == kGenericEvent))
      size += std::size_t{4} * Load<std::uint32_t>(stream.data() + 4);
    if (stream.size() < size) return true;
    const bool passes = !faults_.is_mute && (!pair.is_set_up || Pass(stream.data()));
    if (faults_.messages_left == 0) return false;
    if (faults_.messages_left > 0) --faults_.messages_left;
    if (passes && !SendAll(pair.client.get(), stream.data(), size)) return false;
    pair.is_set_up = true;
    stream.erase(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
  }
}

}  // namespace tandem::outputs::testing
