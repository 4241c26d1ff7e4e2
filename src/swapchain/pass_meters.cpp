#include "swapchain/pass_meters.h"

#include <algorithm>

namespace tandem::swapchain {

void PassMeters::Add(const Resource& resource) {
  const std::shared_ptr<PassMeter>& meter = resource.meter();
  const MutexLock lock(mutex_);
  if (meter == nullptr) {
    complete_ = false;
  } else if (std::find(meters_.begin(), meters_.end(), meter) == meters_.end()) {
    meters_.push_back(meter);
  }
}

PassCount PassMeters::Sum() const {
  const MutexLock lock(mutex_);
  PassCount sum;
  for (const auto& meter : meters_) sum += meter->count();
  return sum;
}

bool PassMeters::complete() const {
  const MutexLock lock(mutex_);
  return complete_;
}

}  // namespace tandem::swapchain
