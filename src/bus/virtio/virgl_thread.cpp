#include "bus/virtio/virgl_thread.h"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/condition.h"
#include "base/log.h"
#include "bus/virtio/virgl_library.h"

namespace tandem::bus {
namespace {

constexpr std::int64_t kPollPeriodNs = 500'000;  // while a fence is open

std::atomic<bool> virgl_is_taken{false};  // virglrenderer's state of the process

void LogOfVirgl(const char* format, va_list arguments) {
  if (!LogEnabled(LogLevel::kDebug)) return;
  std::array<char, 512> line{};
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  if (length <= 0) return;
  std::string_view text(line.data());
  while (text.ends_with('\n')) text.remove_suffix(1);
  Log(LogLevel::kDebug, "virglrenderer: {}", text);
}

}  // namespace

struct VirglThread::Shared {
  explicit Shared(const VirglLibrary& library, Renderer3d::Host& listener) : virgl(library), host(&listener) {}

  static void OnWriteFence(void* cookie, std::uint32_t fence) {
    auto& shared = *static_cast<Shared*>(cookie);
    const MutexLock lock(shared.mutex);
    shared.signalled = fence;
    if (shared.host != nullptr) shared.host->OnFence(fence);
  }

  const VirglLibrary virgl;
  // virglrenderer keeps the address.
  virgl_renderer_callbacks callbacks{1, &OnWriteFence, nullptr, nullptr, nullptr, nullptr};
  Mutex mutex;
  Condition changed;
  Renderer3d::Host* host TANDEM_GUARDED_BY(mutex);      // null: nobody listens any more
  std::optional<int> started TANDEM_GUARDED_BY(mutex);  // virgl_renderer_init's answer
  std::function<void(const VirglLibrary&)> call TANDEM_GUARDED_BY(mutex);
  std::uint64_t asked TANDEM_GUARDED_BY(mutex) = 0;  // calls so far
  std::uint64_t done TANDEM_GUARDED_BY(mutex) = 0;
  bool stop TANDEM_GUARDED_BY(mutex) = false;
  bool ended TANDEM_GUARDED_BY(mutex) = false;
  std::uint32_t expected TANDEM_GUARDED_BY(mutex) = 0;  // the last fence
  std::uint32_t signalled TANDEM_GUARDED_BY(mutex) = 0;
};

Result<std::unique_ptr<VirglThread>> VirglThread::Start(Renderer3d::Host& host) {
  const auto library = LoadVirgl();
  if (!library.ok()) return library.error();
  if (virgl_is_taken.exchange(true)) {
    return Fail(ErrorKind::kLimit, "Another virtio GPU of this process has 3D, or hangs; virglrenderer renders for one.");
  }
  auto shared = std::make_shared<Shared>(*library, host);
  auto thread = Thread::Start("tandem-virgl", [shared] { Main(shared); });
  if (!thread.ok()) {
    virgl_is_taken = false;
    return std::move(thread).error().Context("Starting virglrenderer's thread");
  }
  std::unique_ptr<VirglThread> started(new VirglThread(shared));
  started->thread_ = *std::move(thread);
  const std::int64_t deadline = MonotonicClock().NowNs() + kRendererLimitNs;
  MutexLock lock(shared->mutex);
  while (!shared->started) {
    if (MonotonicClock().WaitUntil(lock.native(), shared->changed, deadline) || shared->started) continue;
    started->hangs_ = true;
    lock.Unlock();  // for the destructor
    return Fail(ErrorKind::kTimeout, "virglrenderer has not started after {} ms.", kRendererLimitNs / 1'000'000);
  }
  const int answer = *shared->started;
  lock.Unlock();
  if (answer == 0) return started;
  return Fail(ErrorKind::kUnsupported, "virglrenderer does not start (error {}): it needs EGL without a surface, and OpenGL.",
              answer);
}

VirglThread::~VirglThread() {
  const std::int64_t deadline = MonotonicClock().NowNs() + kRendererLimitNs;
  MutexLock lock(shared_->mutex);
  shared_->stop = true;
  shared_->changed.NotifyAll();
  while (!hangs_ && !shared_->ended) {
    hangs_ = !MonotonicClock().WaitUntil(lock.native(), shared_->changed, deadline) && !shared_->ended;
  }
  shared_->host = nullptr;
  lock.Unlock();
  if (hangs_) {
    Log(LogLevel::kError, "virglrenderer hangs; its thread is left behind, and no virtio GPU has 3D meanwhile.");
    thread_.Detach();
  }
}

bool VirglThread::Run(std::function<void(const VirglLibrary&)> call) {
  if (hangs_) return false;
  const std::int64_t deadline = MonotonicClock().NowNs() + kRendererLimitNs;
  MutexLock lock(shared_->mutex);
  shared_->call = std::move(call);
  ++shared_->asked;
  shared_->changed.NotifyAll();
  while (shared_->done != shared_->asked) {
    if (MonotonicClock().WaitUntil(lock.native(), shared_->changed, deadline) || shared_->done == shared_->asked) continue;
    hangs_ = true;
    shared_->host = nullptr;
    return false;
  }
  return true;
}

void VirglThread::ExpectFence(std::uint32_t fence) {
  const MutexLock lock(shared_->mutex);
  shared_->expected = fence;
  shared_->changed.NotifyAll();
}

void VirglThread::Main(const std::shared_ptr<Shared>& shared) {
  const VirglLibrary& virgl = shared->virgl;
  virgl.set_debug_callback(&LogOfVirgl);
  const int answer = virgl.init(shared.get(), VIRGL_RENDERER_USE_EGL | VIRGL_RENDERER_USE_SURFACELESS, &shared->callbacks);
  MutexLock lock(shared->mutex);
  shared->started = answer;
  shared->changed.NotifyAll();
  while (!shared->stop && answer == 0) {
    const bool open = shared->expected != shared->signalled;
    if (shared->done == shared->asked) {
      if (open) {
        static_cast<void>(MonotonicClock().WaitUntil(lock.native(), shared->changed, MonotonicClock().NowNs() + kPollPeriodNs));
      } else {
        shared->changed.Wait(lock.native());
      }
    }
    if (shared->stop) break;
    auto call = std::exchange(shared->call, nullptr);
    lock.Unlock();
    if (call) call(virgl);
    const bool called = call != nullptr;
    call = nullptr;
    if (open) virgl.poll();
    lock.Lock();
    if (called) {
      ++shared->done;
      shared->changed.NotifyAll();
    }
  }
  lock.Unlock();
  if (answer == 0) virgl.cleanup(shared.get());
  lock.Lock();
  shared->ended = true;
  virgl_is_taken = false;
  shared->changed.NotifyAll();
}

}  // namespace tandem::bus
