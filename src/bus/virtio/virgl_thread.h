// The thread that calls virglrenderer. Its EGL context is current there, and its state is the process's: one thread at a time has
// it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "bus/virtio/renderer_3d.h"

namespace tandem::bus {

struct VirglLibrary;

// Threads: one at a time, but for OnFence.
class VirglThread {
 public:
  // Starts the thread and virglrenderer with it. kUnsupported: EGL or OpenGL does not start; kLimit: the process's state is
  // taken; kTimeout.
  [[nodiscard]] static Result<std::unique_ptr<VirglThread>> Start(Renderer3d::Host& host);
  // Stops virglrenderer. A thread that hangs is left behind, and keeps the process's state.
  ~VirglThread();
  VirglThread(const VirglThread&) = delete;
  VirglThread& operator=(const VirglThread&) = delete;

  // Calls `call` on the thread and waits. False when that lasts longer than kRendererLimitNs, or the thread hangs already: `call`
  // may then run later or never, so it owns all that it uses.
  [[nodiscard]] bool Run(std::function<void(const VirglLibrary&)> call);
  // `fence` was created by a call. The thread asks virglrenderer for it until it is signalled.
  void ExpectFence(std::uint32_t fence);
  [[nodiscard]] bool hangs() const { return hangs_; }

 private:
  struct Shared;

  explicit VirglThread(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  static void Main(const std::shared_ptr<Shared>& shared);

  const std::shared_ptr<Shared> shared_;  // with the thread
  Thread thread_;
  bool hangs_ = false;
};

}  // namespace tandem::bus
