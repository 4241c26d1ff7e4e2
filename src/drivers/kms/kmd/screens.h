// The screens from the driver's side.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/thread.h"
#include "drivers/kms/kms_device.h"
#include "outputs/output.h"

namespace tandem::kms {

class ScreensImpl final : public Screens {
 public:
  [[nodiscard]] std::uint32_t count() const override;
  [[nodiscard]] ScreenState StateOf(std::uint32_t target) const override;
  bool Watch(std::uint32_t target, std::shared_ptr<outputs::Output> output) override;
  bool Force(std::uint32_t target, bool plugged) override;

  // The driver's. `node`: the card's path. The target is there until Stop().
  void Start(std::uint32_t target, const std::string& node, const std::string& connector, std::int64_t refresh_period_ns,
             bool writes_back);
  void Stop();
  void SetLost(std::uint32_t target);
  void SetConnected(std::uint32_t target, bool connected);
  void SetPeriod(std::uint32_t target, std::int64_t refresh_period_ns);
  void CountDirect(std::uint32_t target);
  void CountComposed(std::uint32_t target, std::uint64_t written_bytes, const std::string& why);
  // Null: nobody watches the target.
  [[nodiscard]] std::shared_ptr<outputs::Output> WatcherOf(std::uint32_t target) const;

 private:
  mutable Mutex mutex_;
  std::uint32_t count_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::string node_ TANDEM_GUARDED_BY(mutex_);          // "card0"
  std::uint32_t forced_ TANDEM_GUARDED_BY(mutex_) = 0;  // bit N: target N is unplugged by Force()
  std::array<ScreenState, kMaxVidPnSources> states_ TANDEM_GUARDED_BY(mutex_);
  std::array<std::shared_ptr<outputs::Output>, kMaxVidPnSources> watchers_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kms
