#include "bus/qxl/qxl_bitmap.h"

#include <spice/enums.h>

#include "base/limits.h"

namespace tandem::bus {

Result<QxlBitmap> QxlBitmap::Find(const QxlMemory& memory, QXLPHYSICAL address) {
  const auto descriptor = memory.Read<QXLImageDescriptor>(address);
  const auto bitmap = memory.Read<QXLBitmap>(address + sizeof(QXLImageDescriptor));
  if (!descriptor || !bitmap) return Fail(ErrorKind::kInvalidArgument, "A command's image lies outside of its slot.");
  if (descriptor->type != SPICE_IMAGE_TYPE_BITMAP)
    return Fail(ErrorKind::kUnsupported, "Images of type {} are not drawn.", descriptor->type);
  if (bitmap->format != SPICE_BITMAP_FMT_32BIT && bitmap->format != SPICE_BITMAP_FMT_RGBA)
    return Fail(ErrorKind::kUnsupported, "Bitmaps of format {} are not drawn.", bitmap->format);
  const std::uint32_t width = bitmap->x, height = bitmap->y, stride = bitmap->stride;
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent || stride != width * 4)
    return Fail(ErrorKind::kInvalidArgument, "A bitmap of {} x {} pixels has rows of {} bytes.", width, height, stride);
  const bool top_down = (bitmap->flags & QXL_BITMAP_TOP_DOWN) != 0;
  if ((bitmap->flags & QXL_BITMAP_DIRECT) == 0) return QxlBitmap(width, height, top_down, QxlPieces(memory, bitmap->data));
  const auto data = QxlPieces::AtOnce(memory, bitmap->data, std::uint64_t{stride} * height);
  if (!data.ok()) return data.error();
  return QxlBitmap(width, height, top_down, *data);
}

}  // namespace tandem::bus
