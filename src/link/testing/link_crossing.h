// A picture's way through a link surface, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "codec/pictures/pictures.h"
#include "color/format.h"
#include "link/surface/link_surface.h"

namespace tandem::link {

inline constexpr color::Format kBgra = color::Format::kB8G8R8A8Unorm;
inline constexpr color::Format kRgba = color::Format::kR8G8B8A8Unorm;
inline constexpr color::Format kRgb10 = color::Format::kR10G10B10A2Unorm;
inline constexpr color::Format kHalf = color::Format::kR16G16B16A16Float;

// A picture, its link surface and the decoded picture.
class Crossing {
 public:
  Crossing(std::uint32_t width, std::uint32_t height, color::Format format, std::uint32_t slices = 4, LinkColors colors = {},
           std::uint64_t frame_bytes = 0)
      : width_(width),
        height_(height),
        format_(format),
        slice_rows_(LinkSliceRows(height, slices)),
        surface_(LinkSurfaceBytes(width, height)),
        from_(std::size_t{width} * height * 4),
        to_(from_.size(), std::byte{0x11}) {
    InitializeLinkSurface(surface_, slice_rows_, colors, frame_bytes);
    for (std::uint32_t i = 0; i < from_.size(); ++i)
      from_[i] = static_cast<std::byte>(i % 4 == 3 ? 255U : (i * 7U + i / 64U) & 0xFFU);
  }

  [[nodiscard]] LinkRows rows(std::uint32_t first, std::uint32_t end) { return {surface_, first, end}; }
  [[nodiscard]] LinkPicture<const std::byte> from() const { return {from_.data(), width_ * 4ULL, format_, width_, height_}; }
  [[nodiscard]] LinkPicture<std::byte> to() { return {to_.data(), width_ * 4ULL, format_, width_, height_}; }
  Result<std::uint64_t> Encode(std::uint64_t frame, LinkEncoding encoding) {
    RequestLinkFrame(surface_, frame, encoding);
    const auto coded = EncodeLinkRows(rows(0, height_), from(), MonotonicClock(), room_);
    if (!coded.ok()) return coded.error();
    encoding_passes_ = coded->passes;
    return coded->crossing;
  }
  Result<PassCount> Decode() { return DecodeLinkRows(rows(0, height_), to(), MonotonicClock(), room_); }
  [[nodiscard]] const PassCount& encoding_passes() const { return encoding_passes_; }
  [[nodiscard]] bool same() const { return from_ == to_; }
  [[nodiscard]] std::vector<std::byte>& surface() { return surface_; }
  [[nodiscard]] const std::vector<std::byte>& surface() const { return surface_; }
  [[nodiscard]] std::byte& pixel(std::uint32_t x, std::uint32_t y, std::uint32_t channel) {
    return from_[(std::size_t{y} * width_ + x) * 4 + channel];
  }
  void Set(const std::vector<std::byte>& pixels) { from_ = pixels; }
  void Draw(codec::Picture picture) { from_ = codec::DrawPicture(picture, width_, height_, 1); }
  void TurnRound() {
    for (std::size_t i = 0; i < from_.size(); i += 4) std::swap(from_[i], from_[i + 2]);
  }
  [[nodiscard]] std::uint32_t slice_rows() const { return slice_rows_; }
  [[nodiscard]] const std::vector<std::byte>& out() const { return to_; }
  [[nodiscard]] const std::vector<std::byte>& in() const { return from_; }
  [[nodiscard]] LinkSlice Slice(std::uint32_t index) const { return ReadLinkSlice(surface_, index); }
  void SetHeld(std::uint32_t index, std::uint64_t frame) {
    const LinkHeld held{frame, 0};
    std::memcpy(surface_.data() + kLinkHeldOffset + index * sizeof(held), &held, sizeof(held));
  }
  void SetSlice(std::uint32_t index, const LinkSlice& slice) {
    std::memcpy(surface_.data() + kLinkSlicesOffset + index * sizeof(slice), &slice, sizeof(slice));
  }

 private:
  std::uint32_t width_;
  std::uint32_t height_;
  color::Format format_;
  std::uint32_t slice_rows_;
  std::vector<std::byte> surface_;
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  std::vector<std::byte> room_;
  PassCount encoding_passes_;
};

}  // namespace tandem::link
