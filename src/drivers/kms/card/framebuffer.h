// Framebuffers: pixel memory with a format, as planes and writeback connectors refer to it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "drivers/kms/card/card.h"

namespace tandem::kms {

struct FramebufferPlane {
  std::uint32_t handle = 0;  // DumbBuffer::handle() or ImportedBuffer::handle()
  std::uint32_t pitch_bytes = 0;
  std::uint32_t offset_bytes = 0;
};

struct FramebufferLayout {
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  std::uint32_t fourcc = 0;                // DRM_FORMAT_*
  std::optional<std::uint64_t> modifier;   // none: as the card's driver thinks best, linear for dumb and foreign memory
  std::array<FramebufferPlane, 4> planes;  // the second one is NV12's and P010's chroma; unused ones have handle 0
};

// The layout of a linear picture at the start of one buffer. `pitch_bytes` counts for both planes; NV12's and P010's chroma
// follows `height` rows of luma.
[[nodiscard]] FramebufferLayout LinearLayout(std::uint32_t fourcc, std::uint32_t width, std::uint32_t height,
                                             std::uint32_t handle, std::uint32_t pitch_bytes);

// Bits of one pixel in the first plane: 8 for NV12, 16 for P010; 0 for a format that Tandem does not know.
[[nodiscard]] std::uint32_t BitsPerPixel(std::uint32_t fourcc);
// True if the format has a second plane with half the rows (NV12, P010).
[[nodiscard]] bool HasChromaPlane(std::uint32_t fourcc);
// "XR24"
[[nodiscard]] std::string FourccText(std::uint32_t fourcc);

// An id of the card's. The card outlives it.
class Framebuffer {
 public:
  Framebuffer() = default;
  Framebuffer(Framebuffer&& other) noexcept : card_(other.card_), id_(std::exchange(other.id_, 0)) {}
  Framebuffer& operator=(Framebuffer&& other) noexcept;
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;
  ~Framebuffer() { Reset(); }

  // kUnsupported with the kernel's errno when the card cannot show the layout: format, modifier, pitch, size or offset (AddFB2
  // answers EINVAL, ERANGE or ENOENT for them). An explicit modifier needs CardCaps::modifiers. kDeviceLost, kOutOfMemory, kIo.
  // That a framebuffer was made does not say that a plane takes it: a TEST_ONLY commit does, and a first real one.
  [[nodiscard]] static Result<Framebuffer> Create(const Card& card, const FramebufferLayout& layout);

  [[nodiscard]] std::uint32_t id() const { return id_; }  // 0: none
  // A plane that still shows the framebuffer is switched off by the kernel, which may wait for a vertical blank.
  void Reset();

 private:
  Framebuffer(const Card& card, std::uint32_t id) : card_(&card), id_(id) {}

  const Card* card_ = nullptr;
  std::uint32_t id_ = 0;
};

}  // namespace tandem::kms
