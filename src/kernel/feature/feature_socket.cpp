#include "kernel/feature/feature_socket.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>

namespace tandem::kernel {

Result<FeatureMessage> FeatureSocket::Receive() {
  FeatureMessageBytes bytes{};
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = recv(fd_.get(), bytes.data() + size, bytes.size() - size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Fail(ErrorKind::kDeviceLost, "The channel broke: {}.", std::strerror(errno));
    if (got == 0) return Fail(ErrorKind::kDeviceLost, "The other end of the channel is gone.");
    size += static_cast<std::size_t>(got);
  }
  return Decode(bytes);
}

Result<void> FeatureSocket::Send(const FeatureMessage& message) {
  const FeatureMessageBytes bytes = Encode(message);
  const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == static_cast<ssize_t>(bytes.size())) return {};
  return Fail(ErrorKind::kIo, "The other end of the channel takes no message: {}.",
              sent < 0 ? std::strerror(errno) : "its buffer is full");
}

void FeatureSocket::ShutDown() { static_cast<void>(shutdown(fd_.get(), SHUT_RDWR)); }

}  // namespace tandem::kernel
