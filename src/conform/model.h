// What a sequence of presents does to pictures, by plain arrays: the truth that a driver's pictures are compared with.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <d3dukmdt.h>

namespace tandem::conform {

// 4 bytes a pixel, rows without gaps.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint32_t> pixels;
};

enum class WorkKind { kCopy, kFill };

// One present of a workload. Rectangles as D3DKMT_PRESENT has them: `rects` in the source of a copy, in the destination of a
// fill.
struct Work {
  WorkKind kind = WorkKind::kCopy;
  std::size_t source = 0;  // index of a surface
  std::size_t destination = 0;
  RECT source_rect{};
  RECT destination_rect{};
  std::vector<RECT> rects;
  UINT color = 0;
};

// Does the work to the pictures. The source is read before anything is written.
void Apply(const Work& work, std::span<Picture> pictures);

// A valid present among `pictures`; the same generator gives the same sequence on every machine.
[[nodiscard]] Work RandomWork(std::mt19937& random, std::span<const Picture> pictures);

}  // namespace tandem::conform
