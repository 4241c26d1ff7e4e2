#include "kernel/feature/remote_feature_host.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"

namespace tandem::kernel {

Result<std::unique_ptr<RemoteFeatureHost>> RemoteFeatureHost::Create(UniqueFd socket, Clock& clock) {
  std::unique_ptr<RemoteFeatureHost> host(new RemoteFeatureHost(std::move(socket), clock));
  auto thread = Thread::Start("feature-guest", [raw = host.get()] { raw->ReceiveLoop(); });
  if (!thread.ok()) return std::move(thread).error();
  host->receiver_ = *std::move(thread);
  static_cast<void>(host->Exchange(FeatureMessageKind::kHello, {}, {kFeatureProtocol, kFeatureProtocol}));
  return host;
}

RemoteFeatureHost::~RemoteFeatureHost() {
  {
    // So that the end of the talk is not taken for the host's fault.
    const MutexLock lock(mutex_);
    if (broken_.empty()) broken_ = "The adapter is gone.";
  }
  socket_.ShutDown();
  receiver_.Join();
}

VersionRange RemoteFeatureHost::Ask(DXGK_FEATURE_ID id, VersionRange versions) {
  return Exchange(FeatureMessageKind::kQuery, id, versions);
}

std::string RemoteFeatureHost::broken() const {
  const MutexLock lock(mutex_);
  return broken_;
}

VersionRange RemoteFeatureHost::Exchange(FeatureMessageKind kind, DXGK_FEATURE_ID id, VersionRange versions) {
  MutexLock lock(mutex_);
  while (busy_) changed_.Wait(lock.native());
  if (!broken_.empty()) return {};
  busy_ = true;
  open_ = FeatureMessage{kind, next_sequence_++, id, versions};
  answer_.reset();
  const std::int64_t deadline_ns = clock_.NowNs() + kFeatureHostTimeoutNs;
  if (const auto sent = socket_.Send(*open_); !sent.ok()) BreakLocked(sent.error().message);
  while (!answer_ && broken_.empty()) {
    if (!clock_.WaitUntil(lock.native(), changed_, deadline_ns) && !answer_ && broken_.empty()) {
      BreakLocked(fmt::format("The host did not answer for feature {:#x} within {} ms.", static_cast<UINT>(id),
                              kFeatureHostTimeoutNs / 1'000'000));
    }
  }
  const VersionRange answered = broken_.empty() ? *answer_ : VersionRange{};
  if (kind == FeatureMessageKind::kHello && broken_.empty() && answered.empty()) {
    BreakLocked(fmt::format("The host does not speak protocol {}.", kFeatureProtocol));
  }
  open_.reset();
  busy_ = false;
  changed_.NotifyAll();
  return answered;
}

void RemoteFeatureHost::ReceiveLoop() {
  for (;;) {
    const Result<FeatureMessage> message = socket_.Receive();
    const MutexLock lock(mutex_);
    if (!message.ok()) return BreakLocked(message.error().message);
    if (!open_ || answer_) return BreakLocked("The host sent a message that nobody waits for.");
    if (const auto fits = CheckAnswer(*open_, *message); !fits.ok()) return BreakLocked(fits.error().message);
    answer_ = message->versions;
    changed_.NotifyAll();
  }
}

void RemoteFeatureHost::BreakLocked(const std::string& reason) {
  if (!broken_.empty()) return;
  broken_ = reason;
  Log(LogLevel::kError, "The host is not asked for features any more: {}", reason);
  socket_.ShutDown();
  changed_.NotifyAll();
}

}  // namespace tandem::kernel
