#include "outputs/wayland/dma_buf_feedback.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <sys/types.h>
#include <unistd.h>

namespace tandem::outputs {
namespace {

// An entry of the table: fourcc, padding, modifier, in the machine's byte order.
constexpr std::size_t kEntryBytes = 16;
constexpr std::size_t kModifierOffset = 8;
// Positions have 16 bits, so a longer table has entries that no tranche can name.
constexpr std::size_t kMostEntries = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
// A compositor has one tranche for each way of reading; a hostile one gets no more memory than this.
constexpr std::size_t kMostTranches = 64;
constexpr std::size_t kMostPositions = 4 * kMostEntries;

DmaBufFormat ToFormat(const std::byte* entry) {
  DmaBufFormat format;
  std::memcpy(&format.fourcc, entry, sizeof format.fourcc);
  std::memcpy(&format.modifier, entry + kModifierOffset, sizeof format.modifier);
  return format;
}

}  // namespace

// The file is read, not mapped: its owner may cut it while it is read.
void DmaBufFeedback::SetTable(UniqueFd table, std::uint32_t size_bytes) {
  table_.clear();
  const std::size_t entries = std::min(size_bytes / kEntryBytes, kMostEntries);
  if (size_bytes % kEntryBytes != 0) Blame(fmt::format("The table of formats has {} bytes, no multiple of 16.", size_bytes));
  std::array<std::byte, 256 * kEntryBytes> part;
  for (std::size_t read_bytes = 0; read_bytes < entries * kEntryBytes;) {
    const std::size_t wanted = std::min(part.size(), entries * kEntryBytes - read_bytes);
    ssize_t got = pread(table.get(), part.data(), wanted, static_cast<off_t>(read_bytes));
    if (got < 0 && errno == EINTR) continue;
    const std::size_t whole = got < 0 ? 0 : static_cast<std::size_t>(got) / kEntryBytes;
    if (whole == 0) return Blame(fmt::format("The table of formats has {} bytes and ends at {}.", size_bytes, read_bytes));
    for (std::size_t i = 0; i < whole; ++i) table_.push_back(ToFormat(part.data() + i * kEntryBytes));
    read_bytes += whole * kEntryBytes;
  }
}

std::optional<std::uint64_t> DmaBufFeedback::ToDevice(std::span<const std::byte> bytes) {
  dev_t device = 0;
  if (bytes.size() != sizeof device) {
    Blame(fmt::format("A device number has {} bytes, not {}.", bytes.size(), sizeof device));
    return std::nullopt;
  }
  std::memcpy(&device, bytes.data(), sizeof device);
  return device;
}

void DmaBufFeedback::SetMainDevice(std::span<const std::byte> device) { main_device_ = ToDevice(device); }

void DmaBufFeedback::SetTrancheDevice(std::span<const std::byte> device) { tranche_.device = ToDevice(device); }

void DmaBufFeedback::AddTrancheFormats(std::span<const std::uint16_t> positions) {
  for (const std::uint16_t position : positions) {
    if (++positions_ > kMostPositions) return Blame(fmt::format("The tranches name more than {} formats.", kMostPositions));
    if (position < table_.size()) {
      tranche_.formats.push_back(table_[position]);
    } else {
      Blame(fmt::format("A tranche names format {} of {}.", position, table_.size()));
    }
  }
}

void DmaBufFeedback::EndTranche() {
  if (next_.size() < kMostTranches) {
    next_.push_back(std::move(tranche_));
  } else {
    Blame(fmt::format("There are more than {} tranches.", kMostTranches));
  }
  tranche_ = {};
}

void DmaBufFeedback::Done() {
  tranches_ = std::exchange(next_, {});
  tranche_ = {};
  positions_ = 0;
}

bool DmaBufFeedback::Takes(const DmaBufFormat& format) const {
  return std::ranges::any_of(tranches_, [&format](const DmaBufTranche& tranche) {
    return std::ranges::find(tranche.formats, format) != tranche.formats.end();
  });
}

}  // namespace tandem::outputs
