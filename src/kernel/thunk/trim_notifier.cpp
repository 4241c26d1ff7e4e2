#include "kernel/thunk/trim_notifier.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernel/memory/limits.h"

namespace tandem::kernel {
namespace {

std::atomic<std::uint64_t> next_id{1};
thread_local const TrimNotifier* calls_back = nullptr;

}  // namespace

Result<VOID*> TrimNotifier::Register(D3DKMT_HANDLE device, PFND3DKMT_TRIMNOTIFICATIONCALLBACK callback, VOID* context) {
  const MutexLock lock(mutex_);
  if (registrations_.size() >= kMaxTrimRegistrations) {
    return Fail(ErrorKind::kLimit, "Trim notification {} of an adapter would pass the limit of {}.", registrations_.size() + 1,
                kMaxTrimRegistrations);
  }
  if (!thread_.joinable()) {
    auto thread = Thread::Start("tandem-trim", [this] { Run(); });
    if (!thread.ok()) return std::move(thread).error();
    thread_ = *std::move(thread);
  }
  const std::uint64_t id = next_id.fetch_add(1);
  registrations_.push_back({id, device, callback, context});
  return reinterpret_cast<VOID*>(id);
}

template <class Matches>
bool TrimNotifier::Remove(Matches matches) {
  MutexLock lock(mutex_);
  std::vector<std::uint64_t> gone;
  std::erase_if(registrations_, [&](const Registration& one) {
    if (matches(one)) gone.push_back(one.id);
    return matches(one);
  });
  while (calls_back != this && std::find(gone.begin(), gone.end(), std::uint64_t{calling_}) != gone.end())
    changed_.Wait(lock.native());
  return !gone.empty();
}

bool TrimNotifier::Unregister(const VOID* handle, PFND3DKMT_TRIMNOTIFICATIONCALLBACK callback) {
  const auto id = reinterpret_cast<std::uintptr_t>(handle);
  return Remove([=](const Registration& one) { return id != 0 ? one.id == id : one.callback == callback; });
}

void TrimNotifier::ForgetDevice(D3DKMT_HANDLE device) {
  static_cast<void>(Remove([=](const Registration& one) { return one.device == device; }));
}

void TrimNotifier::Ask(std::uint64_t bytes, D3DKMT_HANDLE except) {
  const MutexLock lock(mutex_);
  if (registrations_.empty()) return;
  except_ = wanted_ == 0 || except_ == except ? except : 0;
  wanted_ = std::max(wanted_, bytes);
  changed_.NotifyAll();
}

void TrimNotifier::Stop() {
  {
    const MutexLock lock(mutex_);
    stops_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

void TrimNotifier::Run() {
  calls_back = this;
  MutexLock lock(mutex_);
  while (!stops_) {
    if (wanted_ == 0) {
      changed_.Wait(lock.native());
      continue;
    }
    const std::uint64_t bytes = std::exchange(wanted_, 0);
    const D3DKMT_HANDLE except = except_;
    // A callback may change the list: the next one is the next id.
    for (std::uint64_t last = 0; !stops_;) {
      const auto next = std::find_if(registrations_.begin(), registrations_.end(), [&](const Registration& one) {
        return one.id > last && (except == 0 || one.device != except);
      });
      if (next == registrations_.end()) break;
      const Registration called = *next;
      last = calling_ = called.id;
      lock.Unlock();
      D3DKMT_TRIMNOTIFICATION notification{};
      notification.Context = called.context;
      notification.Flags.TrimToBudget = 1;
      notification.NumBytesToTrim = bytes;
      called.callback(&notification);
      lock.Lock();
      calling_ = 0;
      changed_.NotifyAll();
    }
  }
}

}  // namespace tandem::kernel
