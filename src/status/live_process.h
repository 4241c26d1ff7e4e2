// Unique names of processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::status {

// Identifies a program. Two processes never have equal values.
struct LiveProcess {
  std::uint32_t pid = 0;
  std::uint64_t start = 0;          // clock ticks after boot, field 22 of /proc/PID/stat
  std::uint64_t pid_namespace = 0;  // the pid's namespace: inode of /proc/PID/ns/pid
  friend bool operator==(const LiveProcess&, const LiveProcess&) = default;
};

[[nodiscard]] std::uint64_t OwnPidNamespace();
// The calling process.
[[nodiscard]] LiveProcess OwnProcess();
// File name of the program in the calling process, a Windows executable under wine; empty if the system does not give it.
[[nodiscard]] std::string ExecutableName();
// True if the process has not ended, even when not reaped. Its pid must belong to the caller's namespace.
[[nodiscard]] bool Runs(const LiveProcess& process);

// Converts to "PID-START" and back, without the namespace; nothing for any other text.
[[nodiscard]] std::string NameOf(const LiveProcess& process);
[[nodiscard]] std::optional<LiveProcess> ProcessNamed(std::string_view name);

// Names, in NameOf()'s form, the `tandem run` that started this process and reads its report after the end.
inline constexpr char kRunVariable[] = "TANDEM_RUN";
// The `tandem run` of this process; pid 0: none.
[[nodiscard]] LiveProcess OwnRun();

}  // namespace tandem::status
