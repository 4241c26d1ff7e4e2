// Services that fail on purpose in trials of drivers: memory, mappings and the like, by the NT runtime and DXGKRNL_INTERFACE.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::kernel {

inline constexpr std::uint64_t kMostServices = 2000;  // later ones do not fail

// From now on services are counted from 1, and the one with number `nth` fails; 0: none. One trial at a time in a process.
void FailService(std::uint64_t nth);

struct CalledServices {
  std::vector<std::string> names;  // in the order of the calls; at most kMostServices
  std::string failed;              // name of the one that failed; empty: none did
};
[[nodiscard]] CalledServices ServicesSoFar();

// Counts a service; true: it answers as if memory were short. Any thread, any IRQL. `name` is a literal.
[[nodiscard]] bool ServiceFails(const char* name);

}  // namespace tandem::kernel
