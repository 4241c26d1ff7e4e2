#include "drivers/kms/kmd/cursor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "color/format.h"
#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

constexpr std::uint32_t kArgbBytes = 4;
// An extent that every card with a cursor plane takes.
constexpr std::uint32_t kSmallExtent = 64;

// Cursor planes blend premultiplied colours, and shapes have straight ones.
std::uint32_t Premultiply(std::uint32_t argb) {
  const std::uint32_t alpha = argb >> 24;
  std::uint32_t made = argb & 0xFF000000;
  for (const unsigned shift : {0U, 8U, 16U}) made |= ((argb >> shift & 255) * alpha + 127) / 255 << shift;
  return made;
}

// Another session has the card, or it is gone: the next picture that the head shows brings the pointer back.
bool IsAway(int error) { return error == EACCES || error == EPERM || error == ENODEV; }

}  // namespace

void Cursor::SetShape(const DXGKARG_SETPOINTERSHAPE& shape) {
  const MutexLock lock(mutex_);
  rect_.width = shape.Width;
  rect_.height = shape.Height;
  hot_x_ = shape.XHot;
  hot_y_ = shape.YHot;
  pixels_.resize(std::size_t{shape.Width} * shape.Height);
  for (std::size_t y = 0; y < shape.Height; ++y) {
    std::uint32_t* const row = pixels_.data() + y * shape.Width;
    std::memcpy(row, static_cast<const std::byte*>(shape.pPixels) + y * shape.Pitch, std::size_t{shape.Width} * kArgbBytes);
    std::transform(row, row + shape.Width, row, &Premultiply);
  }
  written_.reset();
  Update();
}

void Cursor::SetPosition(std::int32_t x, std::int32_t y, bool visible) {
  const MutexLock lock(mutex_);
  rect_.x = x;
  rect_.y = y;
  visible_ = visible;
  Update();
}

void Cursor::SetPlace(const std::optional<PicturePlace>& place) {
  const MutexLock lock(mutex_);
  place_ = place;
  Update();
}

void Cursor::Hold() {
  const MutexLock lock(mutex_);
  held_ = true;
}

void Cursor::Release() {
  const MutexLock lock(mutex_);
  held_ = false;
  if (std::exchange(stale_, false)) Update();
}

void Cursor::Forget() {
  const MutexLock lock(mutex_);
  shown_ = false;
  Update();
}

void Cursor::Update() {
  stale_ = held_;
  if (held_ || pixels_.empty()) return;
  const auto at = visible_ && place_ ? OnScreen(rect_, *place_) : std::nullopt;
  if (!at) {
    if (std::exchange(shown_, false)) Call(DRM_MODE_CURSOR_BO, {}, nullptr);
    return;
  }
  if (written_ != place_->rotation) {
    shown_ = false;
    if (auto written = WriteImage(place_->rotation); !written.ok()) return LogOnce(written.error());
  }
  const std::uint32_t flags = shown_ ? DRM_MODE_CURSOR_MOVE : DRM_MODE_CURSOR_MOVE | DRM_MODE_CURSOR_BO;
  shown_ = Call(flags, *at, &images_[latest_]);
}

Result<void> Cursor::WriteImage(color::Rotation rotation) {
  Image& image = images_[1 - latest_];
  if (auto made = MakeImage(image); !made.ok()) return made;
  const std::uint64_t pitch = std::uint64_t{image.width} * kArgbBytes;
  std::memset(image.map.data(), 0, pitch * image.height);
  color::Blit(color::TurnOf(reinterpret_cast<const std::byte*>(pixels_.data()), std::uint64_t{rect_.width} * kArgbBytes,
                            color::Format::kB8G8R8A8Unorm, rect_.width, rect_.height, image.map.data(), pitch, rotation));
  latest_ = 1 - latest_;
  written_ = rotation;
  return {};
}

Result<void> Cursor::MakeImage(Image& image) const {
  const CardCaps& caps = card_.caps();
  const bool small = std::max(rect_.width, rect_.height) <= kSmallExtent;
  const std::uint32_t width = small ? std::min(kSmallExtent, caps.cursor_width) : caps.cursor_width;
  const std::uint32_t height = small ? std::min(kSmallExtent, caps.cursor_height) : caps.cursor_height;
  if (image.width == width && image.height == height) return {};
  Image fresh;
  auto buffer = DumbBuffer::Create(card_, width, height, kArgbBytes * 8);
  if (!buffer.ok()) return std::move(buffer).error();
  fresh.buffer = *std::move(buffer);
  auto map = fresh.buffer.Map();
  if (!map.ok()) return std::move(map).error();
  fresh.map = *std::move(map);
  fresh.width = width;
  fresh.height = height;
  image = std::move(fresh);
  return {};
}

bool Cursor::Call(std::uint32_t flags, const ScreenPoint& at, const Image* image) {
  drm_mode_cursor2 cursor{};
  cursor.flags = flags;
  cursor.crtc_id = crtc_id_;
  cursor.x = at.x;
  cursor.y = at.y;
  if (image != nullptr && written_) {
    const color::BlitRect hot =
        color::RotatedRect({hot_x_, hot_y_, hot_x_ + 1, hot_y_ + 1}, rect_.width, rect_.height, *written_);
    cursor.hot_x = static_cast<std::int32_t>(hot.left);
    cursor.hot_y = static_cast<std::int32_t>(hot.top);
    cursor.width = image->width;
    cursor.height = image->height;
    cursor.handle = image->buffer.handle();
  }
  if (Drm().Ioctl(card_.fd(), DRM_IOCTL_MODE_CURSOR2, &cursor) == 0) return true;
  const int error = errno;
  if (!IsAway(error)) LogOnce(Fail(KindOf(error), "The cursor plane of CRTC {} refuses it: {}.", crtc_id_, ErrnoText(error)));
  return false;
}

void Cursor::LogOnce(const Error& refusal) {
  if (!std::exchange(refusal_was_logged_, true)) Log(LogLevel::kWarn, "The pointer is not shown. {}", refusal.message);
}

}  // namespace tandem::kms
