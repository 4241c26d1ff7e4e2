#include "bus/testing/qxl_guest.h"

#include <algorithm>

#include <spice/enums.h>

namespace tandem::bus {

QxlGuest::QxlGuest(DeviceModel& device) : device_(device), bars_(device.description().memory), used_(rom().surface0_area_size) {
  Out(QXL_IO_RESET);
  for (std::uint32_t slot = 1; slot <= 2; ++slot) {
    const MemoryBar& bar = bars_[slot - 1];
    const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(bar.data);
    ram().mem_slot = {begin, begin + (slot == 1 ? rom().ram_header_offset : bar.bytes)};
    Out(QXL_IO_MEMSLOT_ADD, slot);
  }
}

std::byte* QxlGuest::Allocate(std::size_t bytes) {
  std::byte* const at = bars_[0].data + used_;
  used_ += (bytes + 15) / 16 * 16;
  std::memset(at, 0, bytes);
  return at;
}

QXLPHYSICAL QxlGuest::AddressOf(const void* at) const {
  const std::uint32_t slot_shift = 64 - rom().slot_id_bits;
  return std::uint64_t{1} << slot_shift | static_cast<std::uint64_t>(static_cast<const std::byte*>(at) - bars_[0].data);
}

// The first piece has room for `each` bytes.
void QxlGuest::WritePieces(QXLDataChunk& first, std::span<const std::byte> bytes, std::size_t each) {
  QXLDataChunk* piece = &first;
  for (;;) {
    const auto part = bytes.first(std::min(each, bytes.size()));
    piece->data_size = static_cast<std::uint32_t>(part.size());
    std::memcpy(piece->data, part.data(), part.size());
    bytes = bytes.subspan(part.size());
    if (bytes.empty()) return;
    auto& next = New<QXLDataChunk>(sizeof(QXLDataChunk) + each);
    piece->next_chunk = AddressOf(&next);
    piece = &next;
  }
}

QXLPHYSICAL QxlGuest::Bitmap(std::uint32_t width, std::uint32_t height, std::span<const std::uint32_t> pixels, std::uint8_t flags,
                             std::size_t piece_bytes) {
  auto& image = New<QXLImage>();
  image.descriptor.type = SPICE_IMAGE_TYPE_BITMAP;
  image.bitmap.format = SPICE_BITMAP_FMT_32BIT;
  image.bitmap.flags = flags;
  image.bitmap.x = image.descriptor.width = width;
  image.bitmap.y = image.descriptor.height = height;
  image.bitmap.stride = width * 4;
  auto& first = New<QXLDataChunk>(sizeof(QXLDataChunk) + piece_bytes);
  image.bitmap.data = AddressOf(&first);
  WritePieces(first, std::as_bytes(pixels), piece_bytes);
  return AddressOf(&image);
}

void QxlGuest::CreatePrimary(std::uint32_t width, std::uint32_t height) {
  pitch_ = width * 4;
  QXLSurfaceCreate& create = ram().create_surface;
  create = {};
  create.width = width;
  create.height = height;
  create.stride = static_cast<std::int32_t>(pitch_);
  create.format = SPICE_SURFACE_FMT_32_xRGB;
  create.mem = AddressOf(bars_[0].data);
  Out(QXL_IO_CREATE_PRIMARY);
}

std::uint32_t QxlGuest::Pixel(std::uint32_t x, std::uint32_t y) const {
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, bars_[0].data + std::size_t{y} * pitch_ + std::size_t{x} * 4, sizeof(pixel));
  return pixel;
}

QXLDrawable& QxlGuest::Drawable(std::uint8_t type, const QXLRect& box) {
  auto& drawable = New<QXLDrawable>();
  drawable.type = type;
  drawable.bbox = box;
  drawable.release_info.id = AddressOf(&drawable);
  if (type == QXL_DRAW_FILL) drawable.u.fill.rop_descriptor = SPICE_ROPD_OP_PUT;
  if (type == QXL_DRAW_FILL) drawable.u.fill.brush.type = SPICE_BRUSH_TYPE_SOLID;
  if (type == QXL_DRAW_COPY) drawable.u.copy.rop_descriptor = SPICE_ROPD_OP_PUT;
  return drawable;
}

std::vector<std::uint64_t> QxlGuest::TakeReleases() {
  std::vector<std::uint64_t> released;
  QXLReleaseRing& ring = ram().release_ring;
  for (; ring.cons != ring.prod; ring.cons = ring.cons + 1) {
    for (std::uint64_t id = ring.items[ring.cons % ring.num_items].el; id != 0;) {
      released.push_back(id);
      const std::uint64_t offset = id & (~std::uint64_t{0} >> 16);
      std::memcpy(&id, bars_[0].data + offset, sizeof(id));
    }
  }
  return released;
}

}  // namespace tandem::bus
