#include "status/live_process.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/env.h"
#include "base/unique_fd.h"
#include "config/policy/identity.h"

namespace tandem::status {
namespace {

// Field 22 of /proc/PID/stat; nothing when the process has ended, even if it is not reaped.
std::optional<std::uint64_t> StartOf(std::uint32_t pid) {
  const UniqueFd file(open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text{};
  const ssize_t size = file.valid() ? read(file.get(), text.data(), text.size()) : -1;
  if (size <= 0) return std::nullopt;
  // The name stands in parentheses and may contain parentheses.
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  const std::size_t end_of_name = rest.rfind(')');
  if (end_of_name == std::string_view::npos || end_of_name + 2 >= rest.size()) return std::nullopt;
  rest.remove_prefix(end_of_name + 2);
  if (rest[0] == 'Z' || rest[0] == 'X') return std::nullopt;
  for (int field = 3; field < 22; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t start = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), start);
  return parsed.ec == std::errc() ? std::optional(start) : std::nullopt;
}

}  // namespace

std::uint64_t OwnPidNamespace() {
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) == 0 ? found.st_ino : 0;
}

LiveProcess OwnProcess() {
  const auto pid = static_cast<std::uint32_t>(getpid());
  return {pid, StartOf(pid).value_or(0), OwnPidNamespace()};
}

std::string ExecutableName() {
  const std::string path = config::PathOfThisProgram();
  // Only a path of Windows, such as C:\game.exe, does not start with a slash.
  return path.substr(path.find_last_of(path.starts_with('/') ? "/" : "/\\") + 1);
}

bool Runs(const LiveProcess& process) { return StartOf(process.pid) == process.start; }

std::string NameOf(const LiveProcess& process) { return fmt::format("{}-{}", process.pid, process.start); }

std::optional<LiveProcess> ProcessNamed(std::string_view name) {
  LiveProcess process;
  const char* const end = name.data() + name.size();
  const auto pid = std::from_chars(name.data(), end, process.pid);
  if (pid.ec != std::errc() || pid.ptr == end || *pid.ptr != '-') return std::nullopt;
  const auto start = std::from_chars(pid.ptr + 1, end, process.start);
  if (start.ec != std::errc() || start.ptr != end || process.pid == 0 || NameOf(process) != name) return std::nullopt;
  return process;
}

LiveProcess OwnRun() {
  const auto name = EnvString(kRunVariable);
  return name ? ProcessNamed(*name).value_or(LiveProcess{}) : LiveProcess{};
}

}  // namespace tandem::status
