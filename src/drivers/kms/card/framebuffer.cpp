#include "drivers/kms/card/framebuffer.h"

#include <array>
#include <cerrno>

#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

struct FormatRow {
  std::uint32_t fourcc;
  std::uint32_t bits_per_pixel;  // of the first plane
  bool chroma;
};

constexpr FormatRow kFormats[] = {
    {DRM_FORMAT_XRGB8888, 32, false},
    {DRM_FORMAT_ARGB8888, 32, false},
    {DRM_FORMAT_XBGR8888, 32, false},
    {DRM_FORMAT_ABGR8888, 32, false},
    {DRM_FORMAT_RGB565, 16, false},
    {DRM_FORMAT_RGB888, 24, false},
    {DRM_FORMAT_XRGB2101010, 32, false},
    {DRM_FORMAT_ARGB2101010, 32, false},
    {DRM_FORMAT_XBGR2101010, 32, false},
    {DRM_FORMAT_ABGR2101010, 32, false},
    {DRM_FORMAT_XBGR16161616F, 64, false},
    {DRM_FORMAT_ABGR16161616F, 64, false},
    {DRM_FORMAT_XRGB16161616, 64, false},
    {DRM_FORMAT_ARGB16161616, 64, false},
    {DRM_FORMAT_XBGR16161616, 64, false},
    {DRM_FORMAT_ABGR16161616, 64, false},
    {DRM_FORMAT_NV12, 8, true},
    {DRM_FORMAT_P010, 16, true},
};

const FormatRow* FindFormat(std::uint32_t fourcc) {
  for (const FormatRow& row : kFormats) {
    if (row.fourcc == fourcc) return &row;
  }
  return nullptr;
}

Error FramebufferError(const FramebufferLayout& layout, int error) {
  const ErrorKind kind = error == ENOENT ? ErrorKind::kUnsupported : KindOf(error);
  return Fail(kind, "The card takes no framebuffer of {}x{} pixels, format {}, pitch {}, offset {}, {}: {}.", layout.width,
              layout.height, FourccText(layout.fourcc), layout.planes[0].pitch_bytes, layout.planes[0].offset_bytes,
              layout.modifier ? fmt::format("modifier 0x{:x}", *layout.modifier) : "no modifier", ErrnoText(error));
}

}  // namespace

FramebufferLayout LinearLayout(std::uint32_t fourcc, std::uint32_t width, std::uint32_t height, std::uint32_t handle,
                               std::uint32_t pitch_bytes) {
  FramebufferLayout layout{width, height, fourcc, std::nullopt, {}};
  layout.planes[0] = {handle, pitch_bytes, 0};
  if (HasChromaPlane(fourcc)) layout.planes[1] = {handle, pitch_bytes, pitch_bytes * height};
  return layout;
}

std::uint32_t BitsPerPixel(std::uint32_t fourcc) {
  const FormatRow* row = FindFormat(fourcc);
  return row == nullptr ? 0 : row->bits_per_pixel;
}

bool HasChromaPlane(std::uint32_t fourcc) {
  const FormatRow* row = FindFormat(fourcc);
  return row != nullptr && row->chroma;
}

std::string FourccText(std::uint32_t fourcc) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) {
    const char c = static_cast<char>(fourcc >> shift & 0xFF);
    text.push_back(c > ' ' && c < 0x7F ? c : '?');
  }
  return text;
}

Framebuffer& Framebuffer::operator=(Framebuffer&& other) noexcept {
  if (this != &other) {
    Reset();
    card_ = other.card_;
    id_ = std::exchange(other.id_, 0);
  }
  return *this;
}

Result<Framebuffer> Framebuffer::Create(const Card& card, const FramebufferLayout& layout) {
  if (layout.modifier && !card.caps().modifiers) {
    return Fail(ErrorKind::kUnsupported, "The card's driver {} takes no framebuffers with modifiers.", card.identity().driver);
  }
  std::array<std::uint32_t, 4> handles{};
  std::array<std::uint32_t, 4> pitches{};
  std::array<std::uint32_t, 4> offsets{};
  std::array<std::uint64_t, 4> modifiers{};
  for (std::size_t i = 0; i < layout.planes.size(); ++i) {
    const FramebufferPlane& plane = layout.planes[i];
    if (plane.handle == 0) continue;
    handles[i] = plane.handle;
    pitches[i] = plane.pitch_bytes;
    offsets[i] = plane.offset_bytes;
    modifiers[i] = layout.modifier.value_or(0);
  }
  std::uint32_t id = 0;
  const int status =
      Drm().ModeAddFB2WithModifiers(card.fd(), layout.width, layout.height, layout.fourcc, handles.data(), pitches.data(),
                                    offsets.data(), modifiers.data(), &id, layout.modifier ? DRM_MODE_FB_MODIFIERS : 0);
  if (status != 0) return FramebufferError(layout, -status);
  return Framebuffer(card, id);
}

void Framebuffer::Reset() {
  if (id_ != 0) static_cast<void>(Drm().ModeRmFB(card_->fd(), std::exchange(id_, 0)));
}

}  // namespace tandem::kms
