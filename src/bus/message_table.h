// The MSI-X table and the pending bits of a device, in a BAR of their own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace tandem::bus {

inline constexpr std::uint32_t kMaxMessages = 32;
inline constexpr std::uint32_t kMessageTableBytes = 4096;  // the BAR
inline constexpr std::uint32_t kPendingOffset = 2048;      // of the pending bits

// Entries are unmasked at first, as the system has set them before a driver starts. Threads: one at a time.
class MessageTable {
 public:
  explicit MessageTable(std::uint32_t messages);

  // `offset` is a multiple of `size`, which is 1, 2 or 4; both lie in the BAR. The table is accessed 4 bytes at a time; other
  // accesses read zero.
  [[nodiscard]] std::uint32_t Read(std::uint32_t offset, std::uint32_t size) const;
  void Write(std::uint32_t offset, std::uint32_t size, std::uint32_t value);

  // A message that the device does not have is ignored.
  void Raise(std::uint16_t message);
  // A pending message that no mask holds back, which is then not pending any more.
  std::optional<std::uint32_t> Take();

 private:
  static constexpr std::uint32_t kEntryWords = 4, kControlWord = 3;

  const std::uint32_t messages_;
  std::array<std::uint32_t, kMaxMessages * kEntryWords> words_{};
  std::uint32_t pending_ = 0;
};

}  // namespace tandem::bus
