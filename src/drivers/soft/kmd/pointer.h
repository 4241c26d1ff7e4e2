// The pointer of a target: an image that the virtual display controller puts over the picture on its way to the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "color/blit.h"
#include "color/format.h"

#include <d3dkmddi.h>

namespace tandem::soft {

// Pixels in both directions, of one mask.
inline constexpr std::uint32_t kMaxPointerExtent = 64;

// The image, in one form for all kinds: the screen's pixel is ANDed with the one mask, and XORed with the other; a color pixel
// blends. Immutable.
struct PointerImage {
  struct Pixel {
    std::uint32_t and_mask = 0xFFFFFF;  // A8R8G8B8 without alpha, as the others
    std::uint32_t xor_mask = 0;
    std::uint32_t color = 0;
    std::uint8_t alpha = 0;  // of `color`
  };
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  std::vector<Pixel> pixels;  // row by row

  // Precondition: the shape is within kMaxPointerExtent and has one of the flags.
  [[nodiscard]] static std::shared_ptr<const PointerImage> Read(const DXGKARG_SETPOINTERSHAPE& shape);
};

// The state of a pointer. Threads: one at a time; a copy shares the image.
struct Pointer {
  std::shared_ptr<const PointerImage> image;  // null: there is none
  std::int32_t x = 0;                         // of the upper left corner, in pixels of the picture
  std::int32_t y = 0;
  bool visible = false;

  // The pixels of a picture that it covers; empty when it is not seen.
  [[nodiscard]] color::BlitRect SeenPart(std::uint32_t width, std::uint32_t height) const;
};

// Draws pointers. Threads: one. In a format that has not eight bits a channel, pixels are changed as if they had.
class PointerPainter {
 public:
  // `seen` is not empty, and lies in the picture and under the pointer.
  void Draw(const Pointer& pointer, const color::BlitRect& seen, std::byte* pixels, std::uint64_t pitch, color::Format format);

 private:
  void DrawConverted(const Pointer& pointer, const color::BlitRect& seen, std::byte* pixels, std::uint64_t pitch,
                     color::Format format);

  std::vector<std::byte> eight_bits_;  // the covered part
  std::vector<std::byte> changed_;     // and in the picture's format
};

}  // namespace tandem::soft
