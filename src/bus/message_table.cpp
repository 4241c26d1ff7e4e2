#include "bus/message_table.h"

#include <algorithm>

namespace tandem::bus {
namespace {

constexpr std::uint32_t kMasked = 1;
constexpr std::uint32_t kMessageAddress = 0xFEE00000;  // of the interrupt controller

}  // namespace

MessageTable::MessageTable(std::uint32_t messages) : messages_(std::min(messages, kMaxMessages)) {
  for (std::uint32_t i = 0; i < messages_; ++i) {
    words_[i * kEntryWords] = kMessageAddress;
    words_[i * kEntryWords + 2] = i;
  }
}

std::uint32_t MessageTable::Read(std::uint32_t offset, std::uint32_t size) const {
  if (size != 4) return 0;
  if (offset == kPendingOffset) return pending_;
  return offset / 4 < messages_ * kEntryWords ? words_[offset / 4] : 0;
}

void MessageTable::Write(std::uint32_t offset, std::uint32_t size, std::uint32_t value) {
  const std::uint32_t word = offset / 4;
  if (size != 4 || word >= messages_ * kEntryWords) return;
  words_[word] = word % kEntryWords == kControlWord ? value & kMasked : value;
}

void MessageTable::Raise(std::uint16_t message) {
  if (message < messages_) pending_ |= 1u << message;
}

std::optional<std::uint32_t> MessageTable::Take() {
  for (std::uint32_t i = 0; i < messages_; ++i) {
    if ((pending_ & 1u << i) == 0 || (words_[i * kEntryWords + kControlWord] & kMasked) != 0) continue;
    pending_ &= ~(1u << i);
    return i;
  }
  return std::nullopt;
}

}  // namespace tandem::bus
