#include "drivers/processor/allocation_data.h"

#include "base/limits.h"
#include "color/format.h"

namespace tandem::processor {

Result<AllocationData> DescribeSurface(std::uint32_t width, std::uint32_t height, color::Format format, std::uint32_t flags,
                                       std::uint32_t vidpn_source, std::uint32_t pitch) {
  auto layout = drivers::LayOutSurface(width, height, format, pitch);
  if (!layout.ok()) return std::move(layout).error();
  AllocationData data;
  data.flags = flags;
  data.vidpn_source = vidpn_source;
  data.format = format;
  data.width = width;
  data.height = height;
  data.pitch = layout->pitch;
  data.size = layout->size;
  return data;
}

Result<AllocationData> DescribeHeap(std::uint32_t bytes) {
  auto data = drivers::DescribeHeapAs<AllocationData>(bytes);
  if (data.ok()) data->flags = kAllocationCrossAdapter;
  return data;
}

Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size) {
  auto given = drivers::ReadPrivateData<AllocationData>(data, data_size);
  if (!given.ok()) return given;
  const bool heap = given->format == color::Format::kUnknown;
  if (heap && given->height != 1) {
    return Fail(ErrorKind::kInvalidArgument, "Height {} of bytes without a format is not 1.", given->height);
  }
  if (given->pitch == 0) return Fail(ErrorKind::kInvalidArgument, "Pitch 0 does not hold rows of {} pixels.", given->width);
  auto expected =
      heap ? DescribeHeap(given->width)
           : DescribeSurface(given->width, given->height, given->format, given->flags, given->vidpn_source, given->pitch);
  if (!expected.ok()) return expected;
  if (given->pitch != expected->pitch || given->size != expected->size || (given->flags & ~7U) != 0 ||
      given->vidpn_source >= kMaxVidPnSources) {
    return Fail(ErrorKind::kInvalidArgument,
                "Pitch {}, size {}, flags 0x{:x} and source {} are not those of a surface of {} x {}.", given->pitch, given->size,
                given->flags, given->vidpn_source, given->width, given->height);
  }
  return given;
}

}  // namespace tandem::processor
