// The host of a guest's adapter at the other end of a socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"
#include "kernel/feature/feature_host.h"
#include "kernel/feature/feature_socket.h"

namespace tandem::kernel {

// Time that a guest waits for one answer. Adapters start meanwhile.
inline constexpr std::int64_t kFeatureHostTimeoutNs = 2'000'000'000;

// The guest does not trust its host. A host that lies, stalls beyond the limit or goes away is not asked again. A lie is an
// answer to nothing, a version nobody asked for, or another protocol. Features that need the host are off from then on. Earlier
// answers stay valid. Threads: any ask, one at a time; a thread of its own receives.
class RemoteFeatureHost final : public FeatureHost {
 public:
  // Says hello and waits for the welcome. A host that does not give one is a host that is gone: not an error, features are off.
  // kLimit when there is no thread. `clock` outlives the object.
  [[nodiscard]] static Result<std::unique_ptr<RemoteFeatureHost>> Create(UniqueFd socket, Clock& clock);
  ~RemoteFeatureHost() override;

  [[nodiscard]] VersionRange Ask(DXGK_FEATURE_ID id, VersionRange versions) override;
  // Why the host is not asked any more; empty while it is.
  [[nodiscard]] std::string broken() const;

 private:
  RemoteFeatureHost(UniqueFd socket, Clock& clock) : socket_(std::move(socket)), clock_(clock) {}
  void ReceiveLoop();
  // Empty versions when the host is not to be asked.
  [[nodiscard]] VersionRange Exchange(FeatureMessageKind kind, DXGK_FEATURE_ID id, VersionRange versions);
  void BreakLocked(const std::string& reason) TANDEM_REQUIRES(mutex_);

  FeatureSocket socket_;
  Clock& clock_;
  mutable Mutex mutex_;
  Condition changed_;
  bool busy_ TANDEM_GUARDED_BY(mutex_) = false;
  std::uint32_t next_sequence_ TANDEM_GUARDED_BY(mutex_) = 1;
  std::optional<FeatureMessage> open_ TANDEM_GUARDED_BY(mutex_);  // the question that waits for its answer
  std::optional<VersionRange> answer_ TANDEM_GUARDED_BY(mutex_);
  std::string broken_ TANDEM_GUARDED_BY(mutex_);
  Thread receiver_;
};

}  // namespace tandem::kernel
