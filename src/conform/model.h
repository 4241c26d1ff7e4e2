// Model of presents on plain arrays; a driver's pictures are compared with it.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <d3dukmdt.h>

namespace tandem::conform {

// 4 bytes a pixel, rows without padding.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint32_t> pixels;
};

enum class WorkKind { kCopy, kFill };

// One present of a workload, with the rectangles of D3DKMT_PRESENT. `rects` lie in the source of a copy, and in the destination
// of a fill.
struct Work {
  WorkKind kind = WorkKind::kCopy;
  std::size_t source = 0;  // index of a surface
  std::size_t destination = 0;
  RECT source_rect{};
  RECT destination_rect{};
  std::vector<RECT> rects;
  UINT color = 0;
};

// Applies `work` to the pictures; reads the whole source before the first write.
void Apply(const Work& work, std::span<Picture> pictures);

// A valid random present among `pictures`; equal generators give equal sequences on every machine.
[[nodiscard]] Work RandomWork(std::mt19937& random, std::span<const Picture> pictures);

}  // namespace tandem::conform
