// A hot plug for trials: the cable of a display is pulled for a while.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "config/setting_values.h"

namespace tandem::system {

// Pulls the cable, or puts it back. Any thread.
using SetCable = std::function<void(bool plugged)>;

// The destructor puts the cable back.
class CablePull {
 public:
  // Null when `times` say never. kLimit when the system has no more threads.
  static Result<std::unique_ptr<CablePull>> Create(SetCable set_cable, const config::UnplugTimes& times);
  ~CablePull();
  CablePull(const CablePull&) = delete;
  CablePull& operator=(const CablePull&) = delete;

 private:
  explicit CablePull(SetCable set_cable) : set_cable_(std::move(set_cable)) {}
  void Run(const config::UnplugTimes& times);
  // False when the object goes first.
  [[nodiscard]] bool Wait(std::uint32_t milliseconds);

  const SetCable set_cable_;
  Mutex mutex_;
  Condition changed_;
  bool stops_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::system
