// A hot plug for trials: the cable of a software adapter's connector is pulled for a while.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/thread.h"
#include "config/setting_values.h"
#include "drivers/soft/soft_device.h"

namespace tandem::system {

// The destructor puts the cable back.
class CablePull {
 public:
  // Null when `times` say never. kLimit when the system has no more threads.
  static Result<std::unique_ptr<CablePull>> Create(std::shared_ptr<soft::Connectors> connectors, std::uint32_t connector,
                                                   const config::UnplugTimes& times);
  ~CablePull();
  CablePull(const CablePull&) = delete;
  CablePull& operator=(const CablePull&) = delete;

 private:
  CablePull(std::shared_ptr<soft::Connectors> connectors, std::uint32_t connector)
      : connectors_(std::move(connectors)), connector_(connector) {}
  void Run(const config::UnplugTimes& times);
  // False when the object goes first.
  [[nodiscard]] bool Wait(std::uint32_t milliseconds);

  const std::shared_ptr<soft::Connectors> connectors_;
  const std::uint32_t connector_;
  Mutex mutex_;
  std::condition_variable changed_;
  bool stops_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::system
