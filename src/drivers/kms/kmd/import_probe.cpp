#include "drivers/kms/kmd/import_probe.h"

#include "base/memory_map.h"
#include "color/blit.h"
#include "drivers/common/surface_layout.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/kms/kmd/crtc_planes.h"

namespace tandem::kms {

Result<UniqueFd> MakeUdmabuf(std::uint64_t size_bytes) {
  const auto pages = CreateSharedPages("tandem-kms-probe", size_bytes);
  if (!pages.ok()) return pages.error();
  return CreateDmaBuf(pages->get(), 0, size_bytes);
}

Result<void> ProbeImports(const Card& card, GemHandles& handles, const HeadParts& head, DmaBufSource* source) {
  const Mode* const mode = head.connector.preferred_mode();
  if (mode == nullptr) return Fail(ErrorKind::kUnsupported, "The display has no modes.");
  const auto layout = drivers::LayOutSurface(mode->width, mode->height, color::Format::kB8G8R8X8Unorm, 0);
  if (!layout.ok()) return layout.error();
  const auto dma_buf = source != nullptr ? source->Make(layout->size) : MakeUdmabuf(layout->size);
  if (!dma_buf.ok()) return dma_buf.error();
  const auto buffer = ImportedBuffer::Import(handles, dma_buf->get());
  if (!buffer.ok()) return buffer.error();
  const auto framebuffer =
      Framebuffer::Create(card, LinearLayout(DRM_FORMAT_XRGB8888, mode->width, mode->height, buffer->handle(), layout->pitch));
  if (!framebuffer.ok()) return framebuffer.error();
  CrtcPlanes planes(card, head.connector, head.crtc, head.planes);
  Scene scene;
  scene.mode = mode;
  scene.count = 1;
  const color::BlitRect whole{0, 0, mode->width, mode->height};
  scene.planes[0] = {framebuffer->id(), whole, whole, color::Rotation::kIdentity, false};
  const CommitResult tested = planes.Test(scene);
  if (!tested.done()) return ToError(tested, "A plane over memory of another device");
  return {};
}

}  // namespace tandem::kms
