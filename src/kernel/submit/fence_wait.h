// Waiting for fences by the CPU: blocking, or with an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernel/submit/cpu_event.h"
#include "kernel/submit/fence.h"

#include <d3dukmdt.h>

namespace tandem::kernel {

enum class WaitFor : std::uint8_t { kAll, kAny };

// Fences of one call that has an array of them; those of calls with inline arrays are D3DDDI_MAX_OBJECT_WAITED_ON.
inline constexpr std::size_t kMaxFencesOfCall = 0xFFF;

// Blocks until the values are reached. At most kMaxFencesOfCall fences, as many values. No lock is held meanwhile, and the
// calling thread may be ended meanwhile. For D3DDDI_MAX_OBJECT_WAITED_ON fences a call allocates only when more threads wait than
// ever before. STATUS_SUCCESS, or STATUS_DEVICE_REMOVED when a fence that is waited for was lost.
[[nodiscard]] NTSTATUS WaitForFences(std::span<const std::shared_ptr<Fence>> fences, std::span<const std::uint64_t> values,
                                     WaitFor wait_for);

// Sets `event` once that is so, or when a fence is lost, and closes it; returns at once.
[[nodiscard]] NTSTATUS WaitForFencesAsync(std::span<const std::shared_ptr<Fence>> fences, std::span<const std::uint64_t> values,
                                          WaitFor wait_for, CpuEvent event);

}  // namespace tandem::kernel
