#include "bus/low_memory.h"

#include <cstdint>

#include <sys/mman.h>

namespace tandem::bus {

Result<LowMemory> LowMemory::Create(std::size_t bytes) {
  const std::size_t mapped = 2 * bytes;
  void* begin = MAP_FAILED;
  for (const int low : {MAP_32BIT, 0}) {
    begin = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | low, -1, 0);
    if (begin != MAP_FAILED) break;
  }
  if (begin == MAP_FAILED) return Fail(ErrorKind::kOutOfMemory, "There are no {} bytes for a device's memory.", mapped);
  const auto aligned = (reinterpret_cast<std::uintptr_t>(begin) + bytes - 1) / bytes * bytes;
  return LowMemory(begin, mapped, reinterpret_cast<std::byte*>(aligned), bytes);
}

LowMemory::~LowMemory() {
  if (begin_ != nullptr) munmap(begin_, mapped_bytes_);
}

}  // namespace tandem::bus
