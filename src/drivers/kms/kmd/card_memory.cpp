#include "drivers/kms/card_memory.h"

#include <utility>

#include "base/memory_map.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/kms/kmd/import_probe.h"

namespace tandem::kms {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kRowPixels = 1024;  // of the buffer, whatever the rows of the picture in it
constexpr std::uint32_t kProbeWidth = 320, kProbeHeight = 200;
constexpr std::uint32_t kProbePitch = 1536;  // more than the pixels, as surfaces' are

// The host of a virtual machine copies such a buffer with the rows that it was made with, whatever the framebuffer's.
constexpr char kShapedBuffers[] = "virtio_gpu";

class OpenCard final : public CardMemory {
 public:
  explicit OpenCard(std::unique_ptr<Card> card) : card_(std::move(card)), handles_(*card_) {}

  Result<UniqueFd> Make(std::uint64_t size_bytes) override {
    const std::uint64_t rows = (size_bytes + kRowPixels * kPixelBytes - 1) / (kRowPixels * kPixelBytes);
    if (rows > UINT32_MAX) return Fail(ErrorKind::kUnsupported, "{} bytes are more than a buffer holds.", size_bytes);
    const auto buffer = DumbBuffer::Create(*card_, kRowPixels, static_cast<std::uint32_t>(rows), kPixelBytes * 8);
    if (!buffer.ok()) return buffer.error();
    return buffer->Export();
  }

  Result<void> TakesForeign() override {
    const std::uint64_t bytes = std::uint64_t{kProbePitch} * kProbeHeight;
    const auto size = RoundUpToPages(bytes);
    if (!size.ok()) return size.error();
    return Shows(MakeUdmabuf(*size));
  }

  Result<void> TakesOwn() override {
    if (card_->identity().driver == kShapedBuffers) {
      return Fail(ErrorKind::kUnsupported, "Buffers of {} hold pictures of one pitch alone.", kShapedBuffers);
    }
    return Shows(Make(std::uint64_t{kProbePitch} * kProbeHeight));
  }

 private:
  Result<void> Shows(Result<UniqueFd> dma_buf) {
    if (!dma_buf.ok()) return std::move(dma_buf).error();
    const auto imported = ImportedBuffer::Import(handles_, dma_buf->get());
    if (!imported.ok()) return imported.error();
    const auto framebuffer = Framebuffer::Create(
        *card_, LinearLayout(DRM_FORMAT_XRGB8888, kProbeWidth, kProbeHeight, imported->handle(), kProbePitch));
    return framebuffer.ok() ? Result<void>() : framebuffer.error();
  }

  const std::unique_ptr<Card> card_;
  GemHandles handles_;
};

}  // namespace

Result<std::shared_ptr<CardMemory>> CardMemory::Open(const std::string& card) {
  if (auto loaded = LoadDrm(); !loaded.ok()) return std::move(loaded).error();
  const auto name = ParseCardName(card);
  if (!name.ok()) return name.error();
  auto path = FindNode(*name);
  if (!path.ok()) return std::move(path).error();
  auto opened = Card::OpenBeside(*path);
  if (!opened.ok()) return std::move(opened).error();
  if ((*opened)->IsMaster()) {
    if (auto dropped = (*opened)->DropMaster(); !dropped.ok()) return std::move(dropped).error();
  }
  return std::shared_ptr<CardMemory>(std::make_shared<OpenCard>(*std::move(opened)));
}

}  // namespace tandem::kms
