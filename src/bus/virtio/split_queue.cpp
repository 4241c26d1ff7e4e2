#include "bus/virtio/split_queue.h"

#include <algorithm>
#include <atomic>

namespace tandem::bus {
namespace {

constexpr std::uint16_t kNext = 1, kDeviceWrites = 2, kIndirect = 4;  // flags of a descriptor
constexpr std::uint16_t kNoInterrupt = 1;                             // flag of the available ring
constexpr std::uint64_t kRingIndex = 2, kRingEntries = 4;             // offsets in both rings

struct Descriptor {
  std::uint64_t address;
  std::uint32_t bytes;
  std::uint16_t flags;
  std::uint16_t next;
};
static_assert(sizeof(Descriptor) == 16);

struct UsedEntry {
  std::uint32_t head;
  std::uint32_t written;
};

Error NoMemory(const char* part) { return Fail(ErrorKind::kInvalidArgument, "The {} of a queue does not lie in memory.", part); }

}  // namespace

bool Chain::Read(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* next = static_cast<std::byte*>(to);
  for (const GuestRange& range : readable_) {
    if (bytes == 0) return true;
    if (offset >= range.bytes) {
      offset -= range.bytes;
      continue;
    }
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, range.bytes - offset));
    if (!ReadGuest(range.address + offset, next, part)) return false;
    next += part;
    bytes -= part;
    offset = 0;
  }
  return bytes == 0;
}

bool Chain::Write(const void* from, std::size_t bytes, std::uint32_t& written) const {
  const auto* next = static_cast<const std::byte*>(from);
  for (const GuestRange& range : writable_) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, range.bytes));
    if (!WriteGuest(range.address, next, part)) return false;
    next += part;
    bytes -= part;
    written += static_cast<std::uint32_t>(part);
  }
  return true;
}

void SplitQueue::Start(const QueuePlace& place) {
  place_ = place;
  next_available_ = next_used_ = 0;
}

Result<bool> SplitQueue::Pop(Chain& chain) {
  std::uint16_t index = 0;
  if (!ReadGuestWord(place_.available + kRingIndex, index)) return NoMemory("available ring");
  const auto waiting = static_cast<std::uint16_t>(index - next_available_);
  if (waiting == 0) return false;
  if (waiting > place_.size) {
    return Fail(ErrorKind::kInvalidArgument, "The available ring of {} entries grew by {}.", place_.size, waiting);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t entry = place_.available + kRingEntries + 2 * (next_available_ % place_.size);
  if (!ReadGuest(entry, &chain.head_, sizeof(chain.head_))) return NoMemory("available ring");
  if (Result<void> read = ReadChain(chain); !read.ok()) return std::move(read).error();
  ++next_available_;
  return true;
}

Result<void> SplitQueue::ReadChain(Chain& chain) const {
  chain.readable_.clear();
  chain.writable_.clear();
  std::uint16_t index = chain.head_;
  for (std::uint32_t count = 0; count < place_.size; ++count) {
    if (index >= place_.size) {
      return Fail(ErrorKind::kInvalidArgument, "Descriptor {} is outside of a queue of {}.", index, place_.size);
    }
    Descriptor descriptor{};
    if (!ReadGuest(place_.descriptors + sizeof(Descriptor) * index, &descriptor, sizeof(descriptor))) {
      return NoMemory("descriptor table");
    }
    const bool device_writes = (descriptor.flags & kDeviceWrites) != 0;
    if ((descriptor.flags & kIndirect) != 0 || (!device_writes && !chain.writable_.empty())) {
      return Fail(ErrorKind::kInvalidArgument, "Descriptor {} with flags {} is not allowed in its place.", index,
                  descriptor.flags);
    }
    (device_writes ? chain.writable_ : chain.readable_).push_back({descriptor.address, descriptor.bytes});
    if ((descriptor.flags & kNext) == 0) return {};
    index = descriptor.next;
  }
  return Fail(ErrorKind::kInvalidArgument, "The descriptors behind {} have no end.", chain.head_);
}

Result<void> SplitQueue::Push(std::uint16_t head, std::uint32_t written) {
  const UsedEntry entry{head, written};
  if (!WriteGuest(place_.used + kRingEntries + sizeof(entry) * (next_used_ % place_.size), &entry, sizeof(entry))) {
    return NoMemory("used ring");
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  ++next_used_;
  if (!WriteGuest(place_.used + kRingIndex, &next_used_, sizeof(next_used_))) return NoMemory("used ring");
  return {};
}

Result<bool> SplitQueue::WantsInterrupt() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint16_t flags = 0;
  if (!ReadGuestWord(place_.available, flags)) return NoMemory("available ring");
  return (flags & kNoInterrupt) == 0;
}

}  // namespace tandem::bus
