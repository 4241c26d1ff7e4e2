// Access to a link surface, shared by encoder and decoder, which trusts nothing in the surface. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "codec/packed/packed_rgb.h"
#include "codec/yuv/yuv_tiles.h"
#include "color/yuv.h"
#include "link/surface/link_surface.h"

namespace tandem::link {

// kYuv420Tiles codes up to an eighth of its tiles in full chroma, where coloured text would suffer.
inline constexpr codec::FullChroma kLinkFullChroma{125, codec::FullChroma{}.least_step};

// Place of one slice in the picture and in the surface.
struct LinkPlace {
  std::uint32_t index = 0;
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::byte* payload = nullptr;
  std::uint64_t capacity = 0;
};

// A copy of the surface's header; later changes of the pages have no effect.
class LinkWalk {
 public:
  // kInvalidArgument: the header contradicts the picture, or the rows are not whole slices.
  [[nodiscard]] static Result<LinkWalk> Begin(const LinkRows& rows, std::uint32_t width, std::uint32_t height);

  [[nodiscard]] const LinkSurfaceHeader& header() const { return header_; }
  [[nodiscard]] const LinkColors& colors() const { return colors_; }
  [[nodiscard]] std::uint32_t first() const { return first_; }
  [[nodiscard]] std::uint32_t end() const { return end_; }
  // Share of the header's frame_bytes for a slice in kLossless; 0: no limit.
  [[nodiscard]] std::uint64_t BudgetOf(const LinkPlace& place, color::Format linked) const;
  [[nodiscard]] LinkPlace PlaceOf(std::uint32_t slice) const;
  [[nodiscard]] LinkSlice Load(std::uint32_t slice) const { return ReadLinkSlice(surface_, slice); }
  [[nodiscard]] LinkHeld LoadHeld(std::uint32_t slice) const { return ReadLinkHeld(surface_, slice); }
  void Store(std::uint32_t slice, const LinkSlice& value) const { Write(kLinkSlicesOffset + slice * sizeof(value), value); }
  // Atomic, since a thread that keeps figures may read the record at the same time.
  void Store(std::uint32_t slice, const LinkHeld& value) const {
    auto* const words = reinterpret_cast<std::uint64_t*>(surface_.data() + kLinkHeldOffset) + 2 * std::size_t{slice};
    __atomic_store_n(words + 1, value.decode_ns, __ATOMIC_RELAXED);
    __atomic_store_n(words, value.frame, __ATOMIC_RELEASE);
  }
  void Store(const LinkProbed& value) const { Write(kLinkProbedOffset, value); }
  // Row 0 of the encoder's reference rows.
  [[nodiscard]] std::byte* reference() const;

 private:
  template <class Record>
  void Write(std::uint64_t offset, const Record& record) const {
    std::memcpy(surface_.data() + offset, &record, sizeof(record));
  }
  LinkWalk(std::span<std::byte> surface, std::uint32_t width, std::uint32_t height)
      : surface_(surface), width_(width), height_(height) {}

  std::span<std::byte> surface_;
  std::uint32_t width_;
  std::uint32_t height_;
  LinkSurfaceHeader header_{};
  LinkColors colors_{};
  std::uint32_t first_ = 0;  // slice
  std::uint32_t end_ = 0;
};

[[nodiscard]] constexpr bool HasTenBits(color::Format format) { return format == color::Format::kR10G10B10A2Unorm; }

[[nodiscard]] constexpr codec::PackedRgb PackingOf(color::Format format) {
  return HasTenBits(format) ? codec::PackedRgb::k30 : codec::PackedRgb::k24;
}

// True if unchanged pixels of the destination are those of the reference. A command that runs again finds its own frame, which
// contains them.
[[nodiscard]] constexpr bool IsHeld(std::uint64_t reference, const LinkSlice& slice, const LinkHeld& held) {
  return reference == held.frame || slice.frame == held.frame;
}

// Grows `room` to at least `bytes` and returns its start.
inline std::byte* RoomOf(std::vector<std::byte>& room, std::uint64_t bytes) {
  if (room.size() < bytes) room.resize(bytes);
  return room.data();
}

}  // namespace tandem::link
