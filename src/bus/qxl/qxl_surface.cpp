#include "bus/qxl/qxl_surface.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <spice/enums.h>

#include "base/limits.h"
#include "bus/qxl/qxl_bitmap.h"
#include "bus/qxl/qxl_pieces.h"
#include "color/fill.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kMostClips = 4096;

bool HasFourBytes(std::uint32_t format) { return format == SPICE_SURFACE_FMT_32_xRGB || format == SPICE_SURFACE_FMT_32_ARGB; }

std::size_t RowBytes(const color::BlitRect& part) { return std::size_t{part.width()} * kPixelBytes; }

color::BlitRect Intersection(const color::BlitRect& box, const QXLRect& clip) {
  const auto within = [](std::int64_t value, std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, least, most));
  };
  return {within(clip.left, box.left, box.right), within(clip.top, box.top, box.bottom), within(clip.right, box.left, box.right),
          within(clip.bottom, box.top, box.bottom)};
}

}  // namespace

Result<void> QxlSurface::Create() {
  const QXLSurfaceCreate create = memory_.ram().create_surface;
  Destroy();
  const std::uint32_t width = create.width, height = create.height, format = create.format;
  const std::int32_t pitch = create.stride;
  if (!HasFourBytes(format)) return Fail(ErrorKind::kUnsupported, "A primary surface of format {} is not shown.", format);
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent ||
      pitch < static_cast<std::int32_t>(width * kPixelBytes)) {
    return Fail(ErrorKind::kInvalidArgument, "A primary surface of {} x {} pixels has rows of {} bytes.", width, height, pitch);
  }
  std::byte* const pixels = memory_.Find(create.mem, static_cast<std::uint64_t>(pitch) * height);
  if (pixels == nullptr) return Fail(ErrorKind::kInvalidArgument, "The primary surface lies outside of its slot.");
  pixels_ = pixels;
  width_ = width;
  height_ = height;
  pitch_ = static_cast<std::uint32_t>(pitch);
  return {};
}

outputs::Surface QxlSurface::PartOf(const color::BlitRect& part) const {
  outputs::Surface surface;
  surface.pixels = At(part.left, part.top);
  surface.id = reinterpret_cast<std::uintptr_t>(surface.pixels);
  surface.width = part.width();
  surface.height = part.height();
  surface.pitch = pitch_;
  surface.format = color::Format::kB8G8R8X8Unorm;
  return surface;
}

Result<color::BlitRect> QxlSurface::OnSurface(const QXLRect& rect) const {
  const bool is_positive = rect.left >= 0 && rect.top >= 0 && rect.left < rect.right && rect.top < rect.bottom;
  const color::BlitRect box{static_cast<std::uint32_t>(rect.left), static_cast<std::uint32_t>(rect.top),
                            static_cast<std::uint32_t>(rect.right), static_cast<std::uint32_t>(rect.bottom)};
  if (is_positive && Has(box)) return box;
  return Fail(ErrorKind::kInvalidArgument, "Rectangle ({}, {}) to ({}, {}) is not on the surface of {} x {} pixels.",
              std::int32_t{rect.left}, std::int32_t{rect.top}, std::int32_t{rect.right}, std::int32_t{rect.bottom}, width_,
              height_);
}

Result<void> QxlSurface::Clip(const QXLDrawable& drawable, const color::BlitRect& box) {
  parts_.assign(1, box);
  if (drawable.clip.type == SPICE_CLIP_TYPE_NONE) return {};
  const QXLPHYSICAL clips = drawable.clip.data;
  const auto count = memory_.Read<std::uint32_t>(clips);
  if (!count || *count > kMostClips)
    return Fail(ErrorKind::kInvalidArgument, "A command's clip is not one of {} rectangles at most.", kMostClips);
  parts_.clear();
  QxlPieces pieces(memory_, clips + sizeof(*count));
  for (std::uint32_t i = 0; i < *count; ++i) {
    QXLRect clip{};
    if (auto read = pieces.Copy(std::as_writable_bytes(std::span(&clip, 1))); !read.ok()) return read;
    const color::BlitRect part = Intersection(box, clip);
    if (part.left < part.right && part.top < part.bottom) parts_.push_back(part);
  }
  return {};
}

Result<void> QxlSurface::Draw(const QXLDrawable& drawable) {
  if (drawable.surface_id != 0 || !exists())
    return Fail(ErrorKind::kUnsupported, "Surface {} is not there to be drawn on.", std::uint32_t{drawable.surface_id});
  const auto box = OnSurface(drawable.bbox);
  if (!box.ok()) return box.error();
  if (auto clipped = Clip(drawable, *box); !clipped.ok()) return clipped;
  for (const color::BlitRect& part : parts_) drawn_bytes_ += RowBytes(part) * part.height();
  switch (drawable.type) {
    case QXL_DRAW_NOP: return {};
    case QXL_DRAW_FILL: return Fill(drawable.u.fill);
    case QXL_DRAW_COPY: return Copy(drawable.u.copy, *box);
    case QXL_COPY_BITS: return CopyWithin(drawable.u.copy_bits, *box);
    default: return Fail(ErrorKind::kUnsupported, "Commands of type {} are not drawn.", drawable.type);
  }
}

Result<void> QxlSurface::Fill(const QXLFill& fill) {
  if (fill.brush.type != SPICE_BRUSH_TYPE_SOLID || fill.rop_descriptor != SPICE_ROPD_OP_PUT || fill.mask.bitmap != 0)
    return Fail(ErrorKind::kUnsupported, "Fills with patterns, masks and raster operations are not drawn.");
  const std::uint32_t pixel = fill.brush.u.color;
  for (const color::BlitRect& part : parts_)
    color::FillRows(At(part.left, part.top), pitch_, pixel, kPixelBytes, part.width(), part.height());
  return {};
}

Result<void> QxlSurface::Copy(const QXLCopy& copy, const color::BlitRect& box) {
  if (copy.rop_descriptor != SPICE_ROPD_OP_PUT || copy.mask.bitmap != 0)
    return Fail(ErrorKind::kUnsupported, "Copies with masks and raster operations are not drawn.");
  auto bitmap = QxlBitmap::Find(memory_, copy.src_bitmap);
  if (!bitmap.ok()) return std::move(bitmap).error();
  const QXLRect& from = copy.src_area;
  const std::int64_t left = from.left, top = from.top, right = from.right, bottom = from.bottom;
  if (right - left != box.width() || bottom - top != box.height())
    return Fail(ErrorKind::kUnsupported, "Copies that stretch are not drawn.");
  if (left < 0 || top < 0 || right > bitmap->width() || bottom > bitmap->height())
    return Fail(ErrorKind::kInvalidArgument, "A copy takes more than its bitmap has.");
  return bitmap->ForEachRow(row_, [&](std::int64_t row, const std::byte* pixels) {
    for (const color::BlitRect& part : parts_) {
      const std::int64_t y = row - top + box.top;
      if (y < part.top || y >= part.bottom) continue;
      const std::size_t column = static_cast<std::size_t>(left) + (part.left - box.left);
      std::memcpy(At(part.left, static_cast<std::uint32_t>(y)), pixels + column * kPixelBytes, RowBytes(part));
    }
  });
}

Result<void> QxlSurface::CopyWithin(const QXLCopyBits& copy, const color::BlitRect& box) {
  const std::int64_t left = copy.src_pos.x, top = copy.src_pos.y;
  if (left < 0 || top < 0 || left + box.width() > width_ || top + box.height() > height_)
    return Fail(ErrorKind::kInvalidArgument, "A copy within the surface begins outside, at ({}, {}).", left, top);
  const auto source_x = static_cast<std::uint32_t>(left), source_y = static_cast<std::uint32_t>(top);
  const bool goes_down = source_y < box.top;  // the lower rows first, before they are written over
  for (const color::BlitRect& part : parts_) {
    for (std::uint32_t i = 0; i < part.height(); ++i) {
      const std::uint32_t y = goes_down ? part.bottom - 1 - i : part.top + i;
      std::memmove(At(part.left, y), At(source_x + (part.left - box.left), source_y + (y - box.top)), RowBytes(part));
    }
  }
  return {};
}

}  // namespace tandem::bus
