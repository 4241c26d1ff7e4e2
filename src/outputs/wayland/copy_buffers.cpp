#include "outputs/wayland/copy_buffers.h"

#include <utility>

#include "color/convert.h"
#include "outputs/eight_bits.h"

namespace tandem::outputs {

CopyBuffers::Copy& CopyBuffers::Next() {
  MutexLock lock(events_.mutex());
  const auto free = [this]() -> Copy* {
    for (std::size_t i = 1; i <= copies_.size(); ++i) {
      Copy& copy = copies_[(last_ + i) % copies_.size()];
      if (!copy.buffer || !copy.buffer->in_use()) return &copy;
    }
    return nullptr;
  };
  events_.WaitFor(lock, kBufferKeptNs, [&free] { return free() != nullptr; });
  Copy* copy = free();
  if (copy == nullptr) copy = &copies_[(last_ + 1) % copies_.size()];
  last_ = static_cast<std::size_t>(copy - copies_.data());
  return *copy;
}

Result<void> CopyBuffers::Fit(Copy& copy, const Surface& surface, bool blends) {
  const std::uint32_t format = blends ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888;
  if (copy.buffer && copy.buffer->layout().width == surface.width && copy.buffer->layout().height == surface.height &&
      copy.buffer->layout().format == format)
    return {};
  const std::uint32_t pitch = surface.width * 4;
  auto bytes = RoundUpToPages(std::size_t{pitch} * surface.height);
  if (!bytes.ok()) return std::move(bytes).error();
  copy = {};
  auto fd = CreateSharedPages("tandem-wayland-output", *bytes);
  if (!fd.ok()) return std::move(fd).error();
  auto pages = MemoryMap::MapShared(*fd, 0, *bytes, MapAccess::kReadWrite);
  if (!pages.ok()) return std::move(pages).error();
  PageLayout layout;
  layout.fd = fd->get();
  layout.fd_bytes = *bytes;
  layout.width = surface.width;
  layout.height = surface.height;
  layout.pitch = pitch;
  layout.format = format;
  auto buffer = PageBuffer::CreateShm(events_, globals_, layout);
  if (!buffer.ok()) return std::move(buffer).error();
  copy = {*std::move(fd), *std::move(pages), *std::move(buffer)};
  return {};
}

Result<PageBuffer*> CopyBuffers::Fill(const Surface& surface, bool blends) {
  Copy& copy = Next();
  if (auto fits = Fit(copy, surface, blends); !fits.ok()) return std::move(fits).error();
  ToBgra8(copy.pages.data(), copy.buffer->layout().pitch, surface, 0, surface.height, color::Alpha::kKeep);
  return copy.buffer.get();
}

}  // namespace tandem::outputs
