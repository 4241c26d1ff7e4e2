#include "drivers/vulkan/gpu/private_data.h"

#include "base/limits.h"
#include "color/format.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

Result<AllocationData> DescribeSurface(AllocationKind kind, std::uint32_t width, std::uint32_t height, color::Format format,
                                       std::uint32_t pitch) {
  if (format == drivers::kPaletteFormat && kind == AllocationKind::kImage) {
    return Fail(ErrorKind::kInvalidArgument, "Images of programs have no palette; format {} is one of rows and primaries.",
                static_cast<std::uint32_t>(format));
  }
  if ((format == link::kLinkFormat || drivers::IsNv12(format)) && kind != AllocationKind::kLinear) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} is one of rows in system memory, not of an allocation of kind {}.",
                static_cast<std::uint32_t>(format), static_cast<std::uint32_t>(kind));
  }
  auto layout = drivers::LayOutSurface(width, height, format, pitch);
  if (!layout.ok()) return std::move(layout).error();
  AllocationData data;
  data.kind = kind;
  data.format = format;
  data.width = width;
  data.height = height;
  data.pitch = kind == AllocationKind::kLinear || kind == AllocationKind::kLocal ? layout->pitch : 0;
  data.size = layout->size;
  return data;
}

Result<AllocationData> DescribeHeap(std::uint32_t bytes) {
  auto data = drivers::DescribeHeapAs<AllocationData>(bytes);
  if (data.ok()) data->kind = AllocationKind::kHeap;
  return data;
}

Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size) {
  auto read = drivers::ReadPrivateData<AllocationData>(data, data_size);
  if (!read.ok()) return read;
  AllocationData& given = *read;
  if (given.kind < AllocationKind::kImage || given.kind > AllocationKind::kLocal || given.view_format_count > kMaxViewFormats ||
      given.vidpn_source >= kMaxVidPnSources) {
    return Fail(ErrorKind::kInvalidArgument,
                "Allocation kind {}, {} view formats (limit {}) or source {} (limit {}) is not valid.",
                static_cast<std::uint32_t>(given.kind), given.view_format_count, kMaxViewFormats, given.vidpn_source,
                kMaxVidPnSources - 1);
  }
  const bool in_system_memory = given.kind == AllocationKind::kLinear || given.kind == AllocationKind::kHeap;
  std::uint32_t allowed = 0;
  if (in_system_memory) allowed = kShareBackingStore;
  if (given.kind == AllocationKind::kPrimary && given.format != drivers::kPaletteFormat) allowed = kFramesOnly;
  if ((given.flags & ~allowed) != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Flags 0x{:x} are not those of an allocation of kind {}.", given.flags,
                static_cast<std::uint32_t>(given.kind));
  }
  Result<AllocationData> expected = given.kind == AllocationKind::kHeap
                                        ? DescribeHeap(given.width)
                                        : DescribeSurface(given.kind, given.width, given.height, given.format, given.pitch);
  if (!expected.ok()) return std::move(expected).error();
  if (given.height != expected->height || given.pitch != expected->pitch || given.size != expected->size) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} and size {} are not those of a surface of {} x {}.", given.pitch,
                given.size, given.width, given.height);
  }
  given.object = 0;
  return read;
}

}  // namespace tandem::vulkan
