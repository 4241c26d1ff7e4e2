#include "outputs/headless/png_picture.h"

#include <utility>

#include <png.h>

#include "base/limits.h"

namespace tandem::outputs {

Result<PngPicture> ReadPng(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) {
    return Fail(ErrorKind::kIo, "Picture {} cannot be read: {}.", path, image.message);
  }
  if (image.width > kMaxSurfaceExtent || image.height > kMaxSurfaceExtent) {
    const auto [width, height] = std::pair(image.width, image.height);
    png_image_free(&image);
    return Fail(ErrorKind::kInvalidArgument, "Picture {} has {} x {} pixels; the limit is {} each way.", path, width, height,
                kMaxSurfaceExtent);
  }
  image.format = PNG_FORMAT_BGRA;
  PngPicture picture{image.width, image.height, std::vector<std::byte>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0) {
    return Fail(ErrorKind::kIo, "Picture {} cannot be read: {}.", path, image.message);
  }
  return picture;
}

}  // namespace tandem::outputs
