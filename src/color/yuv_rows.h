// The walks over a surface, shared by reference and fast form.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "color/yuv.h"
#include "color/yuv_fixed.h"

namespace tandem::color {

template <class Visit>
void ForEachRowPair(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, Visit&& visit) {
  const bool planes = to.layout == YuvLayout::kThreePlanes;
  for (std::uint64_t y = 0; y < from.height; y += 2) {
    const std::uint64_t below = std::min<std::uint64_t>(y + 1, from.height - 1);
    std::byte* const v = planes ? to.v + y / 2 * to.chroma_pitch : nullptr;
    const std::byte* const next_top = y + 2 < from.height ? from.pixels + (y + 2) * from.pitch : nullptr;
    visit(EncodeRowPair{from.pixels + y * from.pitch, from.pixels + below * from.pitch, to.y + y * to.y_pitch,
                        to.y + below * to.y_pitch, to.u + y / 2 * to.chroma_pitch, v, from.width, next_top});
  }
}

template <class Visit>
void ForEachRowPair(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, Visit&& visit) {
  const bool planes = from.layout == YuvLayout::kThreePlanes;
  for (std::uint64_t y = 0; y < to.height; y += 2) {
    const std::uint64_t below = std::min<std::uint64_t>(y + 1, to.height - 1);
    const std::byte* const v = planes ? from.v + y / 2 * from.chroma_pitch : nullptr;
    const bool more = y + 3 < to.height;
    visit(DecodeRowPair{from.y + y * from.y_pitch, from.y + below * from.y_pitch, from.u + y / 2 * from.chroma_pitch, v,
                        to.pixels + y * to.pitch, to.pixels + below * to.pitch, to.width, more ? 2 * from.y_pitch : 0,
                        more ? from.chroma_pitch : 0});
  }
}

template <class Visit>
void ForEachRow(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, ChromaFilter filter, Visit&& visit) {
  const bool planes = from.layout == YuvLayout::kThreePlanes;
  const std::uint64_t last = ChromaExtent(to.height) - 1;
  for (std::uint64_t y = 0; y < to.height; ++y) {
    const std::uint64_t nearer = y / 2;
    std::uint64_t further = nearer;
    if (filter == ChromaFilter::kBilinear) further = (y % 2 != 0) ? std::min(nearer + 1, last) : nearer - (nearer != 0 ? 1 : 0);
    const std::uint64_t near_at = nearer * from.chroma_pitch;
    const std::uint64_t far_at = further * from.chroma_pitch;
    visit(DecodeRow{from.y + y * from.y_pitch, from.u + near_at, from.u + far_at, planes ? from.v + near_at : nullptr,
                    planes ? from.v + far_at : nullptr, to.pixels + y * to.pitch, to.width});
  }
}

}  // namespace tandem::color
