// Counts the drivers' passes over the pixels of one swap chain, from the meters of its surfaces. Internal to the module.
#pragma once

#include <memory>
#include <vector>

#include "base/pass_meter.h"
#include "base/thread.h"
#include "swapchain/resource.h"

namespace tandem::swapchain {

// Thread-safe.
class PassMeters {
 public:
  // Two resources of one allocation count once.
  void Add(const Resource& resource);
  [[nodiscard]] PassCount Sum() const;
  // False: a driver counts no passes, so the sum is too small.
  [[nodiscard]] bool complete() const;

 private:
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<PassMeter>> meters_ TANDEM_GUARDED_BY(mutex_);
  bool complete_ TANDEM_GUARDED_BY(mutex_) = true;
};

}  // namespace tandem::swapchain
