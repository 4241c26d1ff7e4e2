// The channel between the kernels of guest and host, with either end hostile: answers changed, doubled, truncated or missing,
// and arbitrary questions. Each end accepts only answers that fit its question, and never waits for ever.
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "kernel/feature/feature_guest.h"
#include "kernel/feature/feature_rows.h"
#include "kernel/feature/remote_feature_host.h"

namespace {

using namespace tandem;
using namespace tandem::kernel;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return size_ == 0; }
  std::uint8_t Next() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

struct Ends {
  UniqueFd ours, theirs;
};
Ends Connect() {
  int fds[2] = {};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

bool ReadMessage(int fd, FeatureMessageBytes& bytes) {
  return recv(fd, bytes.data(), bytes.size(), MSG_WAITALL) == static_cast<ssize_t>(bytes.size());
}
bool Write(int fd, const std::byte* data, std::size_t size) {
  return send(fd, data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

// A host that answers each question with the right kind of message, changed by the fuzzer's bytes.
void RunHostileHost(const UniqueFd& socket, Bytes bytes) {
  FeatureMessageBytes question{};
  while (!bytes.empty() && ReadMessage(socket.get(), question)) {
    auto message = Decode(question);
    if (!message.ok()) std::abort();  // our guest speaks the protocol
    message->kind = message->kind == FeatureMessageKind::kHello ? FeatureMessageKind::kWelcome : FeatureMessageKind::kAnswer;
    const std::uint8_t how = bytes.Next();
    if ((how & 1) != 0) message->versions = {bytes.Next(), bytes.Next()};
    FeatureMessageBytes answer = Encode(*message);
    if ((how & 2) != 0) answer[bytes.Next() % answer.size()] ^= static_cast<std::byte>(bytes.Next());
    const std::size_t size = (how & 4) != 0 ? bytes.Next() % answer.size() : answer.size();
    if (!Write(socket.get(), answer.data(), size) || size != answer.size()) return;
    if ((how & 8) != 0 && !Write(socket.get(), answer.data(), answer.size())) return;
  }
}

void TryGuest(Bytes bytes) {
  Ends ends = Connect();
  std::thread host([socket = std::move(ends.theirs), bytes]() mutable {
    RunHostileHost(socket, bytes);
    socket = UniqueFd();
  });
  {
    const auto remote = RemoteFeatureHost::Create(std::move(ends.ours), MonotonicClock());
    if (!remote.ok()) std::abort();
    for (const Feature& feature : BuiltInFeatures()) {
      const VersionRange got = (*remote)->Ask(feature.id, feature.versions);
      if (!got.empty() && (got.min < feature.versions.min || got.max > feature.versions.max)) std::abort();
    }
  }
  host.join();
}

class NoDriver final : public AdapterFeatures::Driver {
 public:
  [[nodiscard]] bool has_interface() const override { return false; }
  NTSTATUS QueryFeatureSupport(DXGKARG_QUERYFEATURESUPPORT&) override { return STATUS_NOT_SUPPORTED; }
  NTSTATUS QueryFeatureInterface(DXGKARG_QUERYFEATUREINTERFACE&) override { return STATUS_NOT_SUPPORTED; }
  [[nodiscard]] std::span<const std::byte> KernelInterface(DXGK_FEATURE_ID, DXGK_FEATURE_VERSION) const override { return {}; }
  void ReportViolation(const char*, const std::string&) override { std::abort(); }  // a guest can break no rule of the driver
};

// A guest that may greet, then sends the fuzzer's bytes.
void TryHost(Bytes bytes) {
  constexpr std::size_t kMostMessages = 64;  // the socket can hold this many unread answers
  NoDriver driver;
  KernelFeatures kernel(*FeatureRegistry::Create(BuiltInFeatures()));
  AdapterFeatures features(kernel, driver);
  Ends ends = Connect();
  std::vector<std::byte> sent;
  if (bytes.Next() % 4 != 0) {
    const FeatureMessageBytes hello = Encode({FeatureMessageKind::kHello, 1, {}, {kFeatureProtocol, kFeatureProtocol}});
    sent.assign(hello.begin(), hello.end());
  }
  while (!bytes.empty() && sent.size() < kMostMessages * kFeatureMessageBytes) {
    FeatureMessageBytes query =
        Encode({FeatureMessageKind::kQuery, bytes.Next(), static_cast<DXGK_FEATURE_ID>(bytes.Next()), {1, 9}});
    if (bytes.Next() % 2 != 0) query[bytes.Next() % query.size()] ^= static_cast<std::byte>(bytes.Next());
    sent.insert(sent.end(), query.begin(), query.end());
  }
  if (!Write(ends.theirs.get(), sent.data(), sent.size())) return;
  shutdown(ends.theirs.get(), SHUT_WR);
  const auto host = FeatureGuest::Create(std::move(ends.ours), features);
  if (!host.ok()) std::abort();
  FeatureMessageBytes answer{}, question{};
  for (std::size_t at = 0; ReadMessage(ends.theirs.get(), answer); at += question.size()) {
    std::memcpy(question.data(), sent.data() + at, question.size());
    const auto asked = Decode(question), answered = Decode(answer);
    if (!asked.ok() || !answered.ok() || !CheckAnswer(*asked, *answered).ok()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.Next() % 2 == 0) {
    TryGuest(bytes);
  } else {
    TryHost(bytes);
  }
  return 0;
}
