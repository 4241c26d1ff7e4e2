// A process's knowledge of render adapters that were lost. It outlives the System, because a program may end its last instance
// before it makes the next one.
#pragma once

#include <cstddef>
#include <vector>

#include "base/thread.h"
#include "config/adapter_info.h"

namespace tandem::system {

// Thread-safe.
class RenderLosses {
 public:
  enum class State {
    kNone,  // not lost
    kSeen,  // a device on it was lost; it may start again
    kGone,  // it does not start again
  };

  // True if no adapter was ever lost.
  [[nodiscard]] bool empty() const;
  // The number of adapters that do not start again.
  [[nodiscard]] std::size_t gone() const;
  [[nodiscard]] State Of(const config::AdapterInfo& adapter) const;
  void Set(const config::AdapterInfo& adapter, State state);

 private:
  struct Loss {
    config::AdapterInfo adapter;
    State state = State::kNone;
  };

  mutable Mutex mutex_;
  std::vector<Loss> losses_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::system
