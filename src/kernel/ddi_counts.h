// Counts of the calls that reach the drivers of this process, for a fuzzer of drivers.
#pragma once

#include <array>
#include <cstdint>

namespace tandem::kernel {

struct DdiCounts {
  // Calls of every driver but those of interrupt and DPC routines, which come by themselves.
  std::uint64_t calls = 0;
  // A bit for each DDI that was called and for each error that one returned, by their hash.
  std::array<std::uint64_t, 64> seen{};
};

// Counts from now on; without it a call costs a load and a branch more. Once, before a driver is entered.
void CountDdis();
// Any thread.
[[nodiscard]] DdiCounts DdisSoFar();
// DdiCounts::calls alone. Any thread.
[[nodiscard]] std::uint64_t DdiCallsSoFar();

// For the gate. `ddi` is any number that tells DDIs apart, `status` 0 for a call that begins. Any thread, any IRQL.
void NoteDdi(std::uint8_t ddi, std::int32_t status);

}  // namespace tandem::kernel
