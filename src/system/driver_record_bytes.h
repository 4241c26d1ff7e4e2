// A driver's record as bytes: the key of driver and kernel that it holds for, the answers, a checksum.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "system/driver_record.h"

namespace tandem::system {

inline constexpr std::size_t kMaxDriverRecordBytes = std::size_t{2} * 1024 * 1024;
inline constexpr std::uint32_t kMaxRecordedDevices = 16;
inline constexpr std::uint32_t kMaxRecordedFamilies = 64;

[[nodiscard]] std::string DriverRecordBytes(const DriverRecord& record, std::span<const std::string> key);

// The content of a record with the checksum behind it, which finds damage and not intent.
[[nodiscard]] std::string WithChecksum(std::string content);

// Takes any bytes. kNotFound when the record is of another driver, kernel or Tandem. kInvalidArgument when it is damaged: every
// structure has its own size, every name ends, no count exceeds its array.
[[nodiscard]] Result<DriverRecord> ParseDriverRecord(std::string_view bytes, std::span<const std::string> key);

}  // namespace tandem::system
