// Tells programs that they should use less of an adapter's memory.
#pragma once

#include <cstdint>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// Registrations of one adapter. Callbacks run on a thread of their own, which starts with the first registration, one after
// another and with no lock held: they may call any thunk. Threads: any.
class TrimNotifier {
 public:
  TrimNotifier() = default;
  ~TrimNotifier() { Stop(); }
  TrimNotifier(const TrimNotifier&) = delete;
  TrimNotifier& operator=(const TrimNotifier&) = delete;

  // The registration's handle, which no other of the process has. kLimit without threads, or beyond kMaxTrimRegistrations.
  [[nodiscard]] Result<VOID*> Register(D3DKMT_HANDLE device, PFND3DKMT_TRIMNOTIFICATIONCALLBACK callback, VOID* context);
  // By handle, or, with a null handle, all of the callback. False when there is none. No callback of it runs any more on return,
  // but for the one that the caller is in.
  [[nodiscard]] bool Unregister(const VOID* handle, PFND3DKMT_TRIMNOTIFICATIONCALLBACK callback);
  void ForgetDevice(D3DKMT_HANDLE device);

  // Every device but `except` (0: every one) is asked soon to evict so much. Requests that come faster are joined.
  void Ask(std::uint64_t bytes, D3DKMT_HANDLE except);
  // Nobody is called any more. Not from a callback.
  void Stop();

 private:
  struct Registration {
    std::uint64_t id = 0;
    D3DKMT_HANDLE device = 0;
    PFND3DKMT_TRIMNOTIFICATIONCALLBACK callback = nullptr;
    VOID* context = nullptr;
  };
  void Run();
  template <class Matches>
  [[nodiscard]] bool Remove(Matches matches);

  Mutex mutex_;
  Condition changed_;
  std::vector<Registration> registrations_ TANDEM_GUARDED_BY(mutex_);
  std::uint64_t wanted_ TANDEM_GUARDED_BY(mutex_) = 0;  // bytes
  D3DKMT_HANDLE except_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint64_t calling_ TANDEM_GUARDED_BY(mutex_) = 0;  // id of the registration whose callback runs
  bool stops_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::kernel
