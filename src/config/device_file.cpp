#include "config/device_file.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/env.h"
#include "config/config_file.h"
#include "config/config_io.h"

namespace tandem::config {
namespace {

std::string LineStart(std::string_view device, std::string_view question) { return fmt::format("{}\t{}\t", device, question); }

// A file that is too long, or none, has no lines.
std::vector<std::string> ReadLines(const std::string& path) {
  std::vector<std::string> lines;
  const auto text = ReadConfigFile(path);
  if (!text.ok() || !*text || (*text)->size() > kMaxConfigBytes) return lines;
  for (std::string_view rest = **text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end != 0) lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

std::string Hex(const std::array<std::uint8_t, 16>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

std::optional<std::string> CacheFilePath(std::string_view name) {
  std::string folder;
  if (const auto cache = EnvString("XDG_CACHE_HOME"); cache && cache->starts_with('/')) {
    folder = *cache;
  } else if (const auto home = EnvString("HOME"); home && home->starts_with('/')) {
    folder = *home + "/.cache";
  } else {
    return std::nullopt;
  }
  return fmt::format("{}/tandem/{}", folder, name);
}

std::string DeviceKey(const AdapterInfo& adapter) {
  std::string key =
      fmt::format("{} {} {} {}", Hex(adapter.device_uuid), Hex(adapter.driver_uuid), adapter.driver_detail, TANDEM_VERSION);
  std::replace_if(
      key.begin(), key.end(), [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }, ' ');
  return key;
}

std::optional<std::string> DeviceFile::Recall(std::string_view question) {
  const std::string start = LineStart(device_, question);
  const MutexLock lock(mutex_);
  for (const std::string& line : ReadLines(path_)) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return std::nullopt;
}

Result<void> DeviceFile::Keep(std::string_view question, std::string_view answer) {
  const std::string start = LineStart(device_, question);
  const MutexLock lock(mutex_);
  std::vector<std::string> lines = ReadLines(path_);
  std::erase_if(lines, [&](const std::string& line) { return line.starts_with(start); });
  lines.push_back(start + std::string(answer));
  if (lines.size() > kMaxDeviceAnswers) lines.erase(lines.begin(), lines.end() - kMaxDeviceAnswers);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return ReplaceConfigFile(path_, text);
}

}  // namespace tandem::config
