#include "system/adapter_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/unique_fd.h"
#include "config/config_io.h"
#include "config/device_file.h"
#include "config/graphics_nodes.h"
#include "drivers/vulkan/icd/manifest.h"
#include "system/adapter_cache_text.h"
#include "system/adapter_list.h"

namespace tandem::system {
namespace {

constexpr int kReadOnly = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

bool IsThisUsers(const UniqueFd& file, mode_t type) {
  struct stat found {};
  return fstat(file.get(), &found) == 0 && (found.st_mode & S_IFMT) == type && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

Error Unopened(const std::string& path) {
  if (errno == ENOENT) return Fail(ErrorKind::kNotFound, "{} does not exist.", path);
  return Fail(ErrorKind::kIo, "{} cannot be opened: {}.", path, std::strerror(errno));
}

Error Shared(const std::string& path) { return Fail(ErrorKind::kUnsupported, "{} is not this user's alone to write.", path); }

// The folder that the file is in.
Result<UniqueFd> OpenParent(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().string();
  UniqueFd opened(open(folder.c_str(), kReadOnly | O_DIRECTORY));
  if (!opened.valid()) return Unopened(folder);
  if (!IsThisUsers(opened, S_IFDIR)) return Shared(folder);
  return opened;
}

// One byte more than the limit, so that a longer file is seen.
std::string ReadSome(const UniqueFd& file) {
  std::string text(kMaxAdapterCacheBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

Result<std::string> ThisCachePath() {
  auto path = config::CacheFilePath("adapters.json");
  if (!path) return Fail(ErrorKind::kNotFound, "Neither XDG_CACHE_HOME nor HOME names a folder.");
  return *std::move(path);
}

void Store(std::span<const config::AdapterInfo> adapters, const Machine& machine) {
  const auto path = ThisCachePath();
  if (!path.ok()) return;
  const auto written = WriteAdapterCache(*path, adapters, machine);
  if (!written.ok()) Log(LogLevel::kInfo, "The list of adapters is not kept: {}", written.error().message);
}

}  // namespace

Result<std::vector<config::AdapterInfo>> ReadAdapterCache(const std::string& path, const Machine& machine) {
  const auto folder = OpenParent(path);
  if (!folder.ok()) return folder.error();
  const UniqueFd file(openat(folder->get(), std::filesystem::path(path).filename().c_str(), kReadOnly));
  if (!file.valid()) return Unopened(path);
  if (!IsThisUsers(file, S_IFREG)) return Shared(path);
  auto adapters = ParseAdapterCache(ReadSome(file), machine);
  if (!adapters.ok()) return std::move(adapters).error().Context(path);
  return adapters;
}

Result<void> WriteAdapterCache(const std::string& path, std::span<const config::AdapterInfo> adapters, const Machine& machine) {
  const std::string text = AdapterCacheText(adapters, machine);
  if (text.size() > kMaxAdapterCacheBytes || adapters.size() > kMaxCachedAdapters) {
    return Fail(ErrorKind::kUnsupported, "{} adapters need {} bytes; the limits are {} and {}.", adapters.size(), text.size(),
                kMaxCachedAdapters, kMaxAdapterCacheBytes);
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return Fail(ErrorKind::kIo, "{} cannot be made: {}.", folder.string(), std::strerror(errno));
  }
  if (const auto opened = OpenParent(path); !opened.ok()) return opened.error();
  return config::ReplaceConfigFile(path, text);
}

Machine ThisMachine() { return ReadMachine("", vulkan::FindManifests()); }

bool IsGpuAsleep() { return std::ranges::any_of(FindDisplays(""), &Machine::Display::asleep); }

Result<std::vector<config::AdapterInfo>> CachedAdapters() {
  const auto path = ThisCachePath();
  if (!path.ok()) return path.error();
  auto adapters = ReadAdapterCache(*path, ThisMachine());
  if (adapters.ok()) HideTagged(*adapters);
  return adapters;
}

void KeepAdapters(std::span<const config::AdapterInfo> adapters, const Machine& before) {
  const Machine now = ThisMachine();
  if (now.key != before.key) return;
  const auto closed = config::FindClosedNodes("");
  if (std::ranges::find(closed, config::ClosedNode::Reason::kBlocked, &config::ClosedNode::reason) != closed.end()) return;
  Store(adapters, now);
}

void KeepTiers(std::span<const config::AdapterInfo> adapters) {
  const auto path = ThisCachePath();
  if (!path.ok()) return;
  const Machine machine = ThisMachine();
  auto kept = ReadAdapterCache(*path, machine);
  if (!kept.ok() || kept->size() != adapters.size()) return;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if ((*kept)[i].device_uuid != adapters[i].device_uuid) return;
    (*kept)[i].tier = adapters[i].tier;
    (*kept)[i].tier_reason = adapters[i].tier_reason;
  }
  Store(*kept, machine);
}

}  // namespace tandem::system
