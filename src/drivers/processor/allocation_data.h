// The private data of an allocation: what the two halves of the driver tell each other through the kernel. It comes from user
// mode, so the kernel-mode half trusts only what ValidateAllocationData has answered.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "color/format.h"
#include "drivers/common/surface_layout.h"

namespace tandem::processor {

// AllocationData::flags.
inline constexpr std::uint32_t kAllocationCrossAdapter = 1;
inline constexpr std::uint32_t kAllocationPrimary = 2;
inline constexpr std::uint32_t kAllocationSharedWithKmd = 4;  // system memory that the kernel-mode half reads and writes, too

// Plain data without padding.
struct AllocationData {
  static constexpr std::uint32_t kMagic = 0x414F5354;  // "TSOA"
  static constexpr std::uint32_t kVersion = 1;

  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t flags = 0;
  std::uint32_t vidpn_source = 0;                  // of a primary
  color::Format format = color::Format::kUnknown;  // kUnknown: `width` bytes without a pixel format, height 1
  std::uint32_t width = 0;                         // pixels
  std::uint32_t height = 0;                        // pixels
  std::uint32_t pitch = 0;                         // bytes from row to row
  std::uint64_t size = 0;                          // bytes, whole pages
};
static_assert(sizeof(AllocationData) == 40);

// A linear surface with the pitch and size of drivers::LayOutSurface. kInvalidArgument.
[[nodiscard]] Result<AllocationData> DescribeSurface(std::uint32_t width, std::uint32_t height, color::Format format,
                                                     std::uint32_t flags, std::uint32_t vidpn_source, std::uint32_t pitch = 0);

// `bytes` bytes of system memory without a format; a cross-adapter heap. kInvalidArgument for 0.
[[nodiscard]] Result<AllocationData> DescribeHeap(std::uint32_t bytes);

// Checks private data of the given size: version, extents, pitch and size agree. kInvalidArgument.
[[nodiscard]] Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size);

}  // namespace tandem::processor
