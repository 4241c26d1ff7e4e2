// The command buffer that the user-mode half, or a test, passes to DxgkDdiRender. Commands follow one another. Each begins with
// a header whose size covers the command and is a multiple of 8. `allocation` members index the submission's allocation list.
// Rectangles are half open, in pixels, and must lie inside their allocations.
#pragma once

#include <cstdint>

namespace tandem::processor {

enum class UserOpcode : std::uint32_t { kNop = 0, kFill = 1, kCopy = 2, kDelay = 3 };

struct UserHeader {
  UserOpcode opcode = UserOpcode::kNop;
  std::uint32_t size = 0;  // bytes, this header included
};

struct UserRect {
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;
};

// Writes one pixel value, in the allocation's own format (8-byte formats take all of `value`, others its low 4 bytes).
struct UserFill {
  UserHeader header{UserOpcode::kFill, sizeof(UserFill)};
  std::uint32_t allocation = 0;  // must be listed with WriteOperation
  std::uint32_t reserved = 0;
  UserRect rect;
  std::uint64_t value = 0;
};

// Copies without conversion between allocations of equal pixel size.
struct UserCopy {
  UserHeader header{UserOpcode::kCopy, sizeof(UserCopy)};
  std::uint32_t source = 0;
  std::uint32_t destination = 0;  // must be listed with WriteOperation
  std::int32_t source_left = 0, source_top = 0;
  UserRect rect;  // in the destination
};

// Keeps the engine busy, as a long shader would.
struct UserDelay {
  UserHeader header{UserOpcode::kDelay, sizeof(UserDelay)};
  std::uint64_t duration_ns = 0;  // at most kMaxDelayNs
  std::uint64_t hangs = 0;        // not 0: ignores preemption, like a broken shader
};

inline constexpr std::uint64_t kMaxDelayNs = 10'000'000'000;

static_assert(sizeof(UserFill) == 40 && sizeof(UserCopy) == 40 && sizeof(UserDelay) == 24);

}  // namespace tandem::processor
