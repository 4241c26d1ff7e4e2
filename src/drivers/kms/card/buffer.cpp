#include "drivers/kms/card/buffer.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>

#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

// A card may refuse a descriptor for what it is (EBADF), for its exporter (ENODEV, EINVAL) or because it was removed (ENODEV).
Error ImportError(const Card& card, int error) {
  const std::string& driver = card.identity().driver;
  if (error == EBADF) return Fail(ErrorKind::kInvalidArgument, "The descriptor is no dma-buf.");
  if (error == ENODEV && !card.IsPresent()) return Fail(ErrorKind::kDeviceLost, "The card {} was removed.", driver);
  const ErrorKind kind = error == ENODEV ? ErrorKind::kUnsupported : KindOf(error);
  return Fail(kind, "The card's driver {} does not import the dma-buf: {}.", driver, ErrnoText(error));
}

}  // namespace

Result<std::uint32_t> GemHandles::Import(int dma_buf_fd) {
  if (!card_.caps().prime_import) {
    return Fail(ErrorKind::kUnsupported, "The card's driver {} imports no dma-bufs.", card_.identity().driver);
  }
  const MutexLock lock(mutex_);
  std::uint32_t handle = 0;
  if (Drm().PrimeFDToHandle(card_.fd(), dma_buf_fd, &handle) != 0) return ImportError(card_, errno);
  ++users_[handle];
  return handle;
}

void GemHandles::Release(std::uint32_t handle) {
  const MutexLock lock(mutex_);
  const auto found = users_.find(handle);
  if (found == users_.end() || --found->second != 0) return;
  users_.erase(found);
  static_cast<void>(Drm().CloseBufferHandle(card_.fd(), handle));
}

ImportedBuffer& ImportedBuffer::operator=(ImportedBuffer&& other) noexcept {
  if (this != &other) {
    Reset();
    handles_ = other.handles_;
    handle_ = std::exchange(other.handle_, 0);
  }
  return *this;
}

Result<ImportedBuffer> ImportedBuffer::Import(GemHandles& handles, int dma_buf_fd) {
  auto handle = handles.Import(dma_buf_fd);
  if (!handle.ok()) return std::move(handle).error();
  return ImportedBuffer(handles, *handle);
}

void ImportedBuffer::Reset() {
  if (handle_ != 0) handles_->Release(std::exchange(handle_, 0));
}

DumbBuffer& DumbBuffer::operator=(DumbBuffer&& other) noexcept {
  if (this != &other) {
    Reset();
    card_ = other.card_;
    handle_ = std::exchange(other.handle_, 0);
    pitch_bytes_ = other.pitch_bytes_;
    size_bytes_ = other.size_bytes_;
  }
  return *this;
}

Result<DumbBuffer> DumbBuffer::Create(const Card& card, std::uint32_t width, std::uint32_t height, std::uint32_t bits_per_pixel) {
  if (!card.caps().dumb_buffers) {
    return Fail(ErrorKind::kUnsupported, "The card's driver {} has no dumb buffers.", card.identity().driver);
  }
  DumbBuffer made;
  const int status = Drm().ModeCreateDumbBuffer(card.fd(), width, height, bits_per_pixel, 0, &made.handle_, &made.pitch_bytes_,
                                                &made.size_bytes_);
  if (status != 0) {
    return Fail(KindOf(-status), "The card makes no buffer of {}x{} pixels of {} bits: {}.", width, height, bits_per_pixel,
                ErrnoText(-status));
  }
  made.card_ = &card;
  return made;
}

Result<std::uint64_t> DumbBuffer::MapOffset() const {
  std::uint64_t offset = 0;
  const int status = Drm().ModeMapDumbBuffer(card_->fd(), handle_, &offset);
  if (status == 0) return offset;
  return Fail(KindOf(-status), "The card does not map its buffer: {}.", ErrnoText(-status));
}

Result<MemoryMap> DumbBuffer::Map() const {
  const auto offset = MapOffset();
  if (!offset.ok()) return offset.error();
  return MemoryMap::MapDevice(card_->fd(), *offset, size_bytes_);
}

Result<void> DumbBuffer::MapOver(std::byte* pages, std::size_t size_bytes) const {
  if (size_bytes > size_bytes_) {
    return Fail(ErrorKind::kInvalidArgument, "{} bytes of a buffer of {} cannot be mapped.", size_bytes, size_bytes_);
  }
  const auto offset = MapOffset();
  if (!offset.ok()) return offset.error();
  const auto at = static_cast<off_t>(*offset);
  if (mmap(pages, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, card_->fd(), at) == MAP_FAILED) {
    return Fail(KindOf(errno), "The card does not map its buffer over local memory: {}.", ErrnoText(errno));
  }
  return {};
}

Result<UniqueFd> DumbBuffer::Export() const {
  if (!card_->caps().prime_export) {
    return Fail(ErrorKind::kUnsupported, "The card's driver {} exports no dma-bufs.", card_->identity().driver);
  }
  int fd = -1;
  if (Drm().PrimeHandleToFD(card_->fd(), handle_, DRM_CLOEXEC | DRM_RDWR, &fd) != 0) {
    return Fail(KindOf(errno), "The card does not export its buffer: {}.", ErrnoText(errno));
  }
  return UniqueFd(fd);
}

void DumbBuffer::Reset() {
  if (handle_ != 0) static_cast<void>(Drm().ModeDestroyDumbBuffer(card_->fd(), std::exchange(handle_, 0)));
}

}  // namespace tandem::kms
