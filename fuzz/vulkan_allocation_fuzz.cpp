// Arbitrary private data of the Vulkan driver's allocations; an accepted allocation contains its own rows and names no object.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "drivers/vulkan/gpu/private_data.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tandem::vulkan;
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size >= 8) {  // only the bytes after these are worth fuzzing
    const std::uint32_t start[] = {AllocationData::kMagic, AllocationData::kVersion};
    std::memcpy(bytes.data(), start, sizeof(start));
  }
  const auto accepted = ValidateAllocationData(bytes.data(), static_cast<std::uint32_t>(size));
  if (!accepted.ok()) return 0;
  const bool heap = accepted->kind == AllocationKind::kHeap;
  const bool nv12 = tandem::drivers::IsNv12(accepted->format);
  if (nv12 && accepted->size < std::uint64_t{accepted->pitch} * accepted->height * 3 / 2) std::abort();
  const std::uint64_t row = std::uint64_t{accepted->width} * (heap || nv12 ? 1 : tandem::color::BytesPerPixel(accepted->format));
  if (accepted->pitch != 0 && accepted->pitch < row) std::abort();
  if (accepted->size < std::uint64_t{accepted->pitch} * accepted->height) std::abort();
  if (accepted->size < row * accepted->height || accepted->size % 4096 != 0) std::abort();
  if (accepted->object != 0 || accepted->view_format_count > kMaxViewFormats) std::abort();
  if (!ValidateAllocationData(&*accepted, sizeof(*accepted)).ok()) std::abort();
  return 0;
}
