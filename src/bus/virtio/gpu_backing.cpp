#include "bus/virtio/gpu_backing.h"

#include <algorithm>

namespace tandem::bus {

bool BackingCopies::Add(std::uint64_t offset, std::uint64_t bytes, std::byte* local) {
  if (offset < begin_) range_ = begin_ = 0;
  for (; range_ < backing_.size(); begin_ += backing_[range_++].bytes) {
    const GuestRange& range = backing_[range_];
    if (offset - begin_ >= range.bytes) continue;
    const std::uint64_t part = std::min(bytes, range.bytes - (offset - begin_));
    copies_.push_back({range.address + (offset - begin_), local, static_cast<std::size_t>(part)});
    local += part;
    offset += part;
    bytes -= part;
    if (bytes == 0) return true;
  }
  return false;
}

}  // namespace tandem::bus
