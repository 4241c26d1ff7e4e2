// Measurements of devices, which hold as long as device and driver are the same: lines of device, question and answer,
// parted by tabs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/thread.h"
#include "config/adapter_info.h"

namespace tandem::config {

// Beyond, the oldest answers go.
inline constexpr std::size_t kMaxDeviceAnswers = 256;

// $XDG_CACHE_HOME/tandem/<name>, else ~/.cache/tandem/<name>; nothing when the environment has neither.
[[nodiscard]] std::optional<std::string> CacheFilePath(std::string_view name);

// Names the adapter's device, its driver and this version of Tandem, whose shaders are measured.
[[nodiscard]] std::string DeviceKey(const AdapterInfo& adapter);

// The answers for one device. Thread-safe; other processes may write meanwhile, the last one wins.
class DeviceFile {
 public:
  // `device`: without tabs and line ends, as all words of the file.
  DeviceFile(std::string path, std::string device) : path_(std::move(path)), device_(std::move(device)) {}

  // Nothing: there is no such answer, or no file that can be read.
  [[nodiscard]] std::optional<std::string> Recall(std::string_view question);
  // Rewrites the file. kIo.
  Result<void> Keep(std::string_view question, std::string_view answer);

 private:
  const std::string path_;
  const std::string device_;
  Mutex mutex_;  // one writer at a time
};

}  // namespace tandem::config
