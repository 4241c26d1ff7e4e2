// Processes by a name that no two of them have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::status {

// What a program is known by. Two processes never have the same.
struct LiveProcess {
  std::uint32_t pid = 0;
  std::uint64_t start = 0;          // clock ticks after boot, field 22 of /proc/PID/stat
  std::uint64_t pid_namespace = 0;  // in which the pid counts: inode of /proc/PID/ns/pid
  friend bool operator==(const LiveProcess&, const LiveProcess&) = default;
};

[[nodiscard]] std::uint64_t OwnPidNamespace();
// The calling process.
[[nodiscard]] LiveProcess OwnProcess();
// It has not ended, waited for or not. Its pid is one of the caller's namespace.
[[nodiscard]] bool Runs(const LiveProcess& process);

// "PID-START", and back, without the namespace; nothing for any other text.
[[nodiscard]] std::string NameOf(const LiveProcess& process);
[[nodiscard]] std::optional<LiveProcess> ProcessNamed(std::string_view name);

// The `tandem run` that started this process and wants what it told when it has ended, by NameOf().
inline constexpr char kRunVariable[] = "TANDEM_RUN";
// Of this process; pid 0: nobody.
[[nodiscard]] LiveProcess OwnRun();

}  // namespace tandem::status
