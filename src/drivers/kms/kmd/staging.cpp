#include "drivers/kms/kmd/staging.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "drivers/common/pixel_format.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr color::Format kPictureFormat = color::Format::kB8G8R8X8Unorm;
constexpr std::uint32_t kPictureBytes = 4;

color::BlitRect Centred(std::uint32_t rect_width, std::uint32_t rect_height, std::uint32_t width, std::uint32_t height) {
  const std::uint32_t left = (width - rect_width) / 2, top = (height - rect_height) / 2;
  return {left, top, left + rect_width, top + rect_height};
}

}  // namespace

color::BlitRect FillInto(std::uint32_t picture_width, std::uint32_t picture_height, std::uint32_t width, std::uint32_t height) {
  const std::uint64_t by_width = std::uint64_t{picture_height} * width / picture_width;
  if (by_width <= height) return Centred(width, static_cast<std::uint32_t>(std::max<std::uint64_t>(by_width, 1)), width, height);
  const std::uint64_t by_height = std::uint64_t{picture_width} * height / picture_height;
  return Centred(static_cast<std::uint32_t>(std::max<std::uint64_t>(by_height, 1)), height, width, height);
}

color::BlitRect FitInto(std::uint32_t picture_width, std::uint32_t picture_height, std::uint32_t width, std::uint32_t height) {
  if (picture_width <= width && picture_height <= height) return Centred(picture_width, picture_height, width, height);
  return FillInto(picture_width, picture_height, width, height);
}

Result<void> Staging::Prepare(std::uint32_t width, std::uint32_t height) {
  if (width_ == width && height_ == height) return {};
  width_ = height_ = 0;
  for (Picture& picture : pictures_) {
    Picture fresh;
    auto buffer = DumbBuffer::Create(card_, width, height, kPictureBytes * 8);
    if (!buffer.ok()) return std::move(buffer).error();
    fresh.buffer = *std::move(buffer);
    auto map = fresh.buffer.Map();
    if (!map.ok()) return std::move(map).error();
    fresh.map = *std::move(map);
    auto framebuffer = Framebuffer::Create(
        card_, LinearLayout(DRM_FORMAT_XRGB8888, width, height, fresh.buffer.handle(), fresh.buffer.pitch_bytes()));
    if (!framebuffer.ok()) return std::move(framebuffer).error();
    fresh.framebuffer = *std::move(framebuffer);
    picture = std::move(fresh);
  }
  width_ = width;
  height_ = height;
  return {};
}

Result<Staging::Written> Staging::Write(const processor::ScanOutFrame& frame, color::Rotation rotation,
                                        processor::GpuMemory& memory, std::uint32_t width, std::uint32_t height,
                                        std::uint32_t on_screen) {
  if (frame.plane_count > 1) return Fail(ErrorKind::kUnsupported, "Planes that lie on each other are not put together.");
  if (auto prepared = Prepare(width, height); !prepared.ok()) return prepared.error();
  const auto lease = memory.Resolve(frame.address, processor::SpanBytes(frame));
  if (!lease) return Fail(ErrorKind::kNotFound, "Address 0x{:x} is not mapped.", frame.address);
  Picture& picture = pictures_[pictures_[0].framebuffer.id() == on_screen ? 1 : 0];
  const bool quarter = color::IsQuarterTurn(rotation);
  const color::BlitRect content =
      FitInto(quarter ? frame.height : frame.width, quarter ? frame.width : frame.height, width, height);
  Written written{picture.framebuffer.id(), content, 0};
  const std::uint64_t pitch = picture.buffer.pitch_bytes();
  if (picture.content != content) {
    std::memset(picture.map.data(), 0, pitch * height);
    written.bytes += pitch * height;
    picture.content = content;
  }
  color::BlitRequest request;
  if (drivers::IsNv12(frame.format)) {
    request.source = nv12_.Read(lease->data(), frame.pitch, frame.height, {0, 0, frame.width, frame.height});
    request.source_format = processor::SeenFormat(frame.format);
    request.source_pitch = std::uint64_t{frame.width} * color::BytesPerPixel(request.source_format);
    written.bytes += request.source_pitch * frame.height;
  } else {
    request.source = lease->data();
    request.source_format = frame.format;
    request.source_pitch = frame.pitch;
    if (frame.format == color::Format::kR16G16B16A16Float) request.transfer = color::Transfer::kLinearToSrgb;
  }
  request.source_width = frame.width;
  request.source_height = frame.height;
  request.destination = picture.map.data() + content.top * pitch + std::uint64_t{content.left} * kPictureBytes;
  request.destination_pitch = pitch;
  request.destination_format = kPictureFormat;
  request.destination_width = quarter ? content.height() : content.width();
  request.destination_height = quarter ? content.width() : content.height();
  request.part = {0, 0, request.destination_width, request.destination_height};
  request.rotation = rotation;
  request.dither = dithers_;
  color::Blit(request);
  written.bytes += std::uint64_t{content.width()} * content.height() * kPictureBytes;
  return written;
}

}  // namespace tandem::kms
