#include "bus/virtio/gpu_formats.h"

#include <string_view>

#include "bus/virtio/gpu_protocol.h"

namespace tandem::bus {
namespace {

// Bytes of a texel for each number of virgl_formats: a digit, c 12, g 16, o 24, w 32; a dot has no such size.
constexpr std::string_view kTexelBytes =
    ".4444222411122..244444418gow48cg48cg48cg48cg48cg2468246824682468"
    "123441234.1234....1234.48cg24681234444444..............42424448."
    "441442424481422....1121224222424484.....112244444123412342468246"
    "848cg48cg1112111222242224444844484...4444488888ggg2444822448842."
    "...222.2.4.44.......................................4..212...312"
    "22";

struct BlockRange {
  std::uint32_t first, last;  // numbers of virgl_formats
  TexelBlock block;
};

constexpr BlockRange kBlocks[] = {
    {105, 106, {4, 4, 8}},   // DXT1
    {107, 108, {4, 4, 16}},  // DXT3, DXT5
    {109, 110, {4, 4, 8}},   // DXT1 sRGB
    {111, 112, {4, 4, 16}},  // DXT3, DXT5 sRGB
    {113, 114, {4, 4, 8}},   // RGTC1
    {115, 116, {4, 4, 16}},  // RGTC2
    {143, 144, {4, 4, 8}},   // LATC1
    {145, 146, {4, 4, 16}},  // LATC2
    {226, 226, {4, 4, 8}},   // ETC1
    {255, 258, {4, 4, 16}},  // BPTC
    {269, 272, {4, 4, 8}},   // ETC2 RGB, with one bit of alpha
    {273, 274, {4, 4, 16}},  // ETC2 RGBA
    {275, 276, {4, 4, 8}},   // ETC2 R11
    {277, 278, {4, 4, 16}},  // ETC2 RG11
};

constexpr std::uint32_t kFirstAstc = 279, kFirstAstcSrgb = 293, kLastAstc = 306;
constexpr TexelBlock kAstcBlocks[] = {{4, 4, 16},  {5, 4, 16},   {5, 5, 16},   {6, 5, 16},  {6, 6, 16},
                                      {8, 5, 16},  {8, 6, 16},   {8, 8, 16},   {10, 5, 16}, {10, 6, 16},
                                      {10, 8, 16}, {10, 10, 16}, {12, 10, 16}, {12, 12, 16}};

std::uint32_t SizeOfLetter(char letter) {
  switch (letter) {
    case '.': return 0;
    case 'c': return 12;
    case 'g': return 16;
    case 'o': return 24;
    case 'w': return 32;
    default: return static_cast<std::uint32_t>(letter - '0');
  }
}

}  // namespace

std::optional<TexelBlock> BlockOf(std::uint32_t format) {
  for (const BlockRange& range : kBlocks) {
    if (format >= range.first && format <= range.last) return range.block;
  }
  if (format >= kFirstAstc && format <= kLastAstc) {
    return kAstcBlocks[format - (format < kFirstAstcSrgb ? kFirstAstc : kFirstAstcSrgb)];
  }
  const std::uint32_t bytes = format < kTexelBytes.size() ? SizeOfLetter(kTexelBytes[format]) : 0;
  if (bytes == 0) return std::nullopt;
  return TexelBlock{1, 1, bytes};
}

color::Format ScreenFormatOf(std::uint32_t format) {
  switch (static_cast<virtio::GpuFormat>(format)) {
    case virtio::GpuFormat::kB8G8R8A8:
    case virtio::GpuFormat::kB8G8R8X8: return color::Format::kB8G8R8X8Unorm;
    case virtio::GpuFormat::kR8G8B8A8:
    case virtio::GpuFormat::kR8G8B8X8: return color::Format::kR8G8B8A8Unorm;
  }
  return color::Format::kUnknown;
}

}  // namespace tandem::bus
