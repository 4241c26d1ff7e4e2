#include "outputs/headless/png_picture.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <png.h>

#include "base/limits.h"

namespace tandem::outputs {
namespace {

// Deflate expands one byte to at most 1032 bytes, and a pixel has at least one bit.
constexpr std::uint64_t kMostPixelsPerByte = 1032 * 8;
constexpr std::size_t kReadBytes = std::size_t{1} << 20;
constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kAroundData = 12;  // a chunk's length and type before its data, its checksum after

Result<std::vector<std::byte>> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return Fail(ErrorKind::kIo, "Picture {} cannot be opened: {}.", path, std::strerror(errno));
  std::vector<std::byte> bytes;
  for (;;) {
    const std::size_t size = bytes.size();
    bytes.resize(std::min(size + kReadBytes, kMaxPngBytes + 1));
    bytes.resize(size + std::fread(bytes.data() + size, 1, bytes.size() - size, file.get()));
    if (std::ferror(file.get()) != 0) {
      return Fail(ErrorKind::kIo, "Picture {} cannot be read: {}.", path, std::strerror(errno));
    }
    if (bytes.size() > kMaxPngBytes) {
      return Fail(ErrorKind::kInvalidArgument, "Picture {} has {} bytes at least; the limit is {}.", path, bytes.size(),
                  kMaxPngBytes);
    }
    if (std::feof(file.get()) != 0) return bytes;
  }
}

std::uint32_t LoadBig(const std::byte* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return __builtin_bswap32(value);
}

// libpng allocates a chunk's length before it reads the chunk: up to 2 GiB, even if the data is missing.
Result<void> CheckChunks(std::span<const std::byte> png, const std::string& name) {
  for (std::size_t at = kSignatureBytes; png.size() >= kAroundData && at <= png.size() - kAroundData;) {
    const std::size_t length = LoadBig(png.data() + at);
    const std::size_t left = png.size() - kAroundData - at;
    if (length > left) {
      return Fail(ErrorKind::kIo, "Picture {} cannot be read: its chunk at byte {} has {} bytes; the file has {} for it.", name,
                  at, length, left);
    }
    if (std::memcmp(png.data() + at + 4, "IEND", 4) == 0) return {};
    at += kAroundData + length;
  }
  return {};
}

Result<void> CheckExtent(const png_image& image, std::size_t bytes, const std::string& name) {
  if (image.width > kMaxSurfaceExtent || image.height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "Picture {} has {} x {} pixels; the limit is {} each way.", name, image.width,
                image.height, kMaxSurfaceExtent);
  }
  // This check precedes the allocation for pixels that the file cannot contain.
  const std::uint64_t least = std::uint64_t{image.width} * image.height / kMostPixelsPerByte;
  if (bytes >= least) return {};
  return Fail(ErrorKind::kInvalidArgument, "Picture {} has {} bytes; {} x {} pixels take {} at least.", name, bytes, image.width,
              image.height, least);
}

}  // namespace

Result<PngPicture> ReadPng(const std::string& path) {
  const auto bytes = ReadFile(path);
  if (!bytes.ok()) return bytes.error();
  return DecodePng(*bytes, path);
}

Result<PngPicture> DecodePng(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty()) return Fail(ErrorKind::kIo, "Picture {} is empty.", name);
  if (png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, std::min(bytes.size(), kSignatureBytes)) == 0) {
    if (auto checked = CheckChunks(bytes, name); !checked.ok()) return std::move(checked).error();
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
    return Fail(ErrorKind::kIo, "Picture {} cannot be read: {}.", name, image.message);
  }
  if (auto checked = CheckExtent(image, bytes.size(), name); !checked.ok()) {
    png_image_free(&image);
    return std::move(checked).error();
  }
  image.format = PNG_FORMAT_BGRA;
  PngPicture picture{image.width, image.height, std::vector<std::byte>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0) {
    return Fail(ErrorKind::kIo, "Picture {} cannot be read: {}.", name, image.message);
  }
  return picture;
}

}  // namespace tandem::outputs
