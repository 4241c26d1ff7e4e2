// A guest at the other end of a socket, answered from an adapter's features.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "base/thread.h"
#include "kernel/feature/adapter_features.h"
#include "kernel/feature/feature_socket.h"

namespace tandem::kernel {

// A guest that sends what is no message, or asks before it said hello, is cut off. Threads: one of its own, on which features are
// negotiated that nobody asked for before.
class FeatureGuest {
 public:
  // `features` outlive the object. kLimit when there is no thread.
  [[nodiscard]] static Result<std::unique_ptr<FeatureGuest>> Create(UniqueFd socket, AdapterFeatures& features);
  ~FeatureGuest();
  // The guest is gone, or was cut off. Any thread.
  [[nodiscard]] bool gone() const { return gone_.load(std::memory_order_acquire); }

  FeatureGuest(const FeatureGuest&) = delete;
  FeatureGuest& operator=(const FeatureGuest&) = delete;

 private:
  FeatureGuest(UniqueFd socket, AdapterFeatures& features) : socket_(std::move(socket)), features_(features) {}
  void Serve();
  // The answer to `message`; kInvalidArgument when the guest is out of turn.
  [[nodiscard]] Result<FeatureMessage> AnswerTo(const FeatureMessage& message);

  FeatureSocket socket_;
  AdapterFeatures& features_;
  bool greeted_ = false;  // the serving thread's
  std::atomic<bool> gone_{false};
  Thread thread_;
};

}  // namespace tandem::kernel
