// Arbitrary private data of the soft adapter's allocations; an accepted allocation contains its own rows.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "drivers/processor/allocation_data.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::processor;
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size >= 8) {  // only the bytes after these are worth fuzzing
    const std::uint32_t start[] = {AllocationData::kMagic, AllocationData::kVersion};
    std::memcpy(bytes.data(), start, sizeof(start));
  }
  const auto accepted = ValidateAllocationData(bytes.data(), static_cast<std::uint32_t>(size));
  if (!accepted.ok()) return 0;
  const std::uint64_t pixel_bytes =
      accepted->format == tandem::color::Format::kUnknown ? 1 : tandem::drivers::PixelBytes(accepted->format);
  if (accepted->pitch < accepted->width * pixel_bytes) std::abort();
  const bool nv12 = tandem::drivers::IsNv12(accepted->format);
  if (nv12 && (accepted->pitch < accepted->width || accepted->width % 2 != 0 || accepted->height % 2 != 0)) std::abort();
  const std::uint64_t rows = nv12 ? std::uint64_t{accepted->height} * 3 / 2 : accepted->height;
  if (accepted->size < accepted->pitch * rows || accepted->size % 4096 != 0) std::abort();
  if (!ValidateAllocationData(&*accepted, sizeof(*accepted)).ok()) std::abort();
  return 0;
}
