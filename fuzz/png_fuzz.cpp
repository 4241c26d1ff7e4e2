// Arbitrary PNG pictures whose chunks have correct checksums.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "outputs/headless/png_picture.h"

namespace {

constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kAroundData = 12;  // a chunk's length and type before its data, its checksum after

std::uint32_t LoadBig(const std::byte* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return __builtin_bswap32(value);
}

std::uint32_t Crc(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

void SealChunks(std::span<std::byte> png) {
  for (std::size_t at = kSignatureBytes; png.size() >= kAroundData && at <= png.size() - kAroundData;) {
    const std::size_t length = LoadBig(png.data() + at);
    if (length > png.size() - kAroundData - at) return;
    const std::uint32_t crc = __builtin_bswap32(Crc(png.subspan(at + 4, length + 4)));
    std::memcpy(png.data() + at + 8 + length, &crc, sizeof(crc));
    at += kAroundData + length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> png(begin, begin + size);
  SealChunks(png);
  const auto picture = tandem::outputs::DecodePng(png, "fuzz");
  if (picture.ok() && picture->pixels.size() != std::size_t{4} * picture->width * picture->height) std::abort();
  return 0;
}
