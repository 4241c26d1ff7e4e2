#include "drivers/kms/card/uevent_socket.h"

#include <cerrno>

#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr unsigned kKernelGroup = 1;  // udev's own messages are group 2

}  // namespace

Result<UeventSocket> UeventSocket::Open() {
  UniqueFd fd(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
  if (!fd.valid()) {
    const bool full = errno == EMFILE || errno == ENFILE;
    return Fail(full ? ErrorKind::kLimit : ErrorKind::kUnsupported, "No socket for the kernel's uevents: {}.", ErrnoText(errno));
  }
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = kKernelGroup;
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Fail(ErrorKind::kUnsupported, "The socket for the kernel's uevents is refused: {}.", ErrnoText(errno));
  }
  return UeventSocket(std::move(fd));
}

UeventSocket::Read UeventSocket::Next(Uevent& event) {
  sockaddr_nl sender{};
  iovec bytes{message_.data(), message_.size()};
  msghdr header{};
  header.msg_name = &sender;
  header.msg_namelen = sizeof(sender);
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  const ssize_t length = recvmsg(fd_.get(), &header, MSG_DONTWAIT);
  if (length < 0) return errno == ENOBUFS ? Read::kLost : errno == EINTR ? Read::kIgnored : Read::kEmpty;
  // Any process of root may send to the group; port 0 is the kernel alone.
  if (sender.nl_pid != 0 || (header.msg_flags & MSG_TRUNC) != 0) return Read::kIgnored;
  const auto parsed = ParseUevent({message_.data(), static_cast<std::size_t>(length)});
  if (!parsed) return Read::kIgnored;
  event = *parsed;
  return Read::kEvent;
}

}  // namespace tandem::kms
